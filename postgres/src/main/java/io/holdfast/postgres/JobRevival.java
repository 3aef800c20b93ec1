package io.holdfast.postgres;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Effects;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobError;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code dlq, cancelled or scheduled → ready, scheduled or gated}. Rows are locked first, in the
 * order of their ids; the clock is read once they are.
 */
final class JobRevival {
  /**
   * What becomes of a row that was dead or cancelled; {@code due} is null or lies ahead. It has no
   * lease any more, but the version that the statement sees may have one, and the server compares
   * that with the checks before it notices a newer one.
   */
  private static final String REVIVED =
      """
      status = 'ready',
             run_at = CASE WHEN j.limit_key IS NULL THEN r.due ELSE {gate} END,
             gate_at = CASE WHEN j.limit_key IS NOT NULL THEN coalesce(r.due, r.now) END,
             rank_at = r.now - j.priority * interval '60 s',
             attempts = CASE WHEN r.resets THEN 0 ELSE j.attempts END,
             last_error = CASE WHEN r.resets THEN '' ELSE j.last_error END,
             failed_at = CASE WHEN NOT r.resets THEN j.failed_at END,
             excused = j.deliveries - CASE WHEN r.resets THEN 0 ELSE j.attempts END,
             outcome = NULL, last_token = NULL, finished_at = NULL,
             lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL,
             dlq_reason = NULL, dlq_failed_at = NULL, output = NULL, cancel_requested = false
      """
          .strip();

  /** What others have to know. */
  private static final String EFFECTS =
      """
      j.queue, CASE WHEN j.gate_at IS NOT NULL THEN j.limit_key END AS gated,
                j.gate_at IS NULL AND (j.run_at IS NULL OR j.run_at <= r.now + interval '1 s') AS runnable
      """
          .strip();

  /** Judges by what the lock found, which may be newer than what the statement sees. */
  static final String REQUEUE =
      """
      WITH asked AS MATERIALIZED (
        SELECT a.id, a.number FROM unnest(?::text[]) WITH ORDINALITY AS a (id, number)),
      found AS MATERIALIZED (
        SELECT j.id, j.queue, j.status, j.outcome, j.run_at, j.gate_at
          FROM {jobs} AS j
         WHERE j.id = ANY (ARRAY(SELECT a.id FROM asked AS a))
         ORDER BY j.id
           FOR NO KEY UPDATE),
      clock AS MATERIALIZED (
        SELECT {now} AS now FROM (SELECT count(*) FROM found) AS all_locked),
      judged AS MATERIALIZED (
        SELECT f.id, clock.now,
               CASE WHEN given.run_at > clock.now THEN given.run_at END AS due, given.resets,
               f.queue IS DISTINCT FROM coalesce(given.queue, f.queue) AS is_elsewhere,
               f.status = 'dlq' OR (f.status = 'done' AND f.outcome IS NOT DISTINCT FROM 'cancelled') AS is_ended,
               f.status = 'ready' AND f.gate_at IS NULL AND f.run_at IS NOT NULL
                 AND f.run_at > clock.now AS is_scheduled
          FROM found AS f, clock, (SELECT ?::text, ?::timestamptz, ?::boolean) AS given (queue, run_at, resets)),
      revived AS (
        UPDATE {jobs} AS j
           SET {revived}
          FROM judged AS r
         WHERE j.id = r.id AND r.is_ended AND NOT r.is_elsewhere
        RETURNING j.id, {effects}),
      hastened AS (
        UPDATE {jobs} AS j
           SET run_at = r.due,
               rank_at = CASE WHEN r.due IS NULL THEN r.now - j.priority * interval '60 s' ELSE j.rank_at END
          FROM judged AS r
         WHERE j.id = r.id AND r.is_scheduled AND NOT r.is_elsewhere
        RETURNING j.id, {effects})
      SELECT a.id, r.id IS NOT NULL AS is_found, r.is_elsewhere, c.id IS NOT NULL AS is_requeued,
             c.queue, c.gated, c.runnable
        FROM asked AS a
        LEFT JOIN judged AS r ON r.id = a.id
        LEFT JOIN (SELECT id, queue, gated, runnable FROM revived
                   UNION ALL
                   SELECT id, queue, gated, runnable FROM hastened) AS c ON c.id = a.id
       ORDER BY a.number
      """
          .replace("{revived}", REVIVED)
          .replace("{effects}", EFFECTS)
          .replace("{gate}", JobRows.SENTINEL_SQL)
          .replace("{now}", JobSession.NOW);

  /** One row more than wanted is locked, to know whether there is one. */
  private static final String PICKED =
      """
      picked AS MATERIALIZED (
        SELECT j.id, j.dlq_failed_at
          FROM {jobs} AS j
         WHERE j.queue = ? AND j.status = 'dlq'
           AND j.type = coalesce(?::text, j.type)
           AND (?::text IS NULL OR starts_with(j.dlq_reason, ?::text))
           AND j.dlq_failed_at < coalesce(?::timestamptz, 'infinity')
           AND j.dlq_failed_at >= coalesce(?::timestamptz, '-infinity')
         ORDER BY j.dlq_failed_at, j.id
         LIMIT ? + 1
           FOR UPDATE SKIP LOCKED),
      chosen AS MATERIALIZED (
        SELECT p.id, row_number() OVER (ORDER BY p.dlq_failed_at, p.id) - 1 AS number
          FROM (SELECT id, dlq_failed_at FROM picked ORDER BY dlq_failed_at, id LIMIT ?) AS p)
      """
          .strip();

