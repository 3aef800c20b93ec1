package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Background;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locked;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every lock suite starts from: a fresh store on a manual clock, locks over it whose calls to
 * the store are counted, and other processes' locks over the same store, which are not.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class LockSuite {
  /** Nothing runs in the background that a test did not ask for. */
  static final LockOptions OPTIONS = LockOptions.DEFAULTS.withPurgeEvery(null);

  static final Duration TTL = Duration.ofSeconds(12);

  /** After so long a kept lock of that ttl is renewed. */
  static final Duration RENEWAL = Duration.ofSeconds(4);

  private final List<LockService> opened = new CopyOnWriteArrayList<>();
  private final ExecutorService crew = Background.tasks("lock-suite");

  final ManualTime time = new ManualTime();
  LockSubject subject;
  FaultyLockStore store;
  LockService locks;

  /** The store under test, fresh and empty, with {@code time} for its clock. */
  protected abstract LockSubject subject(ManualTime time);

  @BeforeEach
  void openLocks() {
    subject = subject(time);
    store = new FaultyLockStore(subject.backend().store());
    locks = locks(OPTIONS);
  }

  @AfterEach
  void closeLocks() {
    Thread.interrupted();
    crew.shutdownNow();
    opened.forEach(LockService::close);
    subject.close();
  }

  /** Locks with other options, over the same counted store. */
  LockService locks(LockOptions options) {
    return over(store.in(subject.backend()), options);
  }

  /** Locks as another process has them, past the counted store. */
  LockService otherProcess() {
    return over(subject.backend(), OPTIONS);
  }

  LockService over(LockBackend backend, LockOptions options) {
    LockService service = LockService.over(backend, options);
    opened.add(service);
    return service;
  }

  /** Takes a key that must be free. */
  Acquired take(String key) {
    return granted(locks.acquire(key, TTL));
  }

  static Acquired granted(LockAttempt attempt) {
    assertThat(attempt).isInstanceOf(Acquired.class);
    return (Acquired) attempt;
  }

  static Locked refused(LockAttempt attempt) {
    assertThat(attempt).isInstanceOf(Locked.class);
    return (Locked) attempt;
  }

  /** Lets {@code lock} end by itself, past the tolerance. */
  void expire(Acquired lock) {
    time.advanceMs(lock.expiresAt().toEpochMilli() + 1000 - time.nowMs());
  }

  static Cancellation cancelled() {
    CancellationSource source = new CancellationSource();
    source.cancel();
    return source;
  }

  static LockException failure(ErrorCode code) {
    return new LockException(code, "planned");
  }

  /** Runs {@code call}, which must fail with {@code code}. */
  static LockException failing(ErrorCode code, ThrowingCallable call) {
    return failing(code, code.text(), call);
  }

  /** The same, saying in a failed test what was tried. */
  static LockException failing(ErrorCode code, String what, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).as(what).isInstanceOf(LockException.class);
    LockException failure = (LockException) thrown;
    assertThat(failure.code()).as(what).isEqualTo(code);
    return failure;
  }

  /** Runs {@code task} on a thread of its own. */
  <T> Future<T> start(Callable<T> task) {
    return crew.submit(task);
  }

  /** Runs {@code task} on so many threads that begin at one moment, and waits for all. */
  <T> List<T> together(int threads, Callable<T> task) {
    CyclicBarrier barrier = new CyclicBarrier(threads);
    List<Future<T>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          start(
              () -> {
                barrier.await(Pause.LIMIT_SECONDS, TimeUnit.SECONDS);
                return task.call();
              }));
    }
    return all.stream().map(LockSuite::join).toList();
  }

  /** Waits, in real time, for what no signal announces. */
  static void until(BooleanSupplier condition) {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Pause.LIMIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(endNanos);
      LockSupport.parkNanos(100_000);
    }
  }

  /** The answer of another thread, which must come. */
  static <T> T join(Future<T> running) {
    try {
      return running.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the other thread failed", e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("the other thread did not end", e);
    }
  }
}
