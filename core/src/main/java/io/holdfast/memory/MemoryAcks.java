package io.holdfast.memory;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamLeases.AckAnswer;
import io.holdfast.stream.StreamLeases.Ready;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The verdicts of one call, sorted by the cursor they are about. */
final class MemoryAcks {
  private final MemoryStreamData data;
  private final Set<UUID> required;
  private final Consumer<MemoryCursor> before;
  private final Instant now;
  private final List<Ready> ready = new ArrayList<>();

  private record Key(UUID partitionId, String group) {}

  /** {@code before} hears of every cursor that may change. */
  MemoryAcks(
      MemoryStreamData data, Set<UUID> required, Consumer<MemoryCursor> before, Instant now) {
    this.data = data;
    this.required = required;
    this.before = before;
    this.now = now;
  }

  AckAnswer settle(List<Ack> acks) {
    Map<Key, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < acks.size(); i++) {
      Key key = new Key(acks.get(i).partitionId(), acks.get(i).group());
      places.computeIfAbsent(key, k -> new ArrayList<>()).add(i);
    }
    List<Acked> answers =
        new ArrayList<>(Collections.nCopies(acks.size(), Acked.refused(StreamError.LEASE_LOST)));
    places.forEach(
        (key, own) -> {
          List<Acked> acked = settle(key, own.stream().map(acks::get).toList());
          for (int i = 0; i < acked.size(); i++) {
            answers.set(own.get(i), acked.get(i));
          }
        });
    return new AckAnswer(List.copyOf(answers), List.copyOf(ready));
  }

  /** Answers nothing when there is no such cursor. */
  private List<Acked> settle(Key key, List<Ack> acks) {
    MemoryCursor cursor = cursor(key);
    if (cursor == null) {
      return List.of();
    }
    before.accept(cursor);
    cursor.group.seen(now);
    MemoryAckCall call = new MemoryAckCall(cursor, required, now);
    List<Acked> acked = call.settle(acks);
    if (call.isSettled()) {
      ready(cursor, now, ready);
    }
    return acked;
  }

  private @Nullable MemoryCursor cursor(Key key) {
    MemoryPartitionLog log = data.partition(key.partitionId());
    MemoryGroup group = log == null ? null : log.queue.groups.get(key.group());
    return log == null || group == null ? null : group.cursors.get(log.number);
  }

  /** Notes when a cursor that was given back can be claimed, if ever. */
  static void ready(MemoryCursor cursor, Instant now, List<Ready> ready) {
    Instant at = cursor.readyAt;
    if (at != null && !cursor.isParked()) {
      Duration in = cursor.isReady(now) ? Duration.ZERO : Duration.between(now, at);
      ready.add(new Ready(cursor.log.queue.name, cursor.group.name, in));
    }
  }
}
