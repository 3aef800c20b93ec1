package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs are stored, leased and settled. Arguments have been checked. Every call is one atomic
 * transition and reads the database's clock; a failure changed nothing unless its outcome is
 * unknown. Safe for use by many threads.
 */
public interface JobStore {
  /** What an enqueue did; answers in the order of the rows. */
  record Stored(List<Enqueued> jobs, Effects effects) {}

  /** What settling did; answers in the order of the items. */
  record Answer(List<Settled> settled, Effects effects) {}

  /** What settling did, and what came next. */
  record Exchanged(Answer answer, Reserved reserved) {}

  /** What cancelling did; answers in the order of the ids. */
  record Cancellations(List<Cancelled> cancelled, Effects effects) {}

  /**
   * Who is alive, and what he still holds.
   *
   * @param worker refreshes or makes the row of this worker; null: leaves it alone
   */
  record Heartbeat(@Nullable WorkerInfo worker, List<Held> held, Duration leaseFor) {}

  /**
   * What became of one lease in a heartbeat.
   *
   * @param isBusy whether somebody else works on the row right now: neither renewed nor lost
   */
  record Beat(Extended extended, boolean isBusy) {}

  /** {@code nothing → ready, scheduled or gated}: all rows or none; no key occurs twice in them. */
  Stored enqueue(List<JobRow> rows, StoreCall call);

  /** {@code ready or expired → inflight}. Never waits for anybody. */
  Reserved reserve(ReserveRequest request, StoreCall call);

  /** Settles each item for itself; no id occurs twice in them. */
  Answer settle(List<? extends Settlement> items, StoreCall call);

  /** Settles and reserves in one transition. */
  Exchanged settleAndReserve(
      List<? extends Settlement> items, ReserveRequest request, StoreCall call);

  /** More, or less, time for each item; waits for who works on a row. */
  List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call);

  /** Renews leases without waiting for anybody. */
  List<Beat> beat(Heartbeat heartbeat, StoreCall call);

  /** {@code waiting → cancelled}, or asks a run to end. */
  Cancellations cancel(List<String> ids, StoreCall call);

  /** Whether this run ended in success, by {@code ack}; also when that deleted the job. */
  boolean isAcked(Held held, StoreCall call);
}
