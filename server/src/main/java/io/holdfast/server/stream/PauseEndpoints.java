package io.holdfast.server.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.PushWire;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pausing queues, or everything; parking partitions. */
final class PauseEndpoints {
  private static final String MAINTENANCE = "/api/v1/system/maintenance";
  private static final String PARTITION = "/api/v1/queues/{queue}/partitions/{partition}";

  private final Streams streams;
  private final Queues queues;

  PauseEndpoints(Streams streams) {
    this.streams = streams;
    this.queues = new Queues(streams);
  }

  /** What is paused; what is not mentioned stays. */
  record Pause(@Nullable JsonNode push, @Nullable JsonNode pop) {}

  /** Whether everything is paused. */
  record Maintenance(@Nullable JsonNode enabled) {}

  /** Whose partition is parked, and why; or whether its head is skipped. */
  record Park(
      @Nullable String consumerGroup, @Nullable String reason, @Nullable Boolean skipHead) {}

  void mount(Mount mount) {
    mount.work(
        Mount.Place.get(MAINTENANCE, "Whether everything is paused"),
        Mount.Types.NONE,
        exchange -> Doc.ok(state(exchange)));
    mount.work(
        Mount.Place.post(MAINTENANCE, Role.ADMIN, "Hold all pushes, or let them go"),
        Mount.Types.of(Maintenance.class, null),
        this::holdAll);
    mount.work(
        Mount.Place.get(MAINTENANCE + "/pop", "Whether deliveries are paused"),
        Mount.Types.NONE,
        exchange -> Doc.ok(popState()));
    mount.work(
        Mount.Place.post(MAINTENANCE + "/pop", Role.ADMIN, "Pause all deliveries, or go on"),
        Mount.Types.of(Maintenance.class, null),
        this::pausePops);
    mount.work(
        Mount.Place.post("/api/v1/queues/{queue}/pause", Role.ADMIN, "Pause a queue, or go on"),
        Mount.Types.of(Pause.class, null),
        this::pause);
    mount.work(
        Mount.Place.post(PARTITION + "/park", Role.ADMIN, "Stop a partition for a group"),
        Mount.Types.of(Park.class, null),
        exchange -> park(exchange, true));
    mount.work(
        Mount.Place.post(PARTITION + "/unpark", Role.ADMIN, "Let a partition go on"),
        Mount.Types.of(Park.class, null),
        exchange -> park(exchange, false));
  }

  static PushWire.Pauses pauses(StreamInfo.Paused paused) {
    String push = paused.isHolding() ? "hold" : paused.push() ? "reject" : null;
    return new PushWire.Pauses(push, paused.pop());
  }

  private Object state(Exchange exchange) {
    StreamInfo.Paused paused = streams.admin().pausedAll();
    long held = queues.held(exchange.caller());
    return Doc.of(
        "maintenanceMode", paused.push(),
        "bufferedMessages", held,
        "bufferHealthy", true,
        "message", text(paused.push(), "pushes"),
        "popMaintenanceMode", paused.pop(),
        "bufferStats", Doc.of("pending", held, "failed", 0));
  }

  private static String text(boolean isPaused, String what) {
    return "All " + what + (isPaused ? " are paused" : " go on");
  }

  private Object popState() {
    boolean isPaused = streams.admin().pausedAll().pop();
    return Doc.of("popMaintenanceMode", isPaused, "message", text(isPaused, "deliveries"));
  }

  private static boolean isEnabled(Exchange exchange) {
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("a token for some names cannot pause everything");
    }
    JsonNode enabled = Asked.body(exchange, Maintenance.class).enabled();
    if (enabled == null || !enabled.isBoolean()) {
      throw Refusal.malformed("enabled must be true or false");
    }
    return enabled.booleanValue();
  }

  private Answer holdAll(Exchange exchange) {
    if (isEnabled(exchange)) {
      streams.admin().holdPush(null);
    } else {
      streams.admin().resumePush(null);
    }
    return Doc.ok(state(exchange));
  }

  private Answer pausePops(Exchange exchange) {
    if (isEnabled(exchange)) {
      streams.admin().pausePop(null);
    } else {
      streams.admin().resumePop(null);
    }
    return Doc.ok(popState());
  }

  private Answer pause(Exchange exchange) {
    String queue = exchange.parameter("queue");
    exchange.caller().require(queue);
    Pause body = Asked.body(exchange, Pause.class);
    check(body);
    pausePush(queue, body.push());
    pausePop(queue, body.pop());
    StreamInfo info =
        streams
            .admin()
            .find(queue)
            .orElseThrow(() -> io.holdfast.stream.StreamException.noQueue(queue));
    PushWire.Pauses pauses = pauses(info.paused());
    return Doc.ok(
        Doc.of("success", true, "queue", queue, "push", pauses.push(), "pop", pauses.pop()));
  }

  /** All of it before anything is done: what is refused has changed nothing. */
  private static void check(Pause body) {
    if (body.push() != null && !List.of("", "reject", "hold").contains(text(body.push()))) {
      throw Refusal.malformed("push must be hold, reject or null");
    }
    if (body.pop() != null && !body.pop().isNull() && !body.pop().isBoolean()) {
      throw Refusal.malformed("pop must be true or false");
    }
  }

  private static String text(JsonNode push) {
    return push.isNull() ? "" : push.asText();
  }

  private void pausePush(String queue, @Nullable JsonNode push) {
    if (push == null) {
      return;
    }
    switch (text(push)) {
      case "reject" -> streams.admin().pausePush(queue);
      case "hold" -> streams.admin().holdPush(queue);
      default -> streams.admin().resumePush(queue);
    }
  }

  private void pausePop(String queue, @Nullable JsonNode pop) {
    if (pop == null || pop.isNull()) {
      return;
    }
    if (pop.booleanValue()) {
      streams.admin().pausePop(queue);
    } else {
      streams.admin().resumePop(queue);
    }
  }

  private Answer park(Exchange exchange, boolean isParking) {
    Park body = Asked.optionalBody(exchange, Park.class);
    CursorKey cursor =
        new CursorKey(
            exchange.parameter("queue"),
            exchange.parameter("partition"),
            Asked.group(body.consumerGroup()));
    exchange.caller().require(cursor.queue());
    boolean isDone = true;
    if (isParking) {
      String reason = body.reason();
      streams.admin().park(cursor, reason == null ? "parked by an operator" : reason);
    } else {
      isDone = streams.admin().unpark(cursor, Boolean.TRUE.equals(body.skipHead()));
    }
    return Doc.ok(
        Doc.of(
            "success", isDone,
            "queue", cursor.queue(),
            "partition", cursor.partition(),
            "consumerGroup", cursor.group()));
  }
}
