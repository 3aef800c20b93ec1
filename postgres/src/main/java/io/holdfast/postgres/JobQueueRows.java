package io.holdfast.postgres;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How queues are set up. */
final class JobQueueRows {
  /** The queues that have jobs: from each the index leads to the next, whatever lies between. */
  static final String WITH_JOBS =
      """
      with_jobs (queue) AS (
        (SELECT j.queue FROM {jobs} AS j ORDER BY j.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT j.queue FROM {jobs} AS j WHERE j.queue > w.queue ORDER BY j.queue LIMIT 1)
          FROM with_jobs AS w
         WHERE w.queue IS NOT NULL)
      """
          .strip();

  private static final String INFO =
      """
      SELECT n.queue, q.paused_at, q.queue IS NOT NULL AS is_configured, q.done_keep_ms, q.dlq_keep_ms,
             q.delivery_limit, q.default_limit_key,
             ARRAY(SELECT l.limit_key FROM {limits} AS l WHERE l.queue = n.queue
                    ORDER BY l.limit_key COLLATE "C") AS keys,
             ARRAY(SELECT l.max_running FROM {limits} AS l WHERE l.queue = n.queue
                    ORDER BY l.limit_key COLLATE "C") AS maxima
        FROM names AS n LEFT JOIN {queues} AS q ON q.queue = n.queue
      """;

  static final String ONE = "WITH names (queue) AS (SELECT ?::text)\n" + INFO;

  static final String ALL =
      """
      WITH RECURSIVE {with_jobs},
      names AS (
        SELECT w.queue FROM with_jobs AS w WHERE w.queue IS NOT NULL
        UNION
        SELECT q.queue FROM {queues} AS q)
      {info} ORDER BY n.queue COLLATE "C"
      """
          .replace("{with_jobs}", WITH_JOBS)
          .replace("{info}", INFO.strip());

  private JobQueueRows() {}

  /** Every queue that is set up or has jobs, by name. */
  static List<JobQueueInfo> all(JobSession session) throws SQLException {
    return session.all(ALL, binds -> {}, JobQueueRows::info);
  }

  /** One queue, whether anything is known of it or not. */
  static JobQueueInfo one(JobSession session, String queue) throws SQLException {
    return session.all(ONE, binds -> binds.text(queue), JobQueueRows::info).get(0);
  }

  private static JobQueueInfo info(ResultSet row) throws SQLException {
    return new JobQueueInfo(
        row.getString("queue"),
        StreamRows.instant(row, "paused_at"),
        row.getBoolean("is_configured") ? settings(row) : JobQueueSettings.DEFAULTS,
        limits(row));
  }

  private static JobQueueSettings settings(ResultSet row) throws SQLException {
    return new JobQueueSettings(
        Duration.ofMillis(row.getLong("done_keep_ms")),
        millis(row, "dlq_keep_ms"),
        row.getInt("delivery_limit"),
        row.getString("default_limit_key"));
  }

  private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(value);
  }

  private static List<JobQueueConfig.KeyLimit> limits(ResultSet row) throws SQLException {
    String[] keys = (String[]) row.getArray("keys").getArray();
    Integer[] maxima = (Integer[]) row.getArray("maxima").getArray();
    List<JobQueueConfig.KeyLimit> limits = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      limits.add(new JobQueueConfig.KeyLimit(keys[i], maxima[i]));
    }
    return limits;
  }
}
