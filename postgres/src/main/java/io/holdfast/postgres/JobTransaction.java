package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobStore;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import java.sql.Connection;
import java.util.List;

/** Transitions of jobs inside a caller's open transaction. Used by one thread. */
final class JobTransaction {
  /**
   * Locks the row, so that nobody takes the job over, and only then looks at the clock, because
   * locking may have to wait. Parameters: id; now.
   */
  static final String GUARD =
      """
      WITH held AS MATERIALIZED (
        SELECT j.status, j.lease_token, j.lease_expires_at
          FROM {jobs} AS j WHERE j.id = ? FOR NO KEY UPDATE)
      SELECT h.status, h.lease_token, h.lease_expires_at > {now} FROM held AS h
      """
          .replace("{now}", JobSession.NOW);

  private final JobKernel kernel;
  private final JobStore store;
  private final StoreCall call = StoreCall.plain();

  JobTransaction(JobKernel own, Statements statements, Connection connection) {
    this.kernel =
        own.inside(
            StoreCaller.inside(
                connection,
                statements,
                () ->
                    JobException.invalid("connection is invalid; open a transaction on it first")));
    this.store = new PostgresJobStore(kernel, inserted -> {});
  }

  JobStore.Stored enqueue(List<JobRow> rows) {
    return store.enqueue(rows, call);
  }

  JobStore.Cancellations cancel(List<String> ids) {
    return store.cancel(ids, call);
  }

  /** Settles, or fails: the caller's transaction must not commit what a stale run has done. */
  Effects settle(Settlement item) {
    JobStore.Answer answer = store.settle(List.of(item), call);
    Settled settled = answer.settled().get(0);
    JobError error = settled.error();
    if (error != null) {
      throw refusal(item.held().id(), error);
    }
    return answer.effects();
  }

  /** What the row says about a run. */
  private record Standing(String status, String token, boolean isValid) {}

  void guard(Held held) {
    Standing row =
        kernel.look(
            "guard",
            call,
            session ->
                session.first(
                    GUARD,
                    binds -> binds.text(held.id()).now(kernel.time()),
                    r ->
                        new Standing(
                            r.getString(1), String.valueOf(r.getString(2)), r.getBoolean(3))));
    if (row == null || !row.status().equals("inflight")) {
      throw refusal(held.id(), JobError.JOB_NOT_INFLIGHT);
    }
    if (!row.isValid()) {
      throw refusal(held.id(), JobError.LEASE_EXPIRED);
    }
    if (!row.token().equals(held.token())) {
      throw refusal(held.id(), JobError.LEASE_MISMATCH);
    }
  }

  private static JobException refusal(String id, JobError error) {
    return JobException.about(
        id, error, "job '" + id + "' is not this run's any more: " + error.text());
  }
}
