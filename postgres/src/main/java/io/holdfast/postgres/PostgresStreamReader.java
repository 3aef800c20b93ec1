package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamReader;
import io.holdfast.stream.Trace;
import io.holdfast.stream.TraceName;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looks at messages, in their tables. Safe for use by many threads. */
final class PostgresStreamReader implements StreamReader {
  /** Of several with one id the newest counts; the id of the partition proves that it is ours. */
  private static final String BY_TRANSACTION =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = ? AND m.partition_id = ?
         AND m.transaction_id = ? AND hashtextextended(m.transaction_id, 0) = hashtextextended(?, 0)
         AND EXISTS (SELECT FROM holdfast.stream_queue AS k WHERE k.id = m.queue_id AND k.tag = ?)
       ORDER BY m.off DESC LIMIT 1
      """;

  /** A generated transaction id is the text of the id, which is found by halving. */
  private static final String BY_ID =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = ? AND m.partition_id = ? AND m.transaction_id IS NULL
         AND m.off = (SELECT holdfast.stream_offset_of_v1(?, ?, ?))
         AND EXISTS (SELECT FROM holdfast.stream_queue AS k WHERE k.id = m.queue_id AND k.tag = ?)
      """;

  private static final String IN_QUEUE =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = (SELECT k.id FROM holdfast.stream_queue AS k WHERE k.name = ? AND k.deleted_at IS NULL)
         AND m.transaction_id = ? AND hashtextextended(m.transaction_id, 0) = hashtextextended(?, 0)
      """;

  /**
   * An id says when its message was stored; the index on that instant finds it in any partition.
   */
  private static final String IN_QUEUE_BY_ID =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = (SELECT k.id FROM holdfast.stream_queue AS k WHERE k.name = ? AND k.deleted_at IS NULL)
         AND m.created_at = ? AND m.id = ? AND m.transaction_id IS NULL
      """;

  private static final String BY_TRACE =
      """
      holdfast.stream_message AS m
       WHERE m.trace_id = ?
         AND EXISTS (SELECT FROM holdfast.stream_queue AS k WHERE k.id = m.queue_id AND k.deleted_at IS NULL)
       ORDER BY m.created_at, m.id LIMIT ?
      """;

  /**
   * The partition does not change: its cursors find the gap. Those that hold the message have one
   * less, so that an ack of their whole batch looks at what is left of it.
   */
  private static final String DELETE =
      """
      WITH gone AS (
        DELETE FROM holdfast.stream_message WHERE queue_id = ? AND partition_id = ? AND off = ?
        RETURNING queue_id, partition_id, off, only_sub),
      held AS (
        UPDATE holdfast.stream_cursor AS c SET batch_count = c.batch_count - 1
          FROM gone AS g
         WHERE c.queue_id = g.queue_id AND c.partition_id = g.partition_id AND c.leased_at IS NOT NULL
           AND c.batch_count > 0 AND g.off > c.committed AND g.off <= c.batch_end
           AND (g.only_sub IS NULL OR g.only_sub = c.sub_id)
           AND NOT EXISTS (SELECT FROM holdfast.stream_mark AS k
                            WHERE k.queue_id = c.queue_id AND k.partition_id = c.partition_id
                              AND k.sub_id = c.sub_id AND k.off = g.off))
      SELECT count(*) FROM gone
      """;

  private static final Comparator<StoredMessage> OLDEST_FIRST =
      Comparator.comparing((StoredMessage stored) -> stored.message().createdAt())
          .thenComparing(stored -> stored.message().id().toString());

  private final StreamKernel kernel;
  private final StreamStatements statements;
  private final StreamPages pages;
  private final StreamTraces traces;

  PostgresStreamReader(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
    this.pages = new StreamPages(kernel);
    this.traces = new StreamTraces(kernel);
  }

  @Override
  public List<StoredMessage> messages(MessageQuery query, StoreCall call) {
    return kernel.look("messages", call, watch -> pages.messages(watch, query));
  }

  @Override
  public Optional<StoredMessage> message(UUID partitionId, String transactionId, StoreCall call) {
    StreamIds.PartitionKey place = StreamIds.partition(partitionId).orElse(null);
    if (place == null) {
      return Optional.empty();
    }
    return kernel.look(
        "message", call, watch -> Optional.ofNullable(message(watch, place, transactionId)));
  }

