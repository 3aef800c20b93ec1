package io.holdfast.lease;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a service runs on: its duties and timers, its threads, and the calls to its store that are
 * under way. It starts with the first use; a stepped one has no threads for duties. Safe for use by
 * many threads.
 */
public final class Engine {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
  private static final Duration STATEMENT_LIMIT = Duration.ofSeconds(30);
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);

  private final String name;
  private final Time time;
  private final boolean isStepped;
  private final ExecutorService tasks;
  private final Timers timers;
  private final Map<Duty, DutyRunner> duties = new ConcurrentHashMap<>();
  private final Calls calls = new Calls();
  private final CancellationSource abandoned = new CancellationSource();
  private volatile boolean started;
  private volatile boolean closed;

  /** One that has not started; its threads bear {@code name}. */
  public Engine(String name, Time time, boolean isStepped) {
    this.name = name;
    this.time = time;
    this.isStepped = isStepped;
    this.tasks = Background.tasks(name);
    this.timers = new Timers(time, this::timerIsEarlier);
    add(timers);
  }

  /** Adds a duty; one that comes after the start begins when it is woken. */
  public void add(Duty duty) {
    String kind = duty.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    duties.put(duty, new DutyRunner(name + "-" + kind, duty, time));
  }

  /** Ends a duty, after its last step. */
  public void remove(Duty duty) {
    DutyRunner runner = duties.remove(duty);
    if (runner != null) {
      runner.close();
    }
  }

  /** Begins the duties, once, after {@code first}. */
  public void start(Runnable first) {
    if (started) {
      return;
    }
    synchronized (this) {
      if (started || closed) {
        return;
      }
      first.run();
      started = true;
    }
    duties.keySet().forEach(this::wake);
  }

  /** Says that a duty may be due earlier than it announced. */
  public void wake(Duty duty) {
    DutyRunner runner = duties.get(duty);
    if (started && !isStepped && !closed && runner != null) {
      runner.wake();
    }
  }

  private void timerIsEarlier() {
    wake(timers);
  }

  /** Does what is due of every duty and says how much that was; for tests. */
  public int step() {
    return duties.keySet().stream()
        .filter(duty -> duty.dueNanos() - time.nanos() <= 0)
        .mapToInt(Duty::work)
        .sum();
  }

  /** Actions at their moments. */
  public Timers timers() {
    return timers;
  }

  /** Threads for what may block. */
  public ExecutorService tasks() {
    return tasks;
  }

  /** The clock. */
  public Time time() {
    return time;
  }

  /** Whether it was closed, or is about to be. */
  public boolean isClosed() {
    return closed;
  }

  /** What a call to the store has to respect: closing calls it off when its patience ends. */
  public StoreCall storeCall() {
    return new StoreCall(abandoned, STATEMENT_LIMIT);
  }

  /** Makes a call to the store, which closing waits for. */
  public <T> T call(Supplier<T> call) {
    calls.begin();
    try {
      return call.get();
    } finally {
      calls.end();
    }
  }

  /** Closing waits for this, as for any call; whoever makes it sees to its end. */
  public void underWay(CompletableFuture<?> call) {
    calls.begin();
    call.whenComplete((done, failure) -> calls.end());
  }

  /** Runs something that nobody waits for; a failure is logged. */
  public void background(String what, Runnable task) {
    if (closed) {
      guarded(what, task); // closing waits for this thread, not for one that has not begun
      return;
    }
    try {
      tasks.execute(() -> guarded(what, task));
    } catch (RejectedExecutionException e) {
      guarded(what, task); // closed just now
    }
  }

  /** Runs something on the calling thread, which is not to suffer; a failure is logged. */
  public void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.warn("{} failed: {}", what, e.getMessage());
    }
  }

  /**
   * Ends it, once: refuses what is new, answers by {@code refuse} who waits, and lets calls under
   * way finish for as long as {@code grace}. False when that was done before.
   */
  public boolean close(Duration grace, Runnable refuse) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
    }
    refuse.run();
    duties.values().forEach(DutyRunner::close);
    if (!calls.await(grace)) {
      abandoned.cancel();
      calls.await(LAST_PATIENCE);
    }
    tasks.shutdown();
    try {
      if (!tasks.awaitTermination(LAST_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        tasks.shutdownNow();
      }
    } catch (InterruptedException e) {
      tasks.shutdownNow();
      Thread.currentThread().interrupt();
    }
    return true;
  }

  /** Calls to the store that are under way. */
  private static final class Calls {
    private int running;

    synchronized void begin() {
      running++;
    }

    synchronized void end() {
      running--;
      notifyAll();
    }

    /** Whether all have ended in time. */
    synchronized boolean await(Duration limit) {
      long until = System.nanoTime() + limit.toNanos();
      try {
        while (running > 0 && until - System.nanoTime() > 0) {
          wait(Math.max(1, (until - System.nanoTime()) / 1_000_000));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return running == 0;
    }
  }
}
