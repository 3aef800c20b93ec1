package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.KEEPER;
import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lock.LeasedLock;
import io.holdfast.lock.LockService;
import io.holdfast.lock.LockTtl;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A lock in the shape of {@link java.util.concurrent.locks.Lock}: one lease per hold, renewed,
 * re-entrant per thread, and honest about a loss. How its waiting ends is {@link
 * LeasedLockWaitingContract}.
 */
@SuppressWarnings("NullAway.Init") // made before each test
@Timeout(value = 60, threadMode = SEPARATE_THREAD) // nothing else ends a lock() that hangs
public abstract class LeasedLockContract {
  private static final long TTL_MS = LockTtl.DEFAULT.toMillis();

  private final ManualTime time = new ManualTime();
  private Stage stage;
  private LockService here;
  private LockService there;
  private LeasedLock lock;

  /** A fresh store on {@code time}. */
  protected abstract LockSubject subject(ManualTime time);

  @BeforeEach
  void open() {
    stage = new Stage(time, subject(time));
    here = stage.process();
    there = stage.process();
    lock = here.obtain("key");
  }

  @AfterEach
  void close() {
    stage.close();
  }

  @Test
  @Guarantee("L77")
  void a_thread_may_take_it_again_and_holds_one_lease() throws InterruptedException {
    lock.lock();
    Fence fence = lock.fence();
    lock.lock();
    lock.lockInterruptibly();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();

    assertThat(lock.fence()).isEqualTo(fence);
    assertThat(stage.store.acquires).hasValue(1);
  }

  @Test
  @Guarantee("L77")
  void it_is_free_only_after_as_many_unlocks() {
    lock.lock();
    lock.lock();

    lock.unlock();
    assertThat(there.obtain("key").tryLock()).isFalse();
    assertThat(lock.isHeld()).isTrue();

    lock.unlock();
    assertThat(lock.isHeld()).isFalse();
    assertThat(there.obtain("key").tryLock()).isTrue();
  }

  @Test
  @Guarantee("L77")
  void another_thread_of_the_process_is_kept_out() {
    lock.lock();

    assertThat(result(stage.start(() -> lock.tryLock()))).isFalse();
    assertThat(result(stage.start(lock::isHeld))).isFalse();

    lock.unlock();
    assertThat(result(stage.start(() -> lock.tryLock()))).isTrue();
  }

