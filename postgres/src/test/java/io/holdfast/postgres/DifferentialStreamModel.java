package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamSettings;
import io.holdfast.testkit.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What operations look at before they say what exactly they ask: the memory store's present state,
 * the clock, and what was given out. There are few names, so that operations meet.
 */
final class DifferentialStreamModel {
  /** One namespace, two tasks. */
  static final List<String> QUEUES = List.of("n.t", "n.u");

  static final List<String> PARTITIONS = List.of("Default", "p", "q");
  static final List<String> GROUPS = List.of("g", "h", PopRequest.QUEUE_MODE);
  static final List<UUID> TRACES = List.of(new UUID(1, 1), new UUID(2, 2));
  private static final int ALL = 10_000;

  final DifferentialStreamSide memory;
  private final ManualTime time;
  private final List<Grip> grips = new ArrayList<>();
  private final Map<String, Instant> pushedAt = new HashMap<>();
  private int lastLabel;

  /** A batch that was given out, with names for ids. */
  record Grip(CursorKey cursor, String partition, String lease, List<Given> given) {}

  /** A message of such a batch. */
  record Given(long offset, String transaction) {}

  DifferentialStreamModel(DifferentialStreamSide memory, ManualTime time) {
    this.memory = memory;
    this.time = time;
  }

  Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  void advance(long ms) {
    time.advanceMs(ms);
  }

  String newLabel() {
    return "L" + ++lastLabel;
  }

  Optional<StreamInfo> info(String queue) {
    return memory.store.catalog().find(queue, CALL);
  }

  List<String> queues() {
    return QUEUES.stream().filter(queue -> info(queue).isPresent()).toList();
  }

  StreamSettings settings(String queue) {
    return info(queue).map(StreamInfo::settings).orElse(StreamSettings.DEFAULTS);
  }

  /** Newest first. */
  List<StoredMessage> messages(String queue) {
    return info(queue).isEmpty()
        ? List.of()
        : memory.store.reader().messages(MessageQuery.of(queue).limit(ALL), CALL);
  }

  List<StoredMessage> messages() {
    return QUEUES.stream().flatMap(queue -> messages(queue).stream()).toList();
  }

  List<CursorInfo> cursors() {
    return QUEUES.stream()
        .flatMap(queue -> memory.store.groups().cursors(queue, null, null, ALL, CALL).stream())
        .toList();
  }

  List<GroupInfo> groups() {
    return memory.store.groups().list(null, CALL);
  }

  Explanation explain(CursorKey cursor) {
    return memory.store.monitor().explain(cursor, CALL);
  }

  List<ActiveLease> leases() {
    return memory.store.monitor().leases(null, CALL);
  }

  List<DeadLetter> dead() {
    return memory.dead();
  }

  /** Remembers what the memory store gave out. */
  void given(StreamLeases.PopAnswer answer) {
    Popped popped = answer.popped();
    for (Batch batch : popped.batches()) {
      Batch.Held lease = batch.lease();
      CursorKey cursor =
          new CursorKey(Objects.requireNonNull(popped.queue()), batch.partition(), popped.group());
      grips.add(
          new Grip(
              cursor,
              memory.name(batch.partitionId()),
              lease == null ? "<none>" : memory.name(lease.id()),
              batch.deliveries().stream()
                  .map(
                      delivery ->
                          new Given(
                              delivery.message().place().offset(),
                              memory.plainText(delivery.message().transactionId())))
                  .toList()));
    }
  }

  /** Remembers when something last came to a partition. */
  void pushed(String queue, String partition) {
    messages(queue).stream()
        .filter(stored -> stored.message().place().partition().equals(partition))
        .findFirst()
        .ifPresent(stored -> pushedAt.put(queue + "/" + partition, stored.message().createdAt()));
  }

  Map<String, Instant> pushedAt() {
    return pushedAt;
  }

  /** A cursor whose next pop gets something, there or elsewhere; null if there is none. */
  @Nullable CursorKey ready(DifferentialStreamOp op) {
    List<CursorKey> ready =
        cursors().stream()
            .map(CursorInfo::key)
            .filter(key -> explain(key).state() == Explanation.State.READY)
            .toList();
    return ready.stream()
        .filter(key -> key.queue().equals(op.queue()) && key.group().equals(op.group()))
        .findFirst()
        .orElse(ready.isEmpty() ? null : ready.get(op.place() % ready.size()));
  }

  /** Whether that batch is held still. */
  boolean isHeld(Grip grip) {
    return leases().stream()
        .anyMatch(
            lease ->
                lease.cursor().equals(grip.cursor)
                    && memory.name(lease.leaseId()).equals(grip.lease));
  }

  /** Whether its lease holds another partition, too. */
  boolean isShared(Grip grip) {
    return isHeld(grip)
        && grips.stream()
            .anyMatch(
                other ->
                    other.lease.equals(grip.lease)
                        && !other.cursor.equals(grip.cursor)
                        && isHeld(other));
  }

  /** The newest of those that fit, rotated by {@code n}. */
  @Nullable Grip grip(int n, Predicate<Grip> fits) {
    List<Grip> found = grips.stream().filter(fits).toList();
    return found.isEmpty() ? null : found.get(found.size() - 1 - n % Math.min(3, found.size()));
  }

  /**
   * A message, the newest first; null if there is none. Only those that both sides have named: a
   * name that only one side gives is another one's on the other side.
   */
  @Nullable StoredMessage message(String queue, int n) {
    List<StoredMessage> named = messages().stream().filter(this::isNamed).toList();
    List<StoredMessage> here =
        named.stream().filter(m -> m.message().place().queue().equals(queue)).toList();
    List<StoredMessage> all = here.isEmpty() ? named : here;
    return all.isEmpty() ? null : all.get(n % all.size());
  }

  private boolean isNamed(StoredMessage stored) {
    return memory.isNamed(stored.message().id())
        && memory.isNamed(stored.message().place().partitionId());
  }
}
