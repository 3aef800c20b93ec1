package io.holdfast.postgres;

import io.holdfast.job.JobParts;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a job stands where it stands, read in one statement. */
final class JobFacts {
  /**
   * A job that is eligible has an instant since when it is; that of others is null, and nobody is
   * ahead of them. Priority moves that instant by a hundred minutes at most, which bounds the walk
   * along due and expired jobs; no more than 10,000 of either are looked at.
   */
  static final String FACTS =
      """
      WITH clock AS MATERIALIZED (SELECT {now} AS now),
      job AS MATERIALIZED (
        SELECT {columns},
               CASE WHEN j.status = 'ready' AND j.run_at IS NULL
                      THEN coalesce(j.rank_at, j.created_at)
                    WHEN j.status = 'ready' AND j.run_at <= clock.now
                      THEN greatest(j.run_at, j.created_at) - j.priority * interval '60 s'
                    WHEN j.status = 'inflight' AND j.lease_expires_at <= clock.now
                      THEN j.lease_expires_at - j.priority * interval '60 s' END AS since
          FROM {jobs} AS j, clock
         WHERE j.id = ?)
      SELECT j.*, clock.now,
             (SELECT q.paused_at FROM {queues} AS q WHERE q.queue = j.queue) AS paused_at,
             (SELECT l.max_running FROM {limits} AS l
               WHERE l.queue = j.queue AND j.limit_key IS NOT NULL AND l.limit_key IN (j.limit_key, '*')
               ORDER BY l.limit_key = j.limit_key DESC LIMIT 1) AS key_limit,
             ARRAY(SELECT h.id FROM {jobs} AS h
                    WHERE h.queue = j.queue AND h.limit_key = j.limit_key AND h.gate_at IS NULL
                      AND h.status IN ('ready', 'inflight')
                    ORDER BY h.id LIMIT 20) AS key_holders,
             EXISTS (SELECT FROM {workers} AS w
                      WHERE w.seen_at > clock.now - interval '60 s' AND j.queue = ANY (w.queues)) AS has_worker,
             EXISTS (SELECT FROM {workers} AS w
                      WHERE w.seen_at > clock.now - interval '60 s' AND j.queue = ANY (w.queues)
                        AND j.type = ANY (w.types)) AS knows_type,
             (SELECT count(*) FROM (
                (SELECT FROM {jobs} AS a
                  WHERE a.queue = j.queue AND a.status = 'ready' AND a.run_at IS NULL
                    AND (COALESCE(a.rank_at, a.created_at), a.id) < (j.since, j.id)
                  LIMIT 1000)
                UNION ALL
                (SELECT FROM (
                   SELECT b.id, greatest(b.run_at, b.created_at) - b.priority * interval '60 s' AS since
                     FROM {jobs} AS b
                    WHERE b.queue = j.queue AND b.status = 'ready' AND b.run_at IS NOT NULL
                      AND b.run_at <= least(clock.now, j.since + interval '100 min')
                    ORDER BY b.run_at, b.id LIMIT 10000) AS b
                  WHERE (b.since, b.id) < (j.since, j.id)
                  LIMIT 1000)
                UNION ALL
                (SELECT FROM (
                   SELECT c.id, c.lease_expires_at - c.priority * interval '60 s' AS since
                     FROM {jobs} AS c
                    WHERE c.queue = j.queue AND c.status = 'inflight'
                      AND c.lease_expires_at <= least(clock.now, j.since + interval '100 min')
                    ORDER BY c.lease_expires_at, c.id LIMIT 10000) AS c
                  WHERE (c.since, c.id) < (j.since, j.id)
                  LIMIT 1000)
                LIMIT 1000) AS ahead
               WHERE j.since IS NOT NULL) AS ahead
        FROM job AS j, clock
      """
          .replace("{columns}", JobRows.COLUMNS_WITHOUT_PAYLOAD)
          .replace("{now}", JobSession.NOW);

  private JobFacts() {}

  static JobParts.@Nullable Facts of(JobSession session, String id) throws SQLException {
    return session.first(FACTS, binds -> binds.now(session.time()).text(id), JobFacts::facts);
  }

  private static JobParts.Facts facts(ResultSet row) throws SQLException {
    Instant now = StreamRows.required(row, "now");
    int limit = row.getInt("key_limit");
    Integer keyLimit = row.wasNull() ? null : limit;
    return new JobParts.Facts(
        JobRows.job(row, now),
        StreamRows.instant(row, "paused_at"),
        keyLimit,
        texts(row, "key_holders"),
        row.getBoolean("has_worker"),
        row.getBoolean("knows_type"),
        row.getInt("ahead"),
        now);
  }

  static List<String> texts(ResultSet row, String column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }
}
