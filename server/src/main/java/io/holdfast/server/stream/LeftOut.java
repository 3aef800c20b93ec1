package io.holdfast.server.stream;

import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Dialect;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import java.util.List;

/** Parts of the wire that this server has not: they say so, instead of not being there. */
final class LeftOut implements Dialect {
  private static final List<String> PREFIXES =
      List.of(
          "/api/v1/status",
          "/api/v1/analytics",
          "/api/v1/stream/",
          "/api/v1/system/shared-state",
          "/api/v1/resources/partitions",
          "/api/v1/kv",
          "/api/v1/timers",
          "/api/v1/locks",
          "/api/v1/ephemeral",
          "/api/v1/conflation",
          "/api/v1/autopilot",
          "/streams/v1/",
          "/internal/");

  private LeftOut() {}

  static void mount(Mount mount) {
    Routes routes = mount.routes();
    PREFIXES.forEach(prefix -> routes.fallback(prefix, new LeftOut()));
    String clear = "/api/v1/queues/{queue}/clear";
    String one = "/api/v1/messages/{partitionId}/{transactionId}";
    List.of(clear, one + "/retry", one + "/dlq")
        .forEach(path -> refuse(mount, Mount.Place.post(path, Role.ADMIN, "Not offered")));
    refuse(mount, Mount.Place.delete(clear, Role.ADMIN, "Not offered"));
  }

  private static void refuse(Mount mount, Mount.Place place) {
    mount.add(
        place,
        Mount.Types.NONE,
        exchange -> {
          throw new StreamDialect.NotOffered();
        });
  }

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    boolean isUnknown =
        failure instanceof Refusal refusal && refusal.kind() == Refusal.Kind.UNKNOWN_PATH;
    return StreamDialect.INSTANCE.failure(
        exchange, isUnknown ? new StreamDialect.NotOffered() : failure);
  }
}
