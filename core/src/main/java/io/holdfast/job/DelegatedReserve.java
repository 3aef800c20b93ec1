package io.holdfast.job;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reserve whose wait a {@link PatientJobStore} does. It is asked again while time is left; what
 * it leased for somebody who had called it off is given back, and closing waits for that. Safe for
 * use by many threads.
 */
final class DelegatedReserve implements JobEngine.Listener {
  private final JobEngine jobs;
  private final PatientJobStore store;
  private final ReserveRequest request;
  private final long sinceNanos;
  private final long untilNanos;
  private final CompletableFuture<Reserved> future = new CompletableFuture<>();
  private volatile PatientJobStore.@Nullable Parked parked;

  private DelegatedReserve(
      JobEngine jobs, PatientJobStore store, ReserveRequest request, Duration wait) {
    this.jobs = jobs;
    this.store = store;
    this.request = request;
    this.sinceNanos = jobs.time.nanos();
    this.untilNanos = Time.after(sinceNanos, wait.toMillis());
  }

  /** Asks; cancelling the answer ends the waiting. */
  static CompletableFuture<Reserved> begin(
      JobEngine jobs, PatientJobStore store, ReserveRequest request, Duration wait) {
    DelegatedReserve waiting = new DelegatedReserve(jobs, store, request, wait);
    jobs.add(waiting);
    waiting.future.whenComplete((answer, failure) -> waiting.end());
    if (jobs.engine.isClosed()) {
      waiting.closing(); // it came too late to be told
    } else {
      waiting.ask();
    }
    return waiting.future;
  }

  private void end() {
    jobs.remove(this);
    PatientJobStore.Parked last = parked;
    if (last != null) {
      last.leave();
    }
  }

  private void ask() {
    long askedNanos = jobs.time.nanos();
    Duration left = Duration.ofNanos(Math.max(0, untilNanos - askedNanos));
    PatientJobStore.Parked asked = store.park(request, left);
    parked = asked;
    if (future.isDone()) {
      asked.leave();
    }
    jobs.engine.underWay(
        asked
            .answer()
            .whenComplete(
                (reserved, failure) -> {
                  if (reserved == null) {
                    future.completeExceptionally(JobEngine.asJobException(failure));
                  } else {
                    heard(reserved.after(Duration.ofNanos(askedNanos - sinceNanos)));
                  }
                }));
  }

  private void heard(Reserved reserved) {
    boolean isOver = untilNanos - jobs.time.nanos() <= 0;
    if (reserved.jobs().isEmpty() && !isOver && !future.isDone()) {
      ask();
    } else if (!future.complete(reserved)) {
      jobs.giveBack(reserved);
    }
  }

  @Override
  public void runnable(@Nullable String queue) {}

  @Override
  public void changed(@Nullable String queue) {}

  @Override
  public void closing() {
    future.completeExceptionally(JobException.closed());
  }
}