  @Test
  @Guarantee({"L77", "L69"})
  void it_is_renewed_while_it_is_held() {
    lock.lock();

    stage.pass(3 * TTL_MS, 1000, KEEPER);

    assertThat(lock.isHeld()).isTrue();
    assertThat(there.obtain("key").tryLock()).isFalse();
    lock.unlock();
    assertThat(there.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L77")
  void each_hold_has_its_own_fence_for_the_holder_alone() {
    lock.lock();
    Fence first = lock.fence();
    assertThat(here.lookup("key").orElseThrow().fence()).isEqualTo(first);
    Future<Fence> stranger = stage.start(lock::fence);
    assertThat(Stage.failure(stranger)).isInstanceOf(IllegalMonitorStateException.class);
    lock.unlock();

    assertThatThrownBy(lock::fence).isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    assertThat(lock.fence()).isGreaterThan(first);
  }

  @Test
  @Guarantee("L77")
  void there_is_one_instance_per_key_and_locks() {
    assertThat(here.obtain("key")).isSameAs(lock);
    assertThat(here.obtain("caf\u00e9")).isSameAs(here.obtain("cafe\u0301"));
    assertThat(here.obtain("Key")).isNotSameAs(lock);
    assertThat(there.obtain("key")).isNotSameAs(lock);
  }

  @Test
  @Guarantee("L77")
  void a_held_instance_stays_the_one_although_nobody_refers_to_it() {
    here.obtain("careless").lock();

    collectGarbage();

    here.obtain("careless").unlock();
    assertThat(there.isLocked("careless")).isFalse();
  }

  @Test
  @Guarantee("L77")
  void conditions_are_not_offered() {
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @Guarantee("L77")
  void no_update_is_lost_by_threads_of_two_processes() {
    int[] counter = {0};
    List<Future<Object>> writers = new ArrayList<>();
    for (LockService process : List.of(here, there, here, there)) {
      writers.add(stage.start(() -> count(process.obtain("key"), counter)));
    }

    writers.forEach(stage::nudgeUntilDone);
    writers.forEach(Stage::result);

    assertThat(counter[0]).isEqualTo(writers.size() * 10);
  }

  @Test
  @Guarantee("L78")
  void unlock_by_another_thread_fails_and_changes_nothing() {
    lock.lock();

    Future<Object> stranger = stage.start(() -> unlock(lock));

    assertThat(Stage.failure(stranger)).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock.isHeld()).isTrue();
    assertThat(there.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L78")
  void unlock_of_what_is_not_held_fails() {
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);

    lock.lock();
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  @Guarantee("L79")
  void unlock_after_a_loss_says_so_and_frees_it_locally() {
    lock.lock();
    Fence lost = lock.fence();
    stage.store.failRenewals();
    stage.pass(TTL_MS - 1000, 500, KEEPER);
    assertThat(lock.isHeld()).isFalse();

    Stage.fails(ErrorCode.LEASE_LOST, lock::unlock);

    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    stage.store.healRenewals();
    eventually(() -> !there.isLocked("key"), "the lost lease is released");
    assertThat(result(stage.start(() -> tryOnce(lock)))).isTrue();
    lock.lock();
    assertThat(lock.fence()).isGreaterThan(lost);
    lock.unlock();
  }

  @Test
  @Guarantee("L79")
  void unlock_after_a_loss_nobody_has_noticed_yet_says_so() {
    lock.lock();
    there.operator().breakLock("key", lock.fence());
    there.obtain("key").lock();

    Stage.fails(ErrorCode.LEASE_LOST, lock::unlock);

    assertThat(there.obtain("key").isHeld()).isTrue();
    assertThat(there.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L79")
  void the_last_unlock_of_several_says_that_the_lease_was_lost() {
    lock.lock();
    lock.lock();
    there.operator().breakLock("key", lock.fence());
    stage.pass(TTL_MS / 3, 1000, KEEPER);
    eventually(() -> !lock.isHeld(), "the loss is noticed");

    List<Throwable> thrown = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try {
        lock.unlock();
      } catch (RuntimeException e) {
        thrown.add(e);
      }
    }

    assertThat(thrown).isNotEmpty().allSatisfy(e -> Stage.hasCode(e, ErrorCode.LEASE_LOST));
    assertThat(result(stage.start(() -> tryOnce(lock)))).isTrue();
  }

  @Test
  @Guarantee("L79")
  void unlock_after_a_loss_says_so_although_nobody_refers_to_the_lock() {
    here.obtain("careless").lock();
    there.operator().breakLock("careless", new Fence(1));
    stage.pass(TTL_MS / 3, 1000, KEEPER);
    eventually(() -> stage.store.releases.size() == 1, "the loss has been dealt with");

    collectGarbage();

    Stage.fails(ErrorCode.LEASE_LOST, () -> here.obtain("careless").unlock());
  }

  @Test
  @Guarantee("L79")
  void unlock_whose_release_fails_frees_it_locally() {
    List<String> heard = new ArrayList<>();
    LockService hearing =
        stage.process(Stage.OPTIONS.withOnReleaseError((error, id, key) -> heard.add(key)));
    LeasedLock mine = hearing.obtain("mine");
    mine.lock();
    stage.store.onRelease = (id, real) -> SwitchedStore.away();

    mine.unlock();

    assertThat(heard).containsExactly("mine");
    assertThatThrownBy(mine::unlock).isInstanceOf(IllegalMonitorStateException.class);
    time.advanceMs(TTL_MS + 1000);
    assertThat(result(stage.start(() -> mine.tryLock()))).isTrue();
  }

  private static Object count(LeasedLock lock, int[] counter) {
    for (int i = 0; i < 10; i++) {
      lock.lock();
      int seen = counter[0];
      Thread.yield();
      counter[0] = seen + 1;
      lock.unlock();
    }
    return counter;
  }

  private static Object unlock(LeasedLock lock) {
    lock.unlock();
    return lock;
  }

  private static boolean tryOnce(LeasedLock lock) {
    boolean got = lock.tryLock();
    if (got) {
      lock.unlock();
    }
    return got;
  }

  /** Makes a weakly referenced object disappear, if it is going to. */
  private static void collectGarbage() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
  }
}
