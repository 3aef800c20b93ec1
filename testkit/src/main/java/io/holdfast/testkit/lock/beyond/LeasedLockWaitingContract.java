package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.KEEPER;
import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.result;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static java.lang.Thread.State.TIMED_WAITING;
import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LeasedLock;
import io.holdfast.lock.LockService;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How waiting for a lock in the shape of {@link java.util.concurrent.locks.Lock} ends: with the
 * lock, in time, by an interrupt where the method has it, or with the store's error; and never with
 * a lease that nobody knows of.
 */
@SuppressWarnings("NullAway.Init") // made before each test
@Timeout(value = 60, threadMode = SEPARATE_THREAD) // nothing else ends a lock() that hangs
public abstract class LeasedLockWaitingContract {
  private static final Duration TTL = Duration.ofMinutes(10);

  private final ManualTime time = new ManualTime();
  private final AtomicReference<Thread> waiter = new AtomicReference<>();
  private Stage stage;
  private LockService there;
  private LeasedLock lock;

  /** A fresh store on {@code time}. */
  protected abstract LockSubject subject(ManualTime time);

  @BeforeEach
  void open() {
    stage = new Stage(time, subject(time));
    there = stage.process();
    lock = stage.process().obtain("key");
  }

  @AfterEach
  void close() {
    stage.close();
  }

  @Test
  @Guarantee("L77")
  void try_lock_makes_one_attempt() {
    Acquired held = take(there, "key", TTL);

    assertThat(lock.tryLock()).isFalse();
    assertThat(stage.store.acquires).hasValue(2);

    held.release();
    assertThat(lock.tryLock()).isTrue();
    assertThat(stage.store.acquires).hasValue(3);
  }

  @Test
  @Guarantee("L77")
  void try_lock_does_not_mind_an_interrupt() {
    Thread.currentThread().interrupt();

    boolean got = lock.tryLock();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(got).isTrue();
    assertThat(lock.isHeld()).isTrue();
  }

  @Test
  @Guarantee({"L77", "L73"})
  void a_timed_try_lock_gives_up_on_time() {
    take(there, "key", TTL);
    Future<Boolean> trying = stage.start(() -> lock.tryLock(5, TimeUnit.SECONDS));

    stage.pass(4999, 100, 1);
    assertThat(trying).isNotDone();
    time.advanceMs(1);

    assertThat(result(trying)).isFalse();
  }

  @Test
  @Guarantee({"L77", "L73"})
  void a_timed_try_lock_gives_up_on_time_behind_a_thread_of_its_own_process() {
    lock.lock();
    stage.clock.awaitIdle(KEEPER);
    Future<Boolean> trying = start(() -> lock.tryLock(100, TimeUnit.MILLISECONDS));
    awaitBlocked();

    stage.passUntilDone(trying, 1, KEEPER);

    assertThat(result(trying)).isFalse();
    assertThat(lock.isHeld()).isTrue();
  }

