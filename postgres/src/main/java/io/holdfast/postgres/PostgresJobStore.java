package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobStore;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;

/** The hot path of jobs: joins its parts. Safe for use by many threads. */
final class PostgresJobStore implements JobStore {
  /** Parameters: id, token. */
  static final String IS_ACKED =
      """
      SELECT coalesce(
        (SELECT j.status = 'done' AND j.outcome = 'succeeded' AND j.last_token = ?
           FROM {jobs} AS j WHERE j.id = ?), NOT EXISTS (SELECT FROM {jobs} AS j WHERE j.id = ?))
      """;

  private final JobKernel kernel;
  private final JobInsert insert;
  private final JobReserve reserve;
  private final JobSettles settles;
  private final JobBeats beats;
  private final JobCancels cancels;

  PostgresJobStore(JobKernel kernel, IntConsumer inserted) {
    this.kernel = kernel;
    this.insert = new JobInsert(kernel, inserted);
    this.reserve = new JobReserve(kernel);
    this.settles = new JobSettles(kernel, reserve);
    this.beats = new JobBeats(kernel);
    this.cancels = new JobCancels(kernel);
  }

  @Override
  public Stored enqueue(List<JobRow> rows, StoreCall call) {
    return rows.isEmpty() ? new Stored(List.of(), Effects.NONE) : insert.enqueue(rows, call);
  }

  @Override
  public Reserved reserve(ReserveRequest request, StoreCall call) {
    return reserve.reserve(request, call);
  }

  @Override
  public Answer settle(List<? extends Settlement> items, StoreCall call) {
    return items.isEmpty() ? new Answer(List.of(), Effects.NONE) : settles.settle(items, call);
  }

  @Override
  public Exchanged settleAndReserve(
      List<? extends Settlement> items, ReserveRequest request, StoreCall call) {
    return settles.settleAndReserve(items, request, call);
  }

  @Override
  public List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call) {
    return items.isEmpty() ? List.of() : beats.extend(items, leaseFor, call);
  }

  @Override
  public List<Beat> beat(Heartbeat heartbeat, StoreCall call) {
    return beats.beat(heartbeat, call);
  }

  @Override
  public Cancellations cancel(List<String> ids, StoreCall call) {
    return ids.isEmpty() ? new Cancellations(List.of(), Effects.NONE) : cancels.cancel(ids, call);
  }

  @Override
  public boolean isAcked(Held held, StoreCall call) {
    return kernel.look(
        "is acked",
        call,
        session ->
            Boolean.TRUE.equals(
                session.first(
                    IS_ACKED,
                    binds -> binds.text(held.token()).text(held.id()).text(held.id()),
                    row -> row.getBoolean(1))));
  }
}
