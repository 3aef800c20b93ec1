package io.holdfast.testkit.lock.beyond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Background;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * The scene of one test: the store under test behind switches, its clock, and the processes and
 * threads that use it. Closing it lets go of everything that still hangs.
 */
final class Stage implements AutoCloseable {
  static final LockOptions OPTIONS = LockOptions.DEFAULTS.withPurgeEvery(null);

  /**
   * The threads of one keeper that wait on the clock: the one that renews, the one that watches.
   */
  static final int KEEPER = 2;

  final ManualTime time;
  final WatchedTime clock;
  final SwitchedStore store;
  final SwitchedHints hints;

  private final LockSubject subject;
  private final ExecutorService threads = Background.tasks("stage");
  private final List<LockService> processes = new CopyOnWriteArrayList<>();
  private final List<CountDownLatch> gates = new CopyOnWriteArrayList<>();

  Stage(ManualTime time, LockSubject subject) {
    this.time = time;
    this.subject = subject;
    this.clock = new WatchedTime(time);
    this.store = new SwitchedStore(subject.backend().store());
    this.hints = new SwitchedHints(subject.backend().hints());
  }

  /** Another process over the same store. */
  LockService process() {
    return process(OPTIONS);
  }

  LockService process(LockOptions options) {
    LockBackend real = subject.backend();
    LockService process =
        LockService.over(
            new LockBackend(store, real.admin(), hints, real.reserve(), clock, real.capabilities()),
            options);
    processes.add(process);
    return process;
  }

  /** Takes a key that must be free. */
  static Acquired take(Locks locks, String key, Duration ttl) {
    return granted(locks.acquire(key, ttl));
  }

  static Acquired granted(LockAttempt attempt) {
    if (attempt instanceof Acquired acquired) {
      return acquired;
    }
    throw new AssertionError("expected a grant, got " + attempt);
  }

  /** Runs {@code task} on a thread of its own. */
  <T> Future<T> start(Callable<T> task) {
    return threads.submit(task);
  }

  /** The result of {@code task}, which must come soon. */
  static <T> T result(Future<T> task) {
    try {
      return task.get(Waits.LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("no result: " + e, e);
    }
  }

  /** What {@code task} throws, which must come soon. */
  static Throwable failure(Future<?> task) {
    try {
      throw new AssertionError("no failure but " + task.get(Waits.LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("neither result nor failure", e);
    }
  }

  /** Lets {@code ms} pass in steps, after each of which {@code idle} threads wait on the clock. */
  void pass(long ms, long stepMs, int idle) {
    clock.awaitIdle(idle);
    for (long left = ms; left > 0; left -= stepMs) {
      time.advanceMs(Math.min(stepMs, left));
      clock.awaitIdle(idle);
    }
  }

  /** Lets time pass until {@code task} is done, and says how many milliseconds that took. */
  long passUntilDone(Future<?> task, long stepMs, int idle) {
    long startMs = time.nowMs();
    while (!task.isDone()) {
      if (time.nowMs() - startMs > Duration.ofHours(1).toMillis()) {
        throw new AssertionError("not done within an hour");
      }
      time.advanceMs(stepMs);
      Waits.until(() -> task.isDone() || clock.isIdle(idle), () -> "neither done nor waiting");
    }
    return time.nowMs() - startMs;
  }

  /**
   * Waits until {@code task} is done; whenever nothing seems to happen, enough time passes for
   * those who wait to look by themselves.
   */
  void nudgeUntilDone(Future<?> task) {
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Waits.LIMIT_SECONDS);
    while (!task.isDone() && System.nanoTime() - untilNanos < 0) {
      try {
        task.get(500, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        time.advance(OPTIONS.poll());
      } catch (InterruptedException | ExecutionException e) {
        return;
      }
    }
  }

  /** Asserts that {@code call} fails with {@code code}. */
  static void fails(ErrorCode code, ThrowingCallable call) {
    hasCode(catchThrowable(call), code);
  }

  static void hasCode(Throwable error, ErrorCode code) {
    assertThat(error).isInstanceOf(LockException.class);
    assertThat(((LockException) error).code()).isEqualTo(code);
  }

  /** Waits until a thread has got past {@code point}. */
  static void pass(CountDownLatch point) {
    eventually(() -> point.getCount() == 0, "a thread gets past its point");
  }

  static void eventually(BooleanSupplier condition, String what) {
    Waits.until(condition, () -> "never came true: " + what);
  }

  /** A gate that the test opens, or else the end of the test. */
  CountDownLatch gate() {
    CountDownLatch gate = new CountDownLatch(1);
    gates.add(gate);
    return gate;
  }

  /** Waits at {@code gate} whatever interrupts; for switches that imitate a hanging call. */
  static void hang(CountDownLatch gate) {
    boolean interrupted = false;
    while (gate.getCount() > 0) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    clock.resume();
    gates.forEach(CountDownLatch::countDown);
    threads.shutdownNow();
    processes.forEach(LockService::close);
    subject.close();
  }
}
