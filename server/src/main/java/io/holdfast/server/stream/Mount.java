package io.holdfast.server.stream;

import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Endpoint;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds routes of the streams' wire. */
record Mount(Routes routes) {
  /** What a route takes and gives. */
  record Types(@Nullable Class<?> takes, @Nullable Class<?> gives) {
    static final Types NONE = new Types(null, null);

    static Types of(@Nullable Class<?> takes, @Nullable Class<?> gives) {
      return new Types(takes, gives);
    }
  }

  /** Where, for whom, and what for. */
  record Place(String method, String path, Role role, String summary, List<String> asks) {
    Place(String method, String path, Role role, String summary) {
      this(method, path, role, summary, List.of());
    }

    /** With these parameters in its query. */
    Place asking(String... names) {
      return new Place(method, path, role, summary, List.of(names));
    }

    static Place get(String path, String summary) {
      return new Place("GET", path, Role.READ, summary);
    }

    static Place post(String path, Role role, String summary) {
      return new Place("POST", path, role, summary);
    }

    static Place delete(String path, Role role, String summary) {
      return new Place("DELETE", path, role, summary);
    }
  }

  private static final long LARGE = 32L << 20;

  /** An endpoint that blocks nothing. */
  void add(Place place, Types types, Endpoint endpoint) {
    Route route =
        Route.of(place.method, place.path, place.role, StreamDialect.INSTANCE, place.summary)
            .typed(types.takes, types.gives)
            .tagged("streams")
            .asking(place.asks)
            .limit(LARGE);
    routes.add(route, endpoint);
  }

  /** An endpoint that does its work on a worker thread. */
  void work(Place place, Types types, Function<Exchange, Answer> endpoint) {
    add(place, types, exchange -> exchange.blocking(() -> endpoint.apply(exchange)));
  }
}
