package io.holdfast.job;

import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs: looks that the lease lasts, calls the handler inside its middleware, watches its
 * timeout, and passes on what became of it. Safe for use by many threads.
 */
final class Runner {
  private static final Logger LOG = LoggerFactory.getLogger(Runner.class);

  /** How often to look whether a handler that ignores its end still holds its job's row. */
  private static final long GUARD_LOOK_MS = 1_000;

  private final JobEngine jobs;
  private final Jobs door;
  private final WorkerPlan plan;
  private final Judge judge;
  private final Ends ends;

  /** Hears how runs end. */
  interface Ends {
    /** What became of it is to be settled. */
    void settle(Outbox.Letter letter);

    /** It is somebody else's. */
    void lost(Run run);

    /** It is done, and there is nothing to settle. */
    void completed(Run run);

    /** Its place is free. */
    void freed(Run run);

    /** It was given up while its handler goes on, or that has returned after all. */
    void stuck(int more);
  }

  Runner(JobEngine jobs, Jobs door, WorkerPlan plan, Ends ends) {
    this.jobs = jobs;
    this.door = door;
    this.plan = plan;
    this.judge = new Judge(plan);
    this.ends = ends;
  }

  /** Runs a job on the calling thread. */
  void run(Run run) {
    if (!isTrusted(run)) {
      ends.freed(run);
      return;
    }
    Registration handler = plan.handlers().get(run.leased.job().type());
    if (handler != null && run.enter()) {
      new Watched(run, handler).call();
      return;
    }
    decided(run, handler == null ? judge.parked(run) : Judge.unstarted(run));
    ends.freed(run);
  }

  /** A lease that is about to end is made longer first; what has no time even then goes back. */
  private boolean isTrusted(Run run) {
    if (hasTime(run)) {
      return true;
    }
    extend(run);
    if (hasTime(run)) {
      return true;
    }
    decided(run, Judge.unstarted(run));
    return false;
  }

  private boolean hasTime(Run run) {
    long leastNanos = plan.timing().lease().toNanos() / 10;
    return run.trust.untilNanos() - jobs.time.nanos() > leastNanos;
  }

  private void extend(Run run) {
    Duration lease = plan.timing().lease();
    long askedNanos = jobs.time.nanos();
    try {
      Extended extended =
          jobs.engine
              .call(() -> jobs.backend.store().extend(List.of(run.held()), lease, jobs.storeCall()))
              .get(0);
      if (!extended.isOk()) {
        ends.lost(run);
        return;
      }
      run.trust.renew(askedNanos, lease.toMillis());
      if (extended.isCancelRequested()) {
        run.end(JobContext.EndReason.CANCELLED);
      }
    } catch (RuntimeException e) {
      LOG.warn("the lease of job {} could not be extended: {}", run.leased.id(), e.getMessage());
    }
  }

  private void decided(Run run, Outbox.Letter letter) {
    if (run.decide()) {
      ends.settle(letter);
    }
  }

  /** One call of a handler, with its timeout. */
  private final class Watched {
    private final Run run;
    private final Registration handler;
    private final Duration timeout;
    private final OptionalLong deadline;
    private final RunContext context;
    private Timers.@Nullable Timer timer;
    private boolean isStuck;
    private boolean isFinished;

    Watched(Run run, Registration handler) {
      this.run = run;
      this.handler = handler;
      Duration own = run.leased.job().spec().timeout();
      this.timeout = own.isZero() ? handler.timeout() : own;
      this.deadline =
          timeout.isZero()
              ? OptionalLong.empty()
              : OptionalLong.of(Time.after(jobs.time.nanos(), toMillis(timeout)));
      this.context = new RunContext(door, jobs, plan, run, deadline);
    }

    private static long toMillis(Duration duration) {
      return duration.toSeconds() > Long.MAX_VALUE / 1000 - 1
          ? Long.MAX_VALUE
          : Math.max(1, duration.toMillis());
    }

