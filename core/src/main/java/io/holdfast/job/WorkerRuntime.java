package io.holdfast.job;

import io.holdfast.lease.Background;
import io.holdfast.lease.Duty;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker at work: joins the dispatcher, which talks to the store; the threads, which run
 * handlers; and the heartbeats, which keep leases alive. Safe for use by many threads.
 */
final class WorkerRuntime
    implements JobWorker, JobEngine.Listener, Dispatcher.Arrivals, Heartbeats.Losses, Runner.Ends {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerRuntime.class);
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);
  private static final long PAUSE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final JobEngine jobs;
  private final WorkerPlan plan;
  private final Roster roster;
  private final WorkerCounters counters = new WorkerCounters();
  private final Dispatcher dispatcher;
  private final Heartbeats heartbeats;
  private final Heartbeats.Deadlines deadlines;
  private final PauseWatch pauses;
  private final Runner runner;
  private final ExecutorService threads = Background.tasks("holdfast-worker");
  private final Set<String> pausedHere = ConcurrentHashMap.newKeySet();
  private volatile boolean isPaused;
  private volatile long stopUntilNanos = Long.MAX_VALUE;
  private volatile boolean isStopping;
  private boolean isStopped;

  WorkerRuntime(JobEngine jobs, Jobs door, WorkerPlan plan) {
    this.jobs = jobs;
    this.plan = plan;
    this.roster = new Roster(plan.places(), jobs.time);
    this.runner = new Runner(jobs, door, plan, this);
    this.dispatcher = new Dispatcher(jobs, plan, roster, new Outbox(), counters, this);
    this.heartbeats = new Heartbeats(jobs, plan, roster, this);
    this.deadlines = new Heartbeats.Deadlines(jobs, plan, roster, this);
    this.pauses = new PauseWatch();
  }

  WorkerRuntime started() {
    jobs.add(this);
    duties().forEach(jobs.engine::add);
    duties().forEach(jobs.engine::wake);
    if (!jobs.options.isStepped()) {
      for (int i = 0; i < plan.places().slots(); i++) {
        threads.execute(this::runJobs);
      }
    }
    return this;
  }

  private List<Duty> duties() {
    return List.of(dispatcher, heartbeats, deadlines, pauses);
  }

  /** One of the threads. */
  private void runJobs() {
    while (true) {
      try {
        Run run = roster.take();
        if (run == null) {
          return;
        }
        run(run);
      } catch (InterruptedException e) {
        continue; // whatever it was, it was meant for a job before
      } catch (RuntimeException | Error e) {
        LOG.error("worker {} goes on after a failure", plan.id(), e);
      }
      Thread.interrupted();
    }
  }

  private void run(Run run) {
    if (isStopping && stopUntilNanos - System.nanoTime() <= 0) {
      run.end(JobContext.EndReason.SHUTDOWN);
    }
    runner.run(run);
  }

  @Override
  public int step() {
    dispatcher.lookSoon();
    int done = dispatcher.work();
    Run run = roster.poll();
    if (run != null) {
      run(run);
      done++;
    }
    dispatcher.flush();
    return done;
  }

  @Override
  public String id() {
    return plan.id();
  }

  @Override
  public WorkerStats stats() {
    return counters.stats(roster, plan.places().slots());
  }

  @Override
  public boolean isOpen(String queue) {
    return !isPaused && !pausedHere.contains(queue);
  }

  @Override
  public void arrived(List<Run> runs) {
    runs.stream().filter(this::isUnwelcome).forEach(this::letGo);
    List<Run> welcome = runs.stream().filter(run -> !run.isDecided()).toList();
    roster.add(welcome);
    deadlines.watch(welcome);
    giveBack(this::isUnwelcome); // it may have become so while it was added
  }

  private boolean isUnwelcome(Run run) {
    return isStopping || !isOpen(run.leased.job().queue());
  }

  @Override
  public void foundPaused(Set<String> queues) {
    giveBack(run -> queues.contains(run.leased.job().queue()));
  }

  /** What has not started returns to its place. */
  private void giveBack(Predicate<Run> which) {
    roster.withdraw(which).forEach(this::letGo);
  }

  private void letGo(Run run) {
    if (run.decide()) {
      settle(Judge.unstarted(run));
    }
  }

  @Override
  public void stale(List<Run> runs) {
    runs.forEach(this::letGo);
  }

  @Override
  public void settle(Outbox.Letter letter) {
    dispatcher.send(letter);
  }

  @Override
  public void lost(Run run) {
    if (!run.decide()) {
      return;
    }
    LOG.warn("the lease of job {} was lost", run.leased.id());
    counters.ended(run.leased.job().type(), WorkerStats.Outcome.LOST);
    roster.withdraw(waiting -> waiting == run);
    roster.forget(run);
    run.end(JobContext.EndReason.LEASE_LOST);
  }

  @Override
  public void completed(Run run) {
    counters.ended(run.leased.job().type(), WorkerStats.Outcome.SUCCEEDED);
    roster.forget(run);
    String key = run.leased.job().spec().keys().limit();
    if (key != null) {
      jobs.spread(new Effects(Set.of(new QueueKey(run.leased.job().queue(), key)), Set.of()));
    }
  }

  @Override
  public void freed(Run run) {
    roster.ended(run);
    dispatcher.placeFreed();
  }

  @Override
  public void stuck(int more) {
    roster.stuck(more);
  }

  @Override
  public void pause() {
    isPaused = true;
    dispatcher.lookElsewhere();
    giveBack(run -> true);
  }

  @Override
  public void resume() {
    isPaused = false;
    dispatcher.lookElsewhere();
    dispatcher.lookSoon();
  }

  @Override
  public void pause(String queue) {
    pausedHere.add(queue);
    dispatcher.lookElsewhere();
    giveBack(run -> run.leased.job().queue().equals(queue));
  }

  @Override
  public void resume(String queue) {
    pausedHere.remove(queue);
    dispatcher.lookElsewhere();
    dispatcher.lookSoon();
  }

  @Override
  public void runnable(@Nullable String queue) {
    if (queue == null || plan.weights().containsKey(queue)) {
      dispatcher.lookSoon();
    }
  }

  @Override
  public void changed(@Nullable String queue) {
    if (queue == null || plan.weights().containsKey(queue)) {
      pauses.lookSoon();
    }
  }

  @Override
  public void unwanted(@Nullable String id) {
    heartbeats.askAbout(run -> id == null || run.leased.id().equals(id));
  }

  @Override
  public void closingSoon() {
    beginStop(plan.timing().stop());
  }

  @Override
  public void closing() {
    close();
  }

  @Override
  public void close() {
    stop(plan.timing().stop());
  }

  @Override
  public void stop(Duration timeout) {
    beginStop(timeout);
    synchronized (this) {
      if (!isStopped) {
        isStopped = true;
        end();
      }
    }
  }

  private void beginStop(Duration timeout) {
    long untilNanos = Time.after(System.nanoTime(), Math.max(0, timeout.toMillis()));
    synchronized (threads) {
      if (untilNanos - stopUntilNanos < 0 || stopUntilNanos == Long.MAX_VALUE) {
        stopUntilNanos = untilNanos;
      }
    }
    isStopping = true;
    dispatcher.stop();
    giveBack(run -> true);
    jobs.engine.wake(dispatcher);
  }

  private void end() {
    roster.close();
    boolean isInterrupted = false;
    try {
      while (!roster.awaitQuiet(Math.min(stopUntilNanos, soon()))) {
        if (stopUntilNanos - System.nanoTime() <= 0) {
          endRuns();
          roster.awaitQuiet(System.nanoTime() + STOP_GRACE.toNanos());
          break;
        }
      }
      if (!dispatcher.awaitOver(STOP_GRACE)) {
        LOG.warn("worker {} stopped while jobs may be on their way to it", plan.id());
      }
    } catch (InterruptedException e) {
      isInterrupted = true;
      endRuns();
    }
    isInterrupted |= Thread.interrupted(); // what has been done is settled all the same
    if (!isFlushed(System.nanoTime() + STOP_GRACE.toNanos())) {
      LOG.warn("worker {} could not settle everything before it stopped", plan.id());
    }
    duties().forEach(jobs.engine::remove);
    jobs.remove(this);
    threads.shutdown();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void endRuns() {
    roster.running().forEach(run -> run.end(JobContext.EndReason.SHUTDOWN));
  }

  /** A store that is away for a moment must not cost what has been done. */
  private boolean isFlushed(long untilNanos) {
    Signal never = new Signal();
    while (!dispatcher.flush()) {
      boolean isLate = untilNanos - System.nanoTime() <= 0;
      long againNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
      if (isLate || never.await(Time.system(), againNanos) == Signal.Woken.INTERRUPTED) {
        return false;
      }
    }
    return true;
  }

  /** A later call may have shortened the time. */
  private static long soon() {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
  }

  /** Gives back what waits for its place when its queue is paused for everybody. */
  private final class PauseWatch implements Duty {
    private volatile boolean isAsked;
    private volatile long lookedNanos = jobs.time.nanos();

    void lookSoon() {
      isAsked = true;
      jobs.engine.wake(this);
    }

    @Override
    public int work() {
      if (dueNanos() - jobs.time.nanos() > 0) {
        return 0;
      }
      isAsked = false;
      lookedNanos = jobs.time.nanos();
      if (roster.buffered() == 0) {
        return 0;
      }
      try {
        Set<String> paused = new HashSet<>(plan.weights().keySet());
        paused.removeIf(queue -> !isPaused(queue));
        foundPaused(paused);
      } catch (JobException e) {
        LOG.warn("whether queues are paused is not known yet: {}", e.getMessage());
      }
      return 0;
    }

    private boolean isPaused(String queue) {
      JobAdmin admin = jobs.backend.admin();
      return jobs.engine.call(() -> admin.queues(queue, jobs.storeCall())).get(0).pausedAt()
          != null;
    }

    @Override
    public long dueNanos() {
      long now = jobs.time.nanos();
      if (isAsked) {
        return now;
      }
      Long oldest = roster.oldestWaitNanos();
      return oldest == null
          ? now + PAUSE_LOOK_NANOS
          : Math.max(oldest, lookedNanos) + PAUSE_LOOK_NANOS;
    }
  }
}