  @Test
  @Guarantee("L77")
  void a_timed_try_lock_without_time_makes_one_attempt() throws InterruptedException {
    take(there, "key", TTL);

    assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
    assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
    assertThat(stage.store.acquires).hasValue(3);
    assertThat(there.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L77")
  void a_timed_try_lock_is_granted_on_release_even_with_the_longest_limit() {
    Acquired held = take(there, "key", TTL);
    Future<Boolean> trying = stage.start(() -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
    stage.pass(5000, 500, 1);
    assertThat(trying).isNotDone();

    held.release();

    assertThat(result(trying)).isTrue();
  }

  @Test
  @Guarantee("L77")
  void waits_with_an_interrupt_end_by_one() {
    take(there, "key", TTL);

    assertInterruptible(() -> lock.tryLock(5, TimeUnit.MINUTES));
    assertInterruptible(this::lockInterruptibly);
    assertThat(there.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L77")
  void waits_behind_a_thread_of_the_same_process_end_by_an_interrupt_too() {
    lock.lock();
    Future<Boolean> waiting = start(this::lockInterruptibly);
    awaitBlocked();

    waiter.get().interrupt();

    assertThat(Stage.failure(waiting)).isInstanceOf(InterruptedException.class);
    assertThat(lock.isHeld()).isTrue();
  }

  @Test
  @Guarantee("L77")
  void an_interrupt_before_the_call_counts_even_when_the_lock_is_free() {
    Future<Boolean> trying =
        stage.start(
            () -> {
              Thread.currentThread().interrupt();
              return lock.tryLock(1, TimeUnit.SECONDS);
            });
    assertThat(Stage.failure(trying)).isInstanceOf(InterruptedException.class);

    Future<Boolean> locking =
        stage.start(
            () -> {
              Thread.currentThread().interrupt();
              return lockInterruptibly();
            });
    assertThat(Stage.failure(locking)).isInstanceOf(InterruptedException.class);
    assertThat(there.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L77")
  void lock_waits_on_whatever_interrupts_and_keeps_the_flag() {
    Acquired held = take(there, "key", TTL);
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<Boolean> locking =
        start(
            () -> {
              lock.lock();
              return interrupted.getCount() == 0 && Thread.interrupted() && lock.isHeld();
            });
    stage.clock.awaitIdle(1);

    int before = stage.store.acquires.get();
    interrupted.countDown();
    waiter.get().interrupt();
    eventually(() -> stage.store.acquires.get() > before, "it waits on");
    held.release();

    assertThat(result(locking)).isTrue();
  }

  @Test
  @Guarantee("L77")
  void lock_waits_for_hours_if_it_has_to() {
    Acquired held = take(there, "key", Duration.ofDays(1));
    Future<Boolean> locking =
        stage.start(
            () -> {
              lock.lock();
              return lock.isHeld();
            });

    stage.pass(Duration.ofHours(5).toMillis(), Duration.ofMinutes(1).toMillis(), 1);
    assertThat(locking).isNotDone();
    held.release();

    assertThat(result(locking)).isTrue();
  }

  @Test
  @Guarantee("L77")
  void an_error_of_the_store_is_thrown_and_leaves_the_lock_free_locally() {
    stage.store.onAcquire = (request, real) -> SwitchedStore.away();

    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, lock::lock);
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, lock::tryLock);
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, lock::lockInterruptibly);
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> lock.tryLock(1, TimeUnit.SECONDS));

    stage.store.onAcquire = (request, real) -> real.get();
    assertThat(result(stage.start(() -> lock.tryLock()))).isTrue();
  }

  @Test
  @Guarantee({"L77", "L43"})
  void an_interrupt_that_comes_with_the_grant_does_not_lose_it() {
    interruptWithTheGrant();

    Future<Hold> locking =
        stage.start(
            () -> {
              lock.lock();
              return holdAndUnlock(true);
            });

    assertThat(result(locking)).isEqualTo(new Hold(true, true, true));
    assertThat(there.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee({"L77", "L43"})
  void a_try_lock_interrupted_with_the_grant_does_not_lose_it() {
    interruptWithTheGrant();

    Future<Hold> trying = stage.start(() -> holdAndUnlock(lock.tryLock()));

    assertThat(result(trying)).isEqualTo(new Hold(true, true, true));
    assertThat(there.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee({"L77", "L43"})
  void an_interruptible_wait_interrupted_with_the_grant_holds_the_lock_or_frees_it() {
    interruptWithTheGrant();

    Future<Hold> locking =
        stage.start(
            () -> {
              try {
                lock.lockInterruptibly();
                return holdAndUnlock(true);
              } catch (InterruptedException e) {
                return new Hold(false, Thread.interrupted(), lock.isHeld());
              }
            });

    assertThat(result(locking)).isIn(new Hold(true, true, true), new Hold(false, false, false));
    assertThat(there.isLocked("key")).isFalse();
  }

  /** What a thread sees after its attempt. */
  private record Hold(boolean granted, boolean interruptFlag, boolean isHeld) {}

  private Hold holdAndUnlock(boolean granted) {
    Hold hold = new Hold(granted, Thread.interrupted(), lock.isHeld());
    if (granted) {
      lock.unlock();
    }
    return hold;
  }

  /** The store grants, and before the answer is back the calling thread is interrupted. */
  private void interruptWithTheGrant() {
    stage.store.onAcquire =
        (request, real) -> {
          var grant = real.get();
          Thread.currentThread().interrupt();
          stage.store.onAcquire = (again, unchanged) -> unchanged.get();
          return grant;
        };
  }

  private void assertInterruptible(Callable<Boolean> wait) {
    Future<Boolean> flagAfter =
        start(
            () -> {
              try {
                return wait.call();
              } catch (InterruptedException e) {
                return Thread.interrupted();
              }
            });
    stage.clock.awaitIdle(1);

    waiter.get().interrupt();

    assertThat(result(flagAfter)).as("neither granted nor the flag left set").isFalse();
  }

  private boolean lockInterruptibly() throws InterruptedException {
    lock.lockInterruptibly();
    return true;
  }

  private <T> Future<T> start(Callable<T> task) {
    waiter.set(null);
    Future<T> started =
        stage.start(
            () -> {
              waiter.set(Thread.currentThread());
              return task.call();
            });
    eventually(() -> waiter.get() != null, "the thread has started");
    return started;
  }

  /** Waits until the waiter blocks, on the clock or on anything else. */
  private void awaitBlocked() {
    Set<Thread.State> blocked = EnumSet.of(WAITING, TIMED_WAITING);
    eventually(() -> blocked.contains(waiter.get().getState()), "the waiter blocks");
  }
}
