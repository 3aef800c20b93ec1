package io.holdfast.server.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place where something is served.
 *
 * @param method of HTTP
 * @param path its segments; one in braces is a parameter
 * @param role who may call it; null: everybody, with or without a token
 * @param otherRole who may call it as well
 * @param bodyLimit most bytes of a body
 * @param dialect how failures look
 * @param about what it is for, in words and types
 */
public record Route(
    String method,
    String path,
    @Nullable Role role,
    @Nullable Role otherRole,
    long bodyLimit,
    Dialect dialect,
    Description about) {
  /** Enough for anything that carries no payload. */
  public static final long SMALL = 256_000;

  /**
   * What is told about a route.
   *
   * @param tag the part of the server it belongs to
   * @param summary what it does, in a sentence
   * @param takes the record of its body; null: none, or none that JSON describes
   * @param gives the record of its answer
   * @param asks what its query may say
   */
  public record Description(
      String tag,
      String summary,
      @Nullable Class<?> takes,
      @Nullable Class<?> gives,
      List<String> asks) {}

  /** A route that reads. */
  public static Route get(String path, @Nullable Role role, Dialect dialect, String summary) {
    return of("GET", path, role, dialect, summary);
  }

  /** A route that is posted to. */
  public static Route post(String path, @Nullable Role role, Dialect dialect, String summary) {
    return of("POST", path, role, dialect, summary);
  }

  /** A route with a small body. */
  public static Route of(
      String method, String path, @Nullable Role role, Dialect dialect, String summary) {
    Description about = new Description("", summary, null, null, List.of());
    return new Route(method, path, role, null, SMALL, dialect, about);
  }

  /** The same, also for this role. */
  public Route or(Role other) {
    return new Route(method, path, role, other, bodyLimit, dialect, about);
  }

  /** The same with another limit. */
  public Route limit(long bytes) {
    return new Route(method, path, role, otherRole, bytes, dialect, about);
  }

  /** The same with the types of its bodies. */
  public Route typed(@Nullable Class<?> takes, @Nullable Class<?> gives) {
    Description typed = new Description(about.tag, about.summary, takes, gives, about.asks);
    return new Route(method, path, role, otherRole, bodyLimit, dialect, typed);
  }

  /** The same as part of something. */
  public Route tagged(String tag) {
    Description tagged = new Description(tag, about.summary, about.takes, about.gives, about.asks);
    return new Route(method, path, role, otherRole, bodyLimit, dialect, tagged);
  }

  /** The same with these parameters in its query; no others are read. */
  public Route asking(List<String> names) {
    Description asking = new Description(about.tag, about.summary, about.takes, about.gives, names);
    return new Route(method, path, role, otherRole, bodyLimit, dialect, asking);
  }

  List<String> segments() {
    return List.of(path.substring(1).split("/", -1));
  }

  /** The name of the parameter that a segment stands for; null for a literal one. */
  static @Nullable String parameter(String segment) {
    return segment.startsWith("{") ? segment.substring(1, segment.length() - 1) : null;
  }
}
