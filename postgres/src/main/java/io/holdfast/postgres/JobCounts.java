package io.holdfast.postgres;

import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How much is in a queue: each state is counted along its index, as far as {@link JobStats#CAP}.
 */
final class JobCounts {
  static final String STATS =
      """
      WITH clock AS MATERIALIZED (SELECT {now} AS now, ?::text AS queue)
      SELECT (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'ready' AND j.run_at IS NULL
               ORDER BY COALESCE(j.rank_at, j.created_at), j.id LIMIT {most}) AS n) AS immediate,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'ready' AND j.run_at IS NOT NULL
                 AND j.run_at <= (SELECT now FROM clock)
               ORDER BY j.run_at, j.id LIMIT {most}) AS n) AS due,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'ready' AND j.run_at IS NOT NULL
                 AND j.run_at > (SELECT now FROM clock) AND j.run_at < {gate}
               ORDER BY j.run_at, j.id LIMIT {most}) AS n) AS scheduled,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.gate_at IS NOT NULL
               ORDER BY j.limit_key, j.gate_at, j.id LIMIT {most}) AS n) AS gated,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'inflight'
               ORDER BY j.lease_expires_at, j.id LIMIT {most}) AS n) AS inflight,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'done'
               ORDER BY j.finished_at, j.id LIMIT {most}) AS n) AS done,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'dlq'
               ORDER BY j.dlq_failed_at, j.id LIMIT {most}) AS n) AS dlq,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'done' AND j.outcome IS DISTINCT FROM 'cancelled'
                 AND j.finished_at > (SELECT now FROM clock) - interval '60 s'
               ORDER BY j.finished_at, j.id LIMIT {most}) AS n) AS finished,
             (SELECT count(*) FROM (SELECT FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'dlq'
                 AND j.dlq_failed_at > (SELECT now FROM clock) - interval '60 s'
               ORDER BY j.dlq_failed_at, j.id LIMIT {most}) AS n) AS died,
             (SELECT COALESCE(j.rank_at, j.created_at) FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'ready' AND j.run_at IS NULL
               ORDER BY COALESCE(j.rank_at, j.created_at), j.id LIMIT 1) AS oldest_immediate,
             (SELECT greatest(j.run_at, j.created_at) FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'ready' AND j.run_at IS NOT NULL
                 AND j.run_at <= (SELECT now FROM clock)
               ORDER BY j.run_at, j.id LIMIT 1) AS oldest_due,
             (SELECT j.dlq_failed_at FROM {jobs} AS j
               WHERE {in_queue} AND j.status = 'dlq'
               ORDER BY j.dlq_failed_at, j.id LIMIT 1) AS oldest_dead
      """
          .replace("{in_queue}", "j.queue = (SELECT queue FROM clock)")
          .replace("{most}", Integer.toString(JobStats.CAP + 1))
          .replace("{gate}", JobRows.SENTINEL_SQL)
          .replace("{now}", JobSession.NOW);

  private JobCounts() {}

  static JobStats of(JobSession session, String queue) throws SQLException {
    return session
        .all(STATS, binds -> binds.now(session.time()).text(queue), row -> stats(row, queue))
        .get(0);
  }

  private static JobStats stats(ResultSet row, String queue) throws SQLException {
    Map<JobState, JobStats.Count> counts = new EnumMap<>(JobState.class);
    counts.put(JobState.READY, JobStats.Count.of(row.getInt("immediate") + row.getInt("due")));
    counts.put(JobState.SCHEDULED, count(row, "scheduled"));
    counts.put(JobState.GATED, count(row, "gated"));
    counts.put(JobState.INFLIGHT, count(row, "inflight"));
    counts.put(JobState.DONE, count(row, "done"));
    counts.put(JobState.DLQ, count(row, "dlq"));
    return new JobStats(
        queue,
        counts,
        earlier(StreamRows.instant(row, "oldest_immediate"), StreamRows.instant(row, "oldest_due")),
        StreamRows.instant(row, "oldest_dead"),
        count(row, "finished"),
        count(row, "died"));
  }

  private static JobStats.Count count(ResultSet row, String column) throws SQLException {
    return JobStats.Count.of(row.getInt(column));
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return Stream.of(one, other).filter(Objects::nonNull).min(Instant::compareTo).orElse(null);
  }
}
