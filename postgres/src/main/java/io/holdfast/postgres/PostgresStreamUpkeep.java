package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.StreamUpkeep;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work, queue by queue and in short steps of one transaction each. A step about a queue
 * is done under a lock of that queue that is tried and never waited for: what another process does
 * is not done twice. Where a run goes on is remembered here and lost with the process, which costs
 * another look at most. Safe for use by many threads.
 */
final class PostgresStreamUpkeep implements StreamUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresStreamUpkeep.class);
  private static final int PARTITIONS_PER_RUN = 500;
  private static final int ROWS_PER_STEP = 1000;
  private static final int PARTITIONS_TO_AUDIT = 10_000;
  private static final int IDLE_STEPS_PER_RUN = 10;
  private static final Duration KEEP_TRACES = Duration.ofDays(30);
  private static final Duration KEEP_LOG = Duration.ofDays(90);

  private static final String RETAINING =
      """
      SELECT id, name FROM holdfast.stream_queue
       WHERE deleted_at IS NULL AND (max_wait_time_seconds > 0
             OR (retention_enabled AND (retention_seconds > 0 OR completed_retention_seconds > 0)))
       ORDER BY name
      """;

  /**
   * Partitions whose oldest message is old enough for something, by the index on that instant,
   * behind where the last run ended: some hold on to old messages, and must not hide the others.
   */
  private static final String OLDEST =
      """
      SELECT p.id, p.oldest_at FROM holdfast.stream_queue AS q
        JOIN holdfast.stream_partition AS p ON p.queue_id = q.id
       WHERE q.id = ? AND p.oldest_at IS NOT NULL
         AND (?::timestamptz IS NULL OR (p.oldest_at, p.id) > (?, ?))
         AND p.oldest_at <= coalesce(?::timestamptz, clock_timestamp()) - interval '1 second' * least(
               CASE WHEN q.retention_enabled THEN nullif(q.retention_seconds, 0) END,
               CASE WHEN q.retention_enabled THEN nullif(q.completed_retention_seconds, 0) END,
               nullif(q.max_wait_time_seconds, 0))
       ORDER BY p.oldest_at, p.id LIMIT ?
      """;

  private static final String RETAIN = "SELECT holdfast.stream_retain_v1(?, ?, ?, ?)";

  /** One group of each queue. */
  private static final String UNSEEDED =
      """
      SELECT DISTINCT ON (q.id) q.id, s.id FROM holdfast.stream_queue AS q
        JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND NOT s.seeded AND s.name IS NOT NULL
       WHERE q.deleted_at IS NULL ORDER BY q.id, s.id
      """;

  private static final String ALONE = "SELECT holdfast.stream_alone_v1(?)";

  private static final String LIVE =
      "SELECT id, name FROM holdfast.stream_queue WHERE deleted_at IS NULL ORDER BY id";

  private static final String FOLD = "SELECT holdfast.stream_fold_v1(?, ?)";

  private static final String DRIFT =
      "SELECT kind, sub_id, counted, actual FROM holdfast.stream_drift_v1(?, ?)";

  private static final String DELETED =
      "SELECT id, name FROM holdfast.stream_queue WHERE deleted_at IS NOT NULL ORDER BY id";

  private static final String PURGE_QUEUE = "SELECT holdfast.stream_purge_queue_v1(?, ?)";

  private static final String NAMELESS =
      """
      SELECT s.queue_id, s.id FROM holdfast.stream_subscription AS s
        JOIN holdfast.stream_queue AS q ON q.id = s.queue_id AND q.deleted_at IS NULL
       WHERE s.name IS NULL ORDER BY s.queue_id, s.id
      """;

  private static final String PURGE_IDLE =
      """
      SELECT removed, coalesce(last, 0) FROM holdfast.stream_purge_idle_v1(
             ?, coalesce(?::timestamptz, clock_timestamp()) - ? * interval '1 day', ?, ?)
      """;

  /** What somebody else is removing is left to him. */
  private static final String PURGE_TRACES =
      """
      WITH old AS MATERIALIZED (
        SELECT queue_id, id FROM holdfast.stream_trace
         WHERE created_at < coalesce(?::timestamptz, clock_timestamp()) - ? * interval '1 second'
         ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED),
      names AS (
        DELETE FROM holdfast.stream_trace_name AS n USING old
         WHERE n.queue_id = old.queue_id AND n.trace_id = old.id)
      DELETE FROM holdfast.stream_trace AS t USING old WHERE t.queue_id = old.queue_id AND t.id = old.id
      """;

  private static final String PURGE_LOG =
      """
      WITH old AS MATERIALIZED (
        SELECT queue_id, id FROM holdfast.stream_retention_log
         WHERE at < coalesce(?::timestamptz, clock_timestamp()) - ? * interval '1 second'
         ORDER BY at LIMIT ? FOR UPDATE SKIP LOCKED)
      DELETE FROM holdfast.stream_retention_log AS r USING old WHERE r.queue_id = old.queue_id AND r.id = old.id
      """;

  private final StreamKernel kernel;
  private final StreamStatements statements;
  private final PostgresStreamGroups groups;
  private final Map<Integer, Lane> retained = new ConcurrentHashMap<>();
  private final Map<Integer, Long> lookedAt = new ConcurrentHashMap<>();
  private final AtomicInteger audited = new AtomicInteger();

  PostgresStreamUpkeep(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
    this.groups = new PostgresStreamGroups(kernel);
  }

  private record Queue(int id, String name) {}

  private List<Queue> queues(String sql, StoreCall call) {
    return kernel.look(
        "upkeep",
        call,
        watch ->
            statements.all(
                watch, sql, binds -> {}, row -> new Queue(row.getInt(1), row.getString(2))));
  }

  private int step(String operation, String sql, StreamStatements.Bound bound, StoreCall call) {
    return kernel.change(operation, call, watch -> statements.number(watch, sql, bound));
  }

  /** A partition in the order of retention. */
  private record Lane(long id, Instant oldestAt) {}

  @Override
  public int retain(StoreCall call) {
    int dropped = 0;
    for (Queue queue : queues(RETAINING, call)) {
      List<Lane> lanes = oldest(queue.id(), retained.get(queue.id()), call);
      for (Lane lane : lanes) {
        dropped +=
            step(
                "retain",
                RETAIN,
                binds ->
                    binds
                        .now(kernel.time())
                        .integer(queue.id())
                        .number(lane.id())
                        .integer(ROWS_PER_STEP),
                call);
      }
      if (lanes.size() < PARTITIONS_PER_RUN) {
        retained.remove(queue.id());
      } else {
        retained.put(queue.id(), lanes.get(lanes.size() - 1));
      }
    }
    return dropped;
  }

  private List<Lane> oldest(int queue, @Nullable Lane after, StoreCall call) {
    Instant at = after == null ? null : after.oldestAt();
    long id = after == null ? 0 : after.id();
    return kernel.look(
        "retain",
        call,
        watch ->
            statements.all(
                watch,
                OLDEST,
                binds ->
                    binds
                        .integer(queue)
                        .at(at)
                        .at(at)
                        .number(id)
                        .now(kernel.time())
                        .integer(PARTITIONS_PER_RUN),
                row -> new Lane(row.getLong("id"), StreamRows.required(row, "oldest_at"))));
  }

  /** A group, by the numbers of its queue and of itself. */
  private record Group(int queue, long id) {}

  private List<Group> groups(String sql, StoreCall call) {
    return kernel.look(
        "upkeep",
        call,
        watch ->
            statements.all(
                watch, sql, binds -> {}, row -> new Group(row.getInt(1), row.getLong(2))));
  }

  @Override
  public int seed(StoreCall call) {
    int made = 0;
    for (Group group : groups(UNSEEDED, call)) {
      made += kernel.transaction("seed", call, watch -> seed(watch, group));
    }
    return made;
  }

  private int seed(Watch watch, Group group) throws SQLException {
    Boolean isAlone =
        statements.first(
            watch, ALONE, binds -> binds.integer(group.queue()), row -> row.getBoolean(1));
    return isAlone != null && isAlone
        ? StreamSeeding.step(statements, watch, group.queue(), group.id(), 0)
        : 0;
  }

  /**
   * Adds up all queues, and audits one of them, the next in turn: if it has at most 10 000
   * partitions its sums are counted anew, and what differs is logged. Nothing is corrected.
   */
  @Override
  public int count(StoreCall call) {
    List<Queue> queues = queues(LIVE, call);
    int folded = 0;
    for (Queue queue : queues) {
      folded +=
          step("count", FOLD, binds -> binds.integer(queue.id()).integer(ROWS_PER_STEP), call);
    }
    if (!queues.isEmpty()) {
      audit(queues.get(Math.floorMod(audited.getAndIncrement(), queues.size())), call);
    }
    return folded;
  }

  /** Answers how many counters are not what they count. */
  private int audit(Queue queue, StoreCall call) {
    List<String> drift =
        kernel.look(
            "audit",
            call,
            watch ->
                statements.all(
                    watch,
                    DRIFT,
                    binds -> binds.integer(queue.id()).integer(PARTITIONS_TO_AUDIT),
                    row ->
                        "%s of group %d is %d and should be %d"
                            .formatted(
                                row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4))));
    if (!drift.isEmpty()) {
      LOG.warn("counters of queue '{}' have drifted: {}", queue.name(), drift);
    }
    return drift.size();
  }

  @Override
  public int purge(int partitionIdleDays, StoreCall call) {
    int removed = 0;
    for (Queue queue : queues(DELETED, call)) {
      removed +=
          step(
              "purge",
              PURGE_QUEUE,
              binds -> binds.integer(queue.id()).integer(ROWS_PER_STEP),
              call);
    }
    removed += purgeGroups(call);
    for (Queue queue : queues(LIVE, call)) {
      removed += purgeIdle(queue.id(), partitionIdleDays, call);
    }
    return removed
        + purgeOld(PURGE_TRACES, KEEP_TRACES, call)
        + purgeOld(PURGE_LOG, KEEP_LOG, call);
  }

  private int purgeGroups(StoreCall call) {
    int removed = 0;
    for (Group group : groups(NAMELESS, call)) {
      removed += groups.purge(group.queue(), group.id(), call) + 1;
    }
    return removed;
  }

  /** What a step removed, and the partition it ended with; 0 at the end. */
  private record Idle(int removed, long last) {}

  private int purgeIdle(int queue, int days, StoreCall call) {
    int removed = 0;
    long last = lookedAt.getOrDefault(queue, 0L);
    for (int steps = 0; steps < IDLE_STEPS_PER_RUN; steps++) {
      Idle idle = purgeIdle(queue, days, last, call);
      removed += idle.removed();
      last = idle.last();
      if (last == 0) {
        lookedAt.remove(queue);
        return removed;
      }
    }
    lookedAt.put(queue, last);
    return removed;
  }

  private Idle purgeIdle(int queue, int days, long after, StoreCall call) {
    Idle idle =
        kernel.change(
            "purge",
            call,
            watch ->
                statements.first(
                    watch,
                    PURGE_IDLE,
                    binds ->
                        binds
                            .integer(queue)
                            .now(kernel.time())
                            .integer(days)
                            .number(after)
                            .integer(ROWS_PER_STEP),
                    row -> new Idle(row.getInt(1), row.getLong(2))));
    return idle == null ? new Idle(0, 0) : idle;
  }

  private int purgeOld(String sql, Duration keep, StoreCall call) {
    return kernel.change(
        "purge",
        call,
        watch ->
            statements.update(
                watch,
                sql,
                binds -> binds.now(kernel.time()).number(keep.toSeconds()).integer(ROWS_PER_STEP)));
  }
}