  private @Nullable StoredMessage message(
      Watch watch, StreamIds.PartitionKey place, String transactionId) throws SQLException {
    StoredMessage found =
        statements.first(
            watch,
            StreamMessages.newestFirst(BY_TRANSACTION),
            binds ->
                binds
                    .integer(place.queue().id())
                    .number(place.partition())
                    .text(transactionId)
                    .text(transactionId)
                    .integer(place.queue().tag())
                    .now(kernel.time()),
            StreamMessages::stored);
    UUID id = generated(transactionId);
    if (found != null || id == null) {
      return found;
    }
    return statements.first(
        watch,
        StreamMessages.newestFirst(BY_ID),
        binds ->
            binds
                .integer(place.queue().id())
                .number(place.partition())
                .integer(place.queue().id())
                .number(place.partition())
                .uuid(id)
                .integer(place.queue().tag())
                .now(kernel.time()),
        StreamMessages::stored);
  }

  /** The id that a transaction id is the text of; null if it is none of ours. */
  private static @Nullable UUID generated(String transactionId) {
    try {
      UUID id = UUID.fromString(transactionId);
      return id.version() == 7 && id.toString().equals(transactionId) ? id : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** When the message with this id was stored: milliseconds, then the rest of the microseconds. */
  private static Instant storedAt(UUID id) {
    long high = id.getMostSignificantBits();
    return Instant.ofEpochMilli(high >>> 16).plusNanos((high >>> 2 & 0x3ff) * 1000);
  }

  @Override
  public List<StoredMessage> find(String queue, String transactionId, StoreCall call) {
    return kernel.look("find message", call, watch -> findIn(watch, queue, transactionId));
  }

  private List<StoredMessage> findIn(Watch watch, String queue, String transactionId)
      throws SQLException {
    List<StoredMessage> found =
        new ArrayList<>(
            statements.all(
                watch,
                StreamMessages.allOldestFirst(IN_QUEUE),
                b -> b.text(queue).text(transactionId).text(transactionId).now(kernel.time()),
                StreamMessages::stored));
    UUID id = generated(transactionId);
    if (id != null) {
      found.addAll(
          statements.all(
              watch,
              StreamMessages.allOldestFirst(IN_QUEUE_BY_ID),
              b -> b.text(queue).at(storedAt(id)).uuid(id).now(kernel.time()),
              StreamMessages::stored));
      found.sort(OLDEST_FIRST);
    }
    return found;
  }

  @Override
  public List<StoredMessage> byTrace(UUID traceId, int limit, StoreCall call) {
    return kernel.look(
        "trace",
        call,
        watch ->
            statements.all(
                watch,
                StreamMessages.oldestFirst(BY_TRACE),
                binds -> binds.uuid(traceId).integer(limit).now(kernel.time()),
                StreamMessages::stored));
  }

  @Override
  public boolean delete(UUID partitionId, String transactionId, StoreCall call) {
    StreamIds.PartitionKey place = StreamIds.partition(partitionId).orElse(null);
    if (place == null) {
      return false;
    }
    return kernel.transaction(
        "delete message",
        call,
        watch -> {
          StoredMessage found = message(watch, place, transactionId);
          return found != null
              && statements.number(
                      watch,
                      DELETE,
                      binds ->
                          binds
                              .integer(place.queue().id())
                              .number(place.partition())
                              .number(found.message().place().offset()))
                  > 0;
        });
  }

  @Override
  public Optional<Trace> record(
      UUID partitionId, String transactionId, Trace.Note note, StoreCall call) {
    StreamIds.PartitionKey place = StreamIds.partition(partitionId).orElse(null);
    if (place == null) {
      return Optional.empty();
    }
    return kernel.transaction(
        "record trace",
        call,
        watch ->
            message(watch, place, transactionId) == null
                ? Optional.empty()
                : Optional.of(traces.record(watch, place, transactionId, note)));
  }

  @Override
  public List<Trace> traces(UUID partitionId, String transactionId, StoreCall call) {
    StreamIds.PartitionKey place = StreamIds.partition(partitionId).orElse(null);
    return place == null
        ? List.of()
        : kernel.look("traces", call, watch -> traces.of(watch, place, transactionId));
  }

  @Override
  public List<TraceName> traceNames(int limit, StoreCall call) {
    return kernel.look("trace names", call, watch -> traces.names(watch, limit));
  }

  @Override
  public List<Trace> tracesNamed(String name, int limit, StoreCall call) {
    return kernel.look("traces", call, watch -> traces.named(watch, name, limit));
  }
}
