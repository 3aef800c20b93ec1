package io.holdfast.postgres;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobStats;
import io.holdfast.job.Requeue;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators do, each in one statement. Safe for use by many threads. */
final class PostgresJobAdmin implements JobAdmin {
  /** A queue that is paused already stays as it was paused. */
  static final String PAUSE =
      """
      INSERT INTO {queues} AS q (queue, paused_at, paused_by, updated_at)
      SELECT ?, clock.now, ?, clock.now FROM (SELECT {now} AS now) AS clock
          ON CONFLICT (queue) DO UPDATE
         SET paused_at = excluded.paused_at, paused_by = excluded.paused_by, updated_at = excluded.updated_at
       WHERE q.paused_at IS NULL
      """
          .replace("{now}", JobSession.NOW);

  static final String RESUME =
      """
      UPDATE {queues} SET paused_at = NULL, paused_by = NULL, updated_at = {now}
       WHERE queue = ? AND paused_at IS NOT NULL
      """
          .replace("{now}", JobSession.NOW);

  static final String WORKERS =
      """
      SELECT worker_id, host, queues, types, slots, started_at, seen_at
        FROM {workers} ORDER BY worker_id COLLATE "C"
      """;

  private final JobKernel kernel;

  PostgresJobAdmin(JobKernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public Requeues requeue(List<String> ids, Requeue how, StoreCall call) {
    return kernel.change("requeue", call, session -> JobRevival.requeue(session, ids, how));
  }

  @Override
  public Revived requeueDead(
      DeadQuery query, boolean isResetting, Duration spread, StoreCall call) {
    return kernel.change(
        "requeue dead letters",
        call,
        session -> JobRevival.requeueDead(session, query, isResetting, spread));
  }

  @Override
  public Bulk purgeDead(DeadQuery query, StoreCall call) {
    return kernel.change(
        "purge dead letters", call, session -> JobRevival.purgeDead(session, query));
  }

  @Override
  public void pause(String queue, @Nullable String by, StoreCall call) {
    kernel.change(
        "pause",
        call,
        session -> session.update(PAUSE, binds -> binds.text(queue).text(by).now(kernel.time())));
  }

  @Override
  public void resume(String queue, StoreCall call) {
    kernel.change(
        "resume",
        call,
        session -> session.update(RESUME, binds -> binds.now(kernel.time()).text(queue)));
  }

  @Override
  public List<JobQueueInfo> queues(@Nullable String queue, StoreCall call) {
    return kernel.look(
        "queues",
        call,
        session ->
            queue == null ? JobQueueRows.all(session) : List.of(JobQueueRows.one(session, queue)));
  }

  @Override
  public JobStats stats(String queue, StoreCall call) {
    return kernel.look("stats", call, session -> JobCounts.of(session, queue));
  }

  @Override
  public List<WorkerInfo> workers(StoreCall call) {
    return kernel.look(
        "workers", call, session -> session.all(WORKERS, b -> {}, PostgresJobAdmin::worker));
  }

  private static WorkerInfo worker(ResultSet row) throws SQLException {
    return new WorkerInfo(
        row.getString("worker_id"),
        row.getString("host"),
        JobFacts.texts(row, "queues"),
        JobFacts.texts(row, "types"),
        row.getInt("slots"),
        StreamRows.required(row, "started_at"),
        StreamRows.required(row, "seen_at"));
  }
}