  static final String REQUEUE_DEAD =
      """
      WITH {picked},
      clock AS MATERIALIZED (
        SELECT {now} AS now, all_locked.count FROM (SELECT count(*) FROM chosen) AS all_locked),
      judged AS MATERIALIZED (
        SELECT c.id, clock.now, given.resets,
               CASE WHEN given.spread * c.number > 0
                    THEN clock.now + given.spread * c.number / clock.count * interval '1 us' END AS due
          FROM chosen AS c, clock, (SELECT ?::boolean, ?::bigint) AS given (resets, spread)),
      revived AS (
        UPDATE {jobs} AS j
           SET {revived}
          FROM judged AS r
         WHERE j.id = r.id AND j.id = ANY (ARRAY(SELECT id FROM chosen))
        RETURNING {effects})
      SELECT queue, gated, runnable, count(*), (SELECT count(*) FROM picked) AS picked
        FROM revived GROUP BY queue, gated, runnable
      """
          .replace("{picked}", PICKED)
          .replace("{revived}", REVIVED)
          .replace("{effects}", EFFECTS)
          .replace("{gate}", JobRows.SENTINEL_SQL)
          .replace("{now}", JobSession.NOW);

  static final String PURGE_DEAD =
      """
      WITH {picked},
      purged AS (
        DELETE FROM {jobs} WHERE id = ANY (ARRAY(SELECT id FROM chosen)) RETURNING id)
      SELECT (SELECT count(*) FROM purged) AS count, (SELECT count(*) FROM picked) AS picked
      """
          .replace("{picked}", PICKED);

  private JobRevival() {}

  static JobAdmin.Requeues requeue(JobSession session, List<String> ids, Requeue how)
      throws SQLException {
    Gathered gathered = new Gathered();
    List<Requeued> requeued =
        session.all(
            REQUEUE,
            binds ->
                binds
                    .texts(ids)
                    .now(session.time())
                    .text(how.queue())
                    .at(cut(how.runAt()))
                    .flag(how.isResetting()),
            row -> {
              JobError error = error(row);
              if (error == null) {
                gathered.add(row);
              }
              return new Requeued(row.getString("id"), error);
            });
    return new JobAdmin.Requeues(requeued, gathered.effects());
  }

  private static @Nullable JobError error(ResultSet row) throws SQLException {
    if (!row.getBoolean("is_found")) {
      return JobError.JOB_NOT_FOUND;
    }
    if (row.getBoolean("is_elsewhere")) {
      return JobError.QUEUE_MISMATCH;
    }
    return row.getBoolean("is_requeued") ? null : JobError.JOB_NOT_REQUEUEABLE;
  }

  static JobAdmin.Revived requeueDead(
      JobSession session, DeadQuery query, boolean isResetting, Duration spread)
      throws SQLException {
    Gathered gathered = new Gathered();
    List<Bulk> parts =
        session.all(
            REQUEUE_DEAD,
            binds ->
                choose(binds, query)
                    .now(session.time())
                    .flag(isResetting)
                    .number(spread.toNanos() / 1_000),
            row -> {
              gathered.add(row);
              return new Bulk(row.getInt("count"), row.getInt("picked") > query.limit());
            });
    int count = parts.stream().mapToInt(Bulk::count).sum();
    boolean more = parts.stream().anyMatch(Bulk::more);
    return new JobAdmin.Revived(new Bulk(count, more), gathered.effects());
  }

  static Bulk purgeDead(JobSession session, DeadQuery query) throws SQLException {
    Bulk purged =
        session.first(
            PURGE_DEAD,
            binds -> choose(binds, query),
            row -> new Bulk(row.getInt("count"), row.getInt("picked") > query.limit()));
    return purged == null ? new Bulk(0, false) : purged;
  }

  private static Binds choose(Binds binds, DeadQuery query) throws SQLException {
    return binds
        .text(query.queue())
        .text(query.type())
        .text(query.reasonPrefix())
        .text(query.reasonPrefix())
        .at(cut(query.failedBefore()))
        .at(cut(query.failedAfter()))
        .integer(query.limit())
        .integer(query.limit());
  }

  /** The driver would round it. */
  private static @Nullable Instant cut(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.MICROS);
  }

  /** Effects of several rows. */
  private static final class Gathered {
    private final Set<QueueKey> keys = new HashSet<>();
    private final Set<String> runnable = new HashSet<>();

    void add(ResultSet row) throws SQLException {
      String queue = row.getString("queue");
      String gated = row.getString("gated");
      if (gated != null) {
        keys.add(new QueueKey(queue, gated));
      }
      if (row.getBoolean("runnable")) {
        runnable.add(queue);
      }
    }

    Effects effects() {
      return new Effects(keys, runnable);
    }
  }
}
