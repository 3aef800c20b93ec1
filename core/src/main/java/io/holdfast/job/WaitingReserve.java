package io.holdfast.job;

import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reserve that waits until there is something. While it waits it holds neither a thread nor a
 * connection. Safe for use by many threads.
 */
final class WaitingReserve implements JobEngine.Listener {
  private static final Duration POLL = Duration.ofSeconds(1);

  private final JobEngine jobs;
  private final ReserveRequest request;
  private final long sinceNanos;
  private final long untilNanos;
  private final CompletableFuture<Reserved> future = new CompletableFuture<>();
  private Timers.@Nullable Timer timer;
  private boolean isLooking;
  private boolean isLookingAgain;

  private WaitingReserve(JobEngine jobs, ReserveRequest request, Duration wait) {
    this.jobs = jobs;
    this.request = request;
    this.sinceNanos = jobs.time.nanos();
    this.untilNanos = Time.after(sinceNanos, wait.toMillis());
  }

  /** Looks, and waits if need be. */
  static CompletableFuture<Reserved> begin(JobEngine jobs, ReserveRequest request, Duration wait) {
    WaitingReserve waiting = new WaitingReserve(jobs, request, wait);
    jobs.add(waiting);
    waiting.future.whenComplete((answer, failure) -> waiting.end());
    if (jobs.engine.isClosed()) {
      waiting.closing(); // it came too late to be told
    }
    waiting.look();
    return waiting.future;
  }

  private void end() {
    jobs.remove(this);
    synchronized (this) {
      if (timer != null) {
        timer.cancel();
      }
    }
  }

  /** Looks once more on another thread; while one is looking, that one looks again. */
  private void look() {
    synchronized (this) {
      if (isLooking) {
        isLookingAgain = true;
        return;
      }
      isLooking = true;
    }
    jobs.look(this::reserve);
  }

  private void reserve() {
    try {
      if (future.isDone()) {
        return;
      }
      long askedNanos = jobs.time.nanos();
      Reserved reserved =
          jobs.engine.call(() -> jobs.backend.store().reserve(request, jobs.storeCall()));
      boolean isOver = untilNanos - jobs.time.nanos() <= 0;
      if (!reserved.jobs().isEmpty() || isOver && !reserved.more()) {
        deliver(reserved.after(Duration.ofNanos(askedNanos - sinceNanos)));
      } else {
        lookLater(reserved, askedNanos);
      }
    } catch (RuntimeException e) {
      future.completeExceptionally(JobEngine.asJobException(e));
    }
  }

  /** What comes too late goes back to its place. */
  private void deliver(Reserved reserved) {
    if (!future.complete(reserved)) {
      jobs.giveBack(reserved);
    }
  }

  /**
   * Counts from when it was asked: what became due during the call is looked for at once. The timer
   * is set while this one still looks: what fires or comes up meanwhile is looked at next.
   */
  private void lookLater(Reserved reserved, long askedNanos) {
    long next = Time.after(askedNanos, POLL.toMillis());
    Instant nextAt = reserved.nextAt();
    if (nextAt != null) {
      long inMs = 1 + Duration.between(reserved.at(), nextAt).toMillis();
      next = earlier(next, Time.after(askedNanos, inMs));
    }
    Timers.Timer later = jobs.engine.timers().at(earlier(next, untilNanos), this::look);
    boolean isAgain;
    synchronized (this) {
      if (timer != null) {
        timer.cancel();
      }
      timer = later;
      isAgain = isLookingAgain || reserved.more();
      isLooking = false;
      isLookingAgain = false;
    }
    if (future.isDone()) {
      later.cancel();
    } else if (isAgain) {
      look();
    }
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  @Override
  public void runnable(@Nullable String queue) {
    boolean isOurs =
        queue == null || request.queues().stream().anyMatch(share -> share.queue().equals(queue));
    if (isOurs) {
      look();
    }
  }

  @Override
  public void changed(@Nullable String queue) {}

  @Override
  public void closing() {
    future.completeExceptionally(JobException.closed());
  }
}
