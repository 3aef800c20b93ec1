package io.holdfast.server.http;

import java.util.List;
import java.util.Set;

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
