package io.holdfast.stream;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Says for a consumer what it leaves unsaid: that what came before a completed message in its batch
 * is completed too. What it said in the same call, or before, stays as it was said: the store takes
 * no second verdict. Used for one call.
 */
final class CumulativeAcks {
  private final StreamEngine streams;
  private final AckDesk acks;
  private final Map<Cursor, Long> committed = new HashMap<>();
  private final Map<Cursor, Set<Long>> named = new HashMap<>();

  private record Cursor(UUID partitionId, String group) {
    static Cursor of(Ack ack) {
      return new Cursor(ack.partitionId(), ack.group());
    }
  }

  CumulativeAcks(StreamEngine streams, AckDesk acks) {
    this.streams = streams;
    this.acks = acks;
  }

  /** Answers only what was asked. */
  CompletableFuture<List<Acked>> ack(List<Ack> verdicts) {
    streams.start();
    CompletableFuture<List<Ack>> completed = new CompletableFuture<>();
    streams
        .engine
        .tasks()
        .execute(
            () -> {
              try {
                completed.complete(completed(verdicts));
              } catch (RuntimeException e) {
                completed.completeExceptionally(e);
              }
            });
    return completed
        .thenCompose(all -> acks.submit(all, false))
        .thenApply(all -> List.copyOf(all.subList(0, verdicts.size())));
  }

  /** The verdicts, and behind them those that they imply. */
  private List<Ack> completed(List<Ack> verdicts) {
    List<Long> offsets = verdicts.stream().map(this::offset).toList();
    for (int i = 0; i < offsets.size(); i++) {
      named.computeIfAbsent(Cursor.of(verdicts.get(i)), c -> new HashSet<>()).add(offsets.get(i));
    }
    List<Ack> all = new ArrayList<>(verdicts);
    for (int i = 0; i < offsets.size(); i++) {
      if (verdicts.get(i).verdict() == Verdict.COMPLETED) {
        imply(verdicts.get(i), offsets.get(i), all);
      }
    }
    return all;
  }

  private void imply(Ack ack, long offset, List<Ack> all) {
    Cursor cursor = Cursor.of(ack);
    Set<Long> said = named.getOrDefault(cursor, Set.of());
    long first = committed.computeIfAbsent(cursor, this::committed) + 1;
    for (long o = Math.max(first, offset - StreamRules.MAX_ITEMS); o < offset; o++) {
      if (said.add(o)) {
        all.add(
            new Ack(
                ack.partitionId(),
                ack.group(),
                ack.leaseId(),
                Ack.Target.offset(o),
                Verdict.COMPLETED,
                null));
      }
    }
  }

  private long offset(Ack ack) {
    String transaction = ack.message().transactionId();
    return transaction == null
        ? ack.message().offset()
        : streams
            .engine
            .call(
                () ->
                    streams
                        .store
                        .reader()
                        .message(ack.partitionId(), transaction, streams.storeCall()))
            .map(stored -> stored.message().place().offset())
            .orElse(0L);
  }

  /** The last offset that the group has passed; the greatest if it has no cursor there. */
  private long committed(Cursor cursor) {
    Optional<PartitionInfo> partition =
        streams.engine.call(
            () -> streams.store.monitor().partition(cursor.partitionId(), streams.storeCall()));
    if (partition.isEmpty()) {
      return Long.MAX_VALUE - 1;
    }
    String queue = partition.get().queue();
    CursorKey before = new CursorKey(queue, partition.get().name(), "");
    return streams
        .engine
        .call(
            () ->
                streams
                    .store
                    .groups()
                    .cursors(queue, cursor.group(), before, 1, streams.storeCall()))
        .stream()
        .filter(found -> found.partitionId().equals(cursor.partitionId()))
        .map(CursorInfo::committed)
        .findFirst()
        .orElse(Long.MAX_VALUE - 1);
  }
}
