package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Depth;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Utilization;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How it goes, from counters and cursors. Safe for use by many threads. */
final class PostgresStreamMonitor implements StreamMonitor {
  private static final String DEPTHS =
      """
      SELECT q.name AS queue, holdfast.stream_depth_of_v1(coalesce(?, clock_timestamp()), q.id) AS depth, q.max_queue_size
        FROM holdfast.stream_queue AS q
       WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name = ?) ORDER BY q.name
      """;

  /** One queue is looked at by number, so that the others cost nothing. */
  private static final String NUMBER =
      "SELECT id FROM holdfast.stream_queue WHERE name = ? AND deleted_at IS NULL";

  private static final String LEASES =
      """
      SELECT c.queue_name, c.partition_name, c.group_name, c.lease_id, c.fence, c.leased_at, c.ready_at, c.batch_count
        FROM holdfast.stream_pending_cursors_v1(?, nullif(?::integer, 0)) AS c
       WHERE c.leased_at IS NOT NULL AND c.ready_at > c.at
       ORDER BY c.ready_at, c.queue_name COLLATE "C", c.partition_name COLLATE "C", c.group_name COLLATE "C"
      """;

  private static final String UTILIZATION =
      """
      SELECT u.queue_name, u.partitions, u.leased
        FROM holdfast.stream_utilization_v1(?, nullif(?::integer, 0)) AS u
       ORDER BY u.queue_name COLLATE "C"
      """;

  private static final String STUCK =
      """
      SELECT s.queue_name, s.partition_name, s.group_name, s.reason, s.leased_at, s.attempt, s.error, s.at,
             nullif(s.ready_at, 'infinity') AS ready_at
        FROM holdfast.stream_stuck_v1(?, nullif(?::integer, 0)) AS s
       ORDER BY s.queue_name COLLATE "C", s.partition_name COLLATE "C", s.group_name COLLATE "C"
      """;

  private static final String DROPPED =
      """
      SELECT q.name AS queue, r.partition, r.reason, r.messages, r.through_offset, r.lost, r.at
        FROM holdfast.stream_retention_log AS r
        JOIN holdfast.stream_queue AS q ON q.id = r.queue_id AND q.deleted_at IS NULL
      """;

  /** By the index on the instant. */
  private static final String ALL_DROPPED = DROPPED + " ORDER BY r.at DESC, r.id DESC LIMIT ?";

  /** By the key: what was written later has a greater number. */
  private static final String DROPPED_OF =
      DROPPED + " WHERE r.queue_id = ? ORDER BY r.id DESC LIMIT ?";

  private static final String PARTITIONS =
      """
      SELECT q.id AS queue_id, q.tag, q.name AS queue, p.id, p.name, p.log_start, p.last_offset, p.created_at,
             p.oldest_at, p.last_at
        FROM holdfast.stream_queue AS q JOIN holdfast.stream_partition AS p ON p.queue_id = q.id
       WHERE q.deleted_at IS NULL
      """;

  private static final String PARTITION = PARTITIONS + " AND q.id = ? AND q.tag = ? AND p.id = ?";

  private static final String PARTITIONS_OF =
      PARTITIONS
          + """
              AND q.name = ? AND (?::text IS NULL OR p.name = ?) AND (?::text IS NULL OR p.name > ?)
            ORDER BY p.name LIMIT ?
            """;

  private static final String FIGURES =
      """
      SELECT q.name AS queue,
             (SELECT count(*) FROM holdfast.stream_partition AS p WHERE p.queue_id = q.id) AS partitions,
             (SELECT coalesce(sum(c.n), 0) FROM holdfast.stream_counter AS c
               WHERE c.queue_id = q.id AND c.kind = 'P') AS pushed,
             (SELECT coalesce(sum(c.n), 0) FROM holdfast.stream_counter AS c
               WHERE c.queue_id = q.id AND c.kind = 'D') AS dropped,
             (SELECT count(*) FROM holdfast.stream_dead AS d WHERE d.queue_id = q.id) AS dead
        FROM holdfast.stream_queue AS q
       WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name = ?) ORDER BY q.name
      """;