    void call() {
      deadline.ifPresent(at -> timer(at, this::timedOut));
      Object result = null;
      Throwable thrown = null;
      try {
        result = chain(0);
      } catch (Throwable e) {
        thrown = e;
      }
      run.leave();
      if (result instanceof CompletionStage<?> stage) {
        try {
          stage.whenComplete(this::finish);
        } catch (RuntimeException e) {
          finish(null, e);
        }
      } else {
        finish(result, thrown);
      }
    }

    private @Nullable Object chain(int next) throws Exception {
      if (next == plan.middleware().size()) {
        return handler.call().run(run.leased.job().spec().payload(), context);
      }
      return plan.middleware().get(next).around(context, () -> chain(next + 1));
    }

    private void finish(@Nullable Object result, @Nullable Throwable thrown) {
      if (!isFirstEnd()) {
        return;
      }
      Throwable failure =
          thrown instanceof CompletionException && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      try {
        settle(result, failure);
      } catch (Throwable e) {
        settleSomehow(e);
      } finally {
        ends.freed(run);
      }
    }

    private synchronized boolean isFirstEnd() {
      boolean isFirst = !isFinished;
      isFinished = true;
      if (timer != null) {
        timer.cancel();
      }
      if (isFirst && isStuck) {
        ends.stuck(-1);
      }
      return isFirst;
    }

    private void settle(@Nullable Object result, @Nullable Throwable failure) {
      if (run.isCompleted() && !run.isDecided()) {
        if (isCommitted()) {
          if (run.decide()) {
            ends.completed(run);
          }
          return;
        }
        Throwable why =
            failure == null ? new IllegalStateException("completion rolled back") : failure;
        decided(run, judge.failure(run, why));
      } else if (failure == null) {
        decided(run, judge.success(run, result));
      } else if (run.endReason() == JobContext.EndReason.TIMEOUT) {
        LOG.warn("job {} timed out after {}", run.leased.id(), timeout, failure);
        decided(run, judge.timeout(run, timeout));
      } else {
        decided(run, judge.failure(run, failure));
      }
    }

    /** What the handler left cannot even be looked at: that, too, is a failure of its job only. */
    private void settleSomehow(Throwable why) {
      try {
        decided(run, judge.failure(run, why));
      } catch (Throwable e) {
        LOG.error("the end of job {} could not be handled: {}", run.leased.id(), e.getClass());
        ends.lost(run);
      }
    }

    /** One read tells; while the store is away it is asked again, as long as the lease lasts. */
    private boolean isCommitted() {
      while (true) {
        try {
          return jobs.engine.call(() -> jobs.backend.store().isAcked(run.held(), jobs.storeCall()));
        } catch (JobException e) {
          LOG.warn(
              "whether job {} completed is not known yet: {}", run.leased.id(), e.getMessage());
          if (!run.trust.holds() || jobs.options.isStepped()) {
            return false;
          }
          new Signal().await(jobs.time, Time.after(jobs.time.nanos(), 500));
        }
      }
    }

    private synchronized void timer(long atNanos, Runnable action) {
      if (!isFinished) {
        timer = jobs.engine.timers().at(atNanos, action);
      }
    }

    private void timedOut() {
      run.end(JobContext.EndReason.TIMEOUT);
      giveUpIn(plan.timing().timeoutGrace().toMillis());
    }

    private void giveUpIn(long graceMs) {
      timer(Time.after(jobs.time.nanos(), graceMs), this::giveUp);
    }

    /** The handler ignores its end: the job is settled, and the place stays taken. */
    private void giveUp() {
      if (run.isGuarded()) {
        giveUpIn(GUARD_LOOK_MS); // nobody can have the job before that transaction ends
      } else if (isGivenUp()) {
        ends.settle(judge.timeout(run, timeout));
      }
    }

    private synchronized boolean isGivenUp() {
      if (isFinished || !run.decide()) {
        return false;
      }
      isStuck = true;
      ends.stuck(1);
      return true;
    }
  }
}
