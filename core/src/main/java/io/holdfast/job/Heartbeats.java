package io.holdfast.job;

import io.holdfast.lease.Duty;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of a worker alive, and the worker known: one statement for all of them, every
 * third of a lease or ten seconds, whichever is shorter. It never waits for a row that somebody
 * works on. An error is not an answer: it is repeated, and {@link Deadlines} end what it was about.
 */
final class Heartbeats implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
  private static final long SHOWN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int CHUNK = 1_000;

  private final JobEngine jobs;
  private final WorkerPlan plan;
  private final Roster roster;
  private final Losses losses;
  private final long leaseNanos;
  private final Set<Run> asked = ConcurrentHashMap.newKeySet();
  private long dueNanos;
  private long shownNanos;
  private boolean wasShown;

  /** Hears what became of runs. */
  interface Losses {
    void lost(Run run);

    /** It has waited for its place for too long. */
    void stale(List<Run> runs);
  }

  Heartbeats(JobEngine jobs, WorkerPlan plan, Roster roster, Losses losses) {
    this.jobs = jobs;
    this.plan = plan;
    this.roster = roster;
    this.losses = losses;
    this.leaseNanos = plan.timing().lease().toNanos();
    this.dueNanos = jobs.time.nanos();
  }

  private long everyNanos() {
    return Math.min(leaseNanos / 3, SHOWN_EVERY_NANOS);
  }

  /** Something was said about these: asks how they stand before their time. */
  void askAbout(Predicate<Run> which) {
    if (asked.addAll(runs(which))) {
      jobs.engine.wake(this);
    }
  }

  @Override
  public long dueNanos() {
    return asked.isEmpty() ? dueNanos : jobs.time.nanos();
  }

  @Override
  public int work() {
    long now = jobs.time.nanos();
    if (dueNanos - now <= 0) {
      return turn(now);
    }
    if (asked.isEmpty()) {
      return 0;
    }
    return tried(runs(taken()::contains), false, now);
  }

  private int turn(long now) {
    dueNanos = now + everyNanos();
    List<Run> stale = roster.withdraw(run -> now - run.sinceNanos > leaseNanos / 2);
    if (!stale.isEmpty()) {
      losses.stale(stale);
    }
    Set<Run> meant = taken();
    List<Run> old =
        runs(run -> now - run.trust.sinceNanos() >= leaseNanos / 6 || meant.contains(run));
    return tried(old, !wasShown || now - shownNanos >= SHOWN_EVERY_NANOS, now);
  }

  private Set<Run> taken() {
    Set<Run> taken = Set.copyOf(asked);
    asked.removeAll(taken);
    return taken;
  }

  private List<Run> runs(Predicate<Run> which) {
    return roster.held().stream().filter(which).toList();
  }

  private int tried(List<Run> runs, boolean isShowing, long now) {
    try {
      return beat(runs, isShowing, now);
    } catch (JobException e) {
      LOG.warn("the leases of {} could not be renewed yet: {}", plan.id(), e.getMessage());
      dueNanos = Math.min(dueNanos, now + Math.max(leaseNanos / 12, 1));
      return 0;
    }
  }

  private int beat(List<Run> runs, boolean isShowing, long now) {
    WorkerInfo shown = isShowing ? plan.info() : null;
    for (int from = 0; from < runs.size() || shown != null; from += CHUNK) {
      List<Run> chunk =
          runs.subList(Math.min(from, runs.size()), Math.min(runs.size(), from + CHUNK));
      beatOnce(chunk, shown);
      if (shown != null) {
        wasShown = true;
        shownNanos = now;
        shown = null;
      }
    }
    return runs.size();
  }

  private void beatOnce(List<Run> runs, @Nullable WorkerInfo shown) {
    long askedNanos = jobs.time.nanos();
    JobStore.Heartbeat heartbeat =
        new JobStore.Heartbeat(shown, runs.stream().map(Run::held).toList(), plan.timing().lease());
    List<JobStore.Beat> beats =
        jobs.engine.call(() -> jobs.backend.store().beat(heartbeat, jobs.storeCall()));
    for (int i = 0; i < runs.size(); i++) {
      heard(runs.get(i), beats.get(i), askedNanos);
    }
  }

  private void heard(Run run, JobStore.Beat beat, long askedNanos) {
    if (beat.isBusy()) {
      return;
    }
    Extended extended = beat.extended();
    if (extended.isOk()) {
      if (run.trust.holds() || run.isGuarded()) {
        run.trust.renew(askedNanos, plan.timing().lease().toMillis());
      }
      run.seenFree(askedNanos);
      if (extended.isCancelRequested()) {
        run.end(JobContext.EndReason.CANCELLED);
      }
    } else if (!run.isDecided() && !(run.isCompleted() && run.isGuarded())) {
      losses.lost(run);
    }
  }

  /** The duty that ends runs whose lease can no longer be relied on. */
  static final class Deadlines implements Duty {
    private final JobEngine jobs;
    private final Roster roster;
    private final Losses losses;
    private final long lookEveryNanos;

    Deadlines(JobEngine jobs, WorkerPlan plan, Roster roster, Losses losses) {
      this.jobs = jobs;
      this.roster = roster;
      this.losses = losses;
      this.lookEveryNanos = plan.timing().lease().toNanos() / 2;
    }

    /** These have come: if that took long they may be over before this duty looks again. */
    void watch(List<Run> runs) {
      long nextNanos = jobs.time.nanos() + lookEveryNanos;
      if (runs.stream().anyMatch(run -> run.trust.untilNanos() - nextNanos < 0)) {
        jobs.engine.wake(this);
      }
    }

    private List<Run> watched() {
      return roster.held().stream().filter(run -> !run.isDecided() && !run.isGuarded()).toList();
    }

    @Override
    public int work() {
      List<Run> over = watched().stream().filter(run -> !run.trust.holds()).toList();
      over.forEach(losses::lost);
      return over.size();
    }

    /** Twice per lease at least: others may have come by then, or be guarded no more. */
    @Override
    public long dueNanos() {
      long now = jobs.time.nanos();
      return now
          + watched().stream()
              .mapToLong(run -> run.trust.untilNanos() - now)
              .reduce(lookEveryNanos, Math::min);
    }
  }
}
