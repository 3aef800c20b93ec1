package io.holdfast.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who calls.
 *
 * @param name the name of the token; empty while the server runs without tokens
 * @param roles what it may do
 * @param prefixes how the names begin that it may use; empty: any
 */
public record Caller(String name, Set<Role> roles, List<String> prefixes) {
  /** Anybody, while the server runs without tokens. */
  public static final Caller ANYBODY = new Caller("", Set.of(Role.ADMIN), List.of());

  /** Whether it has the role, by itself or as an administrator. */
  public boolean may(Role role) {
    return roles.contains(role) || roles.contains(Role.ADMIN);
  }

  /** Whether only some names are for it, so that ids have to be resolved to names first. */
  public boolean isRestricted() {
    return !prefixes.isEmpty();
  }

  /** Whether the queue, stream or key of this name is for it. */
  public boolean sees(String object) {
    return prefixes.isEmpty() || prefixes.stream().anyMatch(object::startsWith);
  }

  /**
   * The first {@code limit} of a list that it sees, however many others are between them.
   *
   * @param after the name that the list begins behind
   * @param pages what follows a name
   */
  public <T> List<T> seen(
      @Nullable String after, int limit, Pages<T> pages, Function<T, String> name) {
    List<T> found = pages.after(after);
    if (!isRestricted()) {
      return found;
    }
    List<T> seen = new ArrayList<>();
    while (!found.isEmpty() && seen.size() < limit) {
      found.stream().filter(each -> sees(name.apply(each))).forEach(seen::add);
      found = pages.after(name.apply(found.get(found.size() - 1)));
    }
    return seen.size() > limit ? seen.subList(0, limit) : seen;
  }

  /** A list by name, a page at a time. */
  @FunctionalInterface
  public interface Pages<T> {
    /** What follows {@code name}; null: what comes first. */
    List<T> after(@Nullable String name);
  }

  /** Refuses unless {@link #sees} holds. */
  public void require(String object) {
    if (!sees(object)) {
      throw Refusal.forbidden("the token is not for this name");
    }
  }

  /** Refuses unless {@link #may} holds: for what a route learns only from the body. */
  public void require(Role role) {
    if (!may(role)) {
      throw Refusal.forbidden("the token lacks the role " + role.text());
    }
  }
}
