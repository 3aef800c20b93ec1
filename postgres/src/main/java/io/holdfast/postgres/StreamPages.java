package io.holdfast.postgres;

import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamRules;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of messages, newest first.
 *
 * <p>A partition is read by its key backwards, from an offset that is found by halving. A whole
 * queue has no such order. It is read through windows of time that go backwards, each found by the
 * index on instants: the newest second first, then ever longer ones until the page is full or the
 * oldest message is reached. So a page costs as much as was pushed, to all queues, in the windows
 * it needed; after a long quiet a window may be wider than needed, and only its newest rows are
 * kept. A status that few messages have may take a look at everything that is retained: give a time
 * range with it.
 */
final class StreamPages {
  private static final Duration FIRST_WINDOW = Duration.ofSeconds(1);
  private static final int WIDER = 4;

  /** What is newer than the page before, or has another status, is left out. */
  private static final String WANTED =
      """
         AND (?::timestamptz IS NULL OR (m.created_at, m.id) < (?, ?))
         AND (?::text IS NULL OR EXISTS (
               SELECT FROM holdfast.stream_statuses_v1(?, m.queue_id, m.partition_id, m.off, m.only_sub) AS s
                WHERE s.group_name = ? AND s.status = ?))
      """;

  private static final String OF_PARTITION =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = ? AND m.partition_id = ?
         AND m.off > (SELECT holdfast.stream_offset_at_v1(?, ?, coalesce(?::timestamptz, '-infinity')))
         AND m.off <= (SELECT holdfast.stream_offset_at_v1(?, ?, coalesce(?::timestamptz, 'infinity')))
      """
          + WANTED
          + " ORDER BY m.off DESC LIMIT ?";

  private static final String OF_QUEUE =
      """
      holdfast.stream_message AS m
       WHERE m.queue_id = ? AND m.created_at >= ? AND m.created_at < coalesce(?::timestamptz, 'infinity')
      """
          + WANTED
          + " ORDER BY m.created_at DESC, m.id DESC LIMIT ?";

  /** The oldest message of a queue, by the index that retention goes by; and the clock. */
  private static final String BOUNDS =
      """
      SELECT (SELECT p.oldest_at FROM holdfast.stream_partition AS p
               WHERE p.queue_id = ? AND p.oldest_at IS NOT NULL ORDER BY p.oldest_at LIMIT 1) AS oldest_at,
             coalesce(?::timestamptz, clock_timestamp()) AS now
      """;

  private final StreamKernel kernel;
  private final StreamStatements statements;

  StreamPages(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
  }

  List<StoredMessage> messages(Watch watch, MessageQuery query) throws SQLException {
    StreamNames names =
        StreamNames.of(
            statements, watch, new StreamNames.Asked(query.queue(), null, query.partition()));
    int queue = names.needQueue().id();
    long partition = names.needPartition();
    return partition == 0
        ? ofQueue(watch, queue, query)
        : ofPartition(watch, queue, partition, query);
  }

  private List<StoredMessage> ofPartition(
      Watch watch, int queue, long partition, MessageQuery query) throws SQLException {
    Instant from = query.created().from();
    Instant end = end(query);
    return statements.all(
        watch,
        StreamMessages.newestFirst(OF_PARTITION),
        binds -> {
          binds.integer(queue).number(partition);
          binds.integer(queue).number(partition).at(from == null ? null : justBefore(from));
          binds.integer(queue).number(partition).at(end == null ? null : justBefore(end));
          wanted(binds, query).integer(query.limit()).now(kernel.time());
        },
        StreamMessages::stored);
  }

  /** The oldest message of a queue, and the clock. */
  private record Bounds(@Nullable Instant oldestAt, Instant now) {}

  private List<StoredMessage> ofQueue(Watch watch, int queue, MessageQuery query)
      throws SQLException {
    Bounds bounds =
        statements.first(
            watch,
            BOUNDS,
            binds -> binds.integer(queue).now(kernel.time()),
            row ->
                new Bounds(StreamRows.instant(row, "oldest_at"), StreamRows.required(row, "now")));
    if (bounds == null || bounds.oldestAt() == null) {
      return List.of();
    }
    Instant from = query.created().from();
    Instant oldest = from != null && from.isAfter(bounds.oldestAt()) ? from : bounds.oldestAt();
    Instant to = end(query);
    Instant top = to != null && to.isBefore(bounds.now()) ? to : bounds.now();
    Duration window = FIRST_WINDOW;
    List<StoredMessage> page = new ArrayList<>();
    while (page.size() < query.limit()
        && !isAlmostFull(page)
        && (to == null || to.isAfter(oldest))) {
      Instant low = top.minus(window);
      Instant begin = low.isBefore(oldest) ? oldest : low;
      page.addAll(window(watch, queue, query.limit(query.limit() - page.size()), begin, to));
      to = begin;
      top = begin;
      window = window.multipliedBy(WIDER);
    }
    return StreamRules.fitting(page, StoredMessage::message);
  }

  /** A window that was cut has more than half an answer: no message is larger than the rest. */
  private static boolean isAlmostFull(List<StoredMessage> page) {
    long bytes = page.stream().mapToLong(stored -> stored.message().payload().size()).sum();
    return bytes > StreamRules.MAX_ANSWER / 2;
  }

  private List<StoredMessage> window(
      Watch watch, int queue, MessageQuery query, Instant from, @Nullable Instant to)
      throws SQLException {
    return statements.all(
        watch,
        StreamMessages.newestFirst(OF_QUEUE),
        binds -> {
          binds.integer(queue).at(from).at(to);
          wanted(binds, query).integer(query.limit()).now(kernel.time());
        },
        StreamMessages::stored);
  }

  private Binds wanted(Binds binds, MessageQuery query) throws SQLException {
    PageKey after = query.after();
    MessageStatus status = query.status();
    return binds
        .at(after == null ? null : after.at())
        .at(after == null ? null : after.at())
        .uuid(after == null ? null : after.id())
        .text(status == null ? null : status.name())
        .now(kernel.time())
        .text(query.group())
        .text(status == null ? null : status.name());
  }

  /** Before this everything is; null: open. */
  private static @Nullable Instant end(MessageQuery query) {
    PageKey after = query.after();
    Instant to = query.created().to();
    Instant behind = after == null ? null : after.at().plus(1, ChronoUnit.MICROS);
    if (to == null || behind == null) {
      return to == null ? behind : to;
    }
    return to.isBefore(behind) ? to : behind;
  }

  private static Instant justBefore(Instant at) {
    return at.minus(1, ChronoUnit.MICROS);
  }
}