  private static final String TALLY =
      """
      SELECT coalesce(sum(n) FILTER (WHERE kind = 'P'), 0) AS pushed,
             coalesce(sum(n) FILTER (WHERE kind = 'C' AND sub_id = ?), 0) AS passed,
             coalesce(sum(n) FILTER (WHERE kind = 'W' AND sub_id = ?), 0) AS expired,
             coalesce(sum(n) FILTER (WHERE kind = 'L' AND sub_id = ?), 0) AS lost
        FROM holdfast.stream_counter WHERE queue_id = ?
      """;

  private static final int ALL = 0;

  private final StreamKernel kernel;
  private final StreamStatements statements;
  private final StreamExplainer explainer;

  PostgresStreamMonitor(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
    this.explainer = new StreamExplainer(kernel);
  }

  @Override
  public List<Depth> depths(@Nullable String queue, StoreCall call) {
    List<Depth> depths =
        kernel.look(
            "depths",
            call,
            watch ->
                statements.all(
                    watch,
                    DEPTHS,
                    binds -> binds.now(kernel.time()).text(queue).text(queue),
                    PostgresStreamMonitor::depth));
    if (queue != null && depths.isEmpty()) {
      throw StreamException.noQueue(queue);
    }
    return depths;
  }

  private static Depth depth(ResultSet row) throws SQLException {
    long depth = row.getLong("depth");
    long maxSize = row.getLong("max_queue_size");
    return new Depth(
        row.getString("queue"), depth, maxSize, maxSize == 0 ? null : Math.max(maxSize - depth, 0));
  }

  /** Reads what is about one queue, or with null about all; nothing if there is no such queue. */
  private <T> List<T> about(
      @Nullable String queue, String sql, StreamStatements.Row<T> row, StoreCall call) {
    return kernel.look(
        "monitor",
        call,
        watch -> {
          Integer number = number(watch, queue);
          return number == null
              ? List.of()
              : statements.all(watch, sql, binds -> binds.now(kernel.time()).integer(number), row);
        });
  }

  private @Nullable Integer number(Watch watch, @Nullable String queue) throws SQLException {
    return queue == null
        ? Integer.valueOf(ALL)
        : statements.first(watch, NUMBER, binds -> binds.text(queue), row -> row.getInt(1));
  }

  private static CursorKey cursor(ResultSet row) throws SQLException {
    return new CursorKey(
        row.getString("queue_name"), row.getString("partition_name"), row.getString("group_name"));
  }

  @Override
  public List<ActiveLease> leases(@Nullable String queue, StoreCall call) {
    return about(
        queue,
        LEASES,
        row ->
            new ActiveLease(
                cursor(row),
                row.getObject("lease_id", UUID.class),
                row.getLong("fence"),
                StreamRows.required(row, "leased_at"),
                StreamRows.required(row, "ready_at"),
                row.getInt("batch_count")),
        call);
  }

  @Override
  public List<Utilization> utilization(@Nullable String queue, StoreCall call) {
    return about(
        queue,
        UTILIZATION,
        row ->
            new Utilization(
                row.getString("queue_name"), row.getLong("partitions"), row.getLong("leased")),
        call);
  }

  @Override
  public List<StuckPartition> stuck(@Nullable String queue, StoreCall call) {
    return about(queue, STUCK, PostgresStreamMonitor::stuck, call);
  }

  private static StuckPartition stuck(ResultSet row) throws SQLException {
    Instant leasedAt = StreamRows.instant(row, "leased_at");
    Instant now = StreamRows.required(row, "at");
    return new StuckPartition(
        cursor(row),
        StuckPartition.Reason.valueOf(row.getString("reason").toUpperCase(Locale.ROOT)),
        leasedAt,
        StreamRows.instant(row, "ready_at"),
        leasedAt == null ? Duration.ZERO : Duration.between(leasedAt, now),
        row.getInt("attempt"),
        row.getString("error"));
  }

