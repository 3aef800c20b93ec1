package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Trace;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The moments at which something stored changes its meaning. */
final class DifferentialStreamBounds {
  private static final int ALL = 1000;
  private static final Duration SOON = Duration.ofSeconds(30);

  /**
   * One of them.
   *
   * @param transaction of a message that is known until then
   */
  record Bound(String kind, Instant at, CursorKey cursor, @Nullable String transaction) {}

  private final String kind;
  private final DifferentialStreamModel model;
  private final List<Bound> bounds = new ArrayList<>();

  private DifferentialStreamBounds(String kind, DifferentialStreamModel model) {
    this.kind = kind;
    this.model = model;
  }

  /** Those that the clock can still come to, {@code off} milliseconds before or behind. */
  static List<Bound> of(String kind, DifferentialStreamModel model, long off) {
    DifferentialStreamBounds all = new DifferentialStreamBounds(kind, model);
    all.find();
    return all.bounds.stream()
        .filter(bound -> bound.at.equals(bound.at.truncatedTo(ChronoUnit.MILLIS)))
        .filter(bound -> !bound.at.plusMillis(off).isBefore(model.now()))
        .toList();
  }

  private void add(@Nullable Instant at, CursorKey cursor) {
    if (at != null) {
      bounds.add(new Bound(kind, at, cursor, null));
    }
  }

  private void find() {
    switch (kind) {
      case "lease" -> model.leases().forEach(lease -> add(lease.expiresAt(), lease.cursor()));
      case "expiring" ->
          model.leases().forEach(lease -> add(lease.expiresAt().minus(SOON), lease.cursor()));
      case "delay" -> states(Explanation.State.DELAYED);
      case "window" -> states(Explanation.State.WINDOW);
      case "retry" -> states(Explanation.State.RETRYING);
      case "max wait" -> heads();
      case "age" -> ages(StreamOption.RETENTION);
      case "completed" -> ages(StreamOption.COMPLETED_RETENTION);
      case "dedup" -> dedups();
      case "silence" -> model.groups().forEach(this::silence);
      case "seen" -> model.groups().forEach(this::seen);
      case "idle" -> idle();
      case "notes" -> notes();
      default -> drops();
    }
  }

  private void states(Explanation.State state) {
    for (CursorInfo cursor : model.cursors()) {
      Explanation explanation = model.explain(cursor.key());
      if (explanation.state() == state) {
        add(explanation.until(), cursor.key());
      }
    }
  }

  private @Nullable Instant after(@Nullable Instant at, String queue, StreamOption option) {
    Duration age = model.settings(queue).seconds(option);
    return at == null || age.isZero() ? null : at.plus(age);
  }

  private void heads() {
    for (CursorInfo cursor : model.cursors()) {
      String queue = cursor.key().queue();
      add(after(cursor.oldestAt(), queue, StreamOption.MAX_WAIT_TIME), cursor.key());
    }
  }

  private static CursorKey place(StoredMessage stored) {
    return new CursorKey(
        stored.message().place().queue(), stored.message().place().partition(), "g");
  }

  private void ages(StreamOption option) {
    for (StoredMessage stored : model.messages()) {
      CursorKey place = place(stored);
      if (model.settings(place.queue()).is(StreamOption.RETENTION_ENABLED)) {
        add(after(stored.message().createdAt(), place.queue(), option), place);
      }
    }
  }

  private void dedups() {
    for (StoredMessage stored : model.messages()) {
      CursorKey place = place(stored);
      String transaction = stored.message().transactionId();
      Instant at = after(stored.message().createdAt(), place.queue(), StreamOption.DEDUP_WINDOW);
      if (at != null && transaction.startsWith("t")) {
        bounds.add(new Bound(kind, at, place, transaction));
      }
    }
  }

  private void silence(GroupInfo group) {
    CursorKey cursor = new CursorKey(group.queue(), "p", group.name());
    add(after(group.lastSeenAt(), group.queue(), StreamOption.ABANDONED_GROUP), cursor);
  }

  private void seen(GroupInfo group) {
    CursorKey cursor = new CursorKey(group.queue(), "p", group.name());
    add(group.lastSeenAt().plusSeconds(1), cursor);
  }

  private void idle() {
    model
        .pushedAt()
        .forEach((place, at) -> add(at.plus(Duration.ofDays(1)), new CursorKey("n.t", place, "g")));
  }

  private void notes() {
    for (Trace trace : model.memory.store.reader().tracesNamed("x", ALL, CALL)) {
      add(trace.at().plus(Duration.ofDays(30)), new CursorKey("n.t", "p", "g"));
    }
  }

  private void drops() {
    model.memory.store.monitor().dropped(null, ALL, CALL).stream()
        .map(dropped -> dropped.at().plus(Duration.ofDays(90)))
        .forEach(at -> add(at, new CursorKey("n.t", "p", "g")));
  }
}
