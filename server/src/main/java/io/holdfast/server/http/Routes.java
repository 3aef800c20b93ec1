package io.holdfast.server.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All routes, found by the segments of a raw path. A segment is decoded once, after the path was
 * split, so a name may contain anything; the last one may be empty. Dots are names like others.
 */
public final class Routes {
  private final Node root = new Node();
  private final List<Route> all = new ArrayList<>();
  private final Map<String, Dialect> fallbacks = new LinkedHashMap<>();

  /** One step of paths that begin the same. */
  private static final class Node {
    final Map<String, Node> literal = new TreeMap<>();
    @Nullable Node parameter;
    final Map<String, Served> served = new TreeMap<>();

    Node child(String segment) {
      if (Route.parameter(segment) == null) {
        return literal.computeIfAbsent(segment, s -> new Node());
      }
      if (parameter == null) {
        parameter = new Node();
      }
      return parameter;
    }
  }

  private record Served(Route route, Endpoint endpoint) {}

  /** What was found, and the parameters in the path. */
  record Match(Route route, Endpoint endpoint, Map<String, String> parameters) {}

  /** Adds a route. */
  public void add(Route route, Endpoint endpoint) {
    Node node = root;
    for (String segment : route.segments()) {
      node = node.child(segment);
    }
    if (node.served.put(route.method(), new Served(route, endpoint)) != null) {
      throw new IllegalStateException("two routes for " + route.method() + " " + route.path());
    }
    all.add(route);
  }

  /** How it is said that nothing is under {@code prefix}; the longest prefix counts. */
  public void fallback(String prefix, Dialect dialect) {
    fallbacks.put(prefix, dialect);
  }

  /** All of them, in the order they were added. */
  public List<Route> all() {
    return List.copyOf(all);
  }

  Dialect dialect(String path) {
    String longest =
        fallbacks.keySet().stream()
            .filter(path::startsWith)
            .max((a, b) -> Integer.compare(a.length(), b.length()))
            .orElse("/");
    return fallbacks.get(longest);
  }

  /** The route for a request; refuses when there is none. */
  Match find(String method, String rawPath) {
    if (!rawPath.startsWith("/")) {
      throw new Refusal(Refusal.Kind.UNKNOWN_PATH, "there is nothing at this path");
    }
    List<String> values = new ArrayList<>();
    Node node = find(root, rawPath.substring(1).split("/", -1), 0, values);
    if (node == null) {
      throw new Refusal(Refusal.Kind.UNKNOWN_PATH, "there is nothing at this path");
    }
    Served served = node.served.get(method);
    if (served == null) {
      Set<String> methods = node.served.keySet();
      throw Refusal.wrongMethod("this path is for " + String.join(", ", methods), methods);
    }
    return new Match(served.route, served.endpoint, named(served.route, values));
  }

  private static @Nullable Node find(Node node, String[] path, int depth, List<String> values) {
    if (depth == path.length) {
      return node.served.isEmpty() ? null : node;
    }
    Node literal = node.literal.get(path[depth]);
    Node found = literal == null ? null : find(literal, path, depth + 1, values);
    if (found != null || node.parameter == null) {
      return found;
    }
    int before = values.size();
    values.add(path[depth]);
    found = find(node.parameter, path, depth + 1, values);
    if (found == null) {
      values.subList(before, values.size()).clear();
    }
    return found;
  }

  private static Map<String, String> named(Route route, List<String> values) {
    Map<String, String> named = new TreeMap<>();
    int next = 0;
    for (String segment : route.segments()) {
      String name = Route.parameter(segment);
      if (name != null) {
        named.put(name, Percent.decode(values.get(next++), "the path"));
      }
    }
    return named;
  }
}