  @Override
  public List<Dropped> dropped(@Nullable String queue, int limit, StoreCall call) {
    return kernel.look(
        "dropped",
        call,
        watch -> {
          if (queue == null) {
            return statements.all(
                watch, ALL_DROPPED, b -> b.integer(limit), PostgresStreamMonitor::dropped);
          }
          Integer number = number(watch, queue);
          return number == null
              ? List.of()
              : statements.all(
                  watch,
                  DROPPED_OF,
                  binds -> binds.integer(number).integer(limit),
                  PostgresStreamMonitor::dropped);
        });
  }

  private static Dropped dropped(ResultSet row) throws SQLException {
    return new Dropped(
        row.getString("queue"),
        row.getString("partition"),
        Dropped.Reason.valueOf(row.getString("reason").toUpperCase(Locale.ROOT)),
        row.getLong("messages"),
        row.getLong("through_offset"),
        row.getLong("lost"),
        StreamRows.required(row, "at"));
  }

  @Override
  public Explanation explain(CursorKey cursor, StoreCall call) {
    return kernel.look("explain", call, watch -> explainer.explain(watch, cursor));
  }

  @Override
  public Optional<PartitionInfo> partition(UUID partitionId, StoreCall call) {
    Optional<StreamIds.PartitionKey> key = StreamIds.partition(partitionId);
    return key.isEmpty()
        ? Optional.empty()
        : kernel.look(
            "partition",
            call,
            watch ->
                Optional.ofNullable(
                    statements.first(
                        watch,
                        PARTITION,
                        binds ->
                            binds
                                .integer(key.get().queue().id())
                                .integer(key.get().queue().tag())
                                .number(key.get().partition()),
                        PostgresStreamMonitor::partition)));
  }

  @Override
  public List<PartitionInfo> partitions(
      String queue, @Nullable String name, @Nullable String after, int limit, StoreCall call) {
    return kernel.look(
        "partitions",
        call,
        watch ->
            statements.all(
                watch,
                PARTITIONS_OF,
                b -> b.text(queue).text(name).text(name).text(after).text(after).integer(limit),
                PostgresStreamMonitor::partition));
  }

  private static PartitionInfo partition(ResultSet row) throws SQLException {
    StreamInfo.Key queue = new StreamInfo.Key(row.getInt("queue_id"), row.getInt("tag"));
    return new PartitionInfo(
        row.getString("queue"),
        row.getString("name"),
        StreamIds.partition(queue, row.getLong("id")),
        new PartitionInfo.Offsets(row.getLong("log_start"), row.getLong("last_offset")),
        StreamRows.required(row, "created_at"),
        StreamRows.instant(row, "oldest_at"),
        StreamRows.instant(row, "last_at"));
  }

  @Override
  public List<QueueFigures> figures(@Nullable String queue, StoreCall call) {
    return kernel.look(
        "figures",
        call,
        watch ->
            statements.all(
                watch,
                FIGURES,
                binds -> binds.text(queue).text(queue),
                row ->
                    new QueueFigures(
                        row.getString("queue"),
                        row.getLong("partitions"),
                        row.getLong("pushed"),
                        row.getLong("pushed") - row.getLong("dropped"),
                        row.getLong("dead"))));
  }

  @Override
  public Tally tally(String queue, String group, StoreCall call) {
    return kernel.look(
        "tally",
        call,
        watch -> {
          StreamNames names =
              StreamNames.of(statements, watch, new StreamNames.Asked(queue, group, null));
          int number = names.needQueue().id();
          long sub = names.needGroup();
          return statements
              .all(
                  watch,
                  TALLY,
                  binds -> binds.number(sub).number(sub).number(sub).integer(number),
                  row ->
                      new Tally(
                          row.getLong("pushed"),
                          row.getLong("passed"),
                          row.getLong("expired"),
                          row.getLong("lost")))
              .get(0);
        });
  }
}
