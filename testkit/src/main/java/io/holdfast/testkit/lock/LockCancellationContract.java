package io.holdfast.testkit.lock;

import static io.holdfast.ErrorCode.ABORTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Released;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What a cancelled token, an interrupt and a lost answer do, and what they must not leave behind.
 */
public abstract class LockCancellationContract extends LockSuite {
  @Test
  @Guarantee("L41")
  void a_cancelled_token_stops_every_operation_before_io() {
    Acquired held = take("held");
    int before = store.calls();

    operations(locks.cancelledBy(cancelled()), "held", held.lockId(), TTL)
        .forEach((name, call) -> failing(ABORTED, name, call));

    assertThat(store.calls()).isEqualTo(before);
    assertThat(locks.owns(held.lockId())).isTrue();
    assertThat(locks.operator().inspect("held").counter()).isEqualTo(1);
  }

  @Test
  @Guarantee("L41")
  void an_interrupted_thread_stops_every_operation_before_io_and_stays_interrupted() {
    Acquired held = take("held");
    int before = store.calls();

    operations(locks, "held", held.lockId(), TTL)
        .forEach(
            (name, call) -> {
              Thread.currentThread().interrupt();
              failing(ABORTED, name, call);
              assertThat(Thread.interrupted()).as(name).isTrue();
            });

    assertThat(store.calls()).isEqualTo(before);
    assertThat(locks.owns(held.lockId())).isTrue();
  }

  @Test
  @Guarantee("L41")
  void a_cancelled_token_is_noticed_before_invalid_arguments_are() {
    LockService stopped = locks.cancelledBy(cancelled());
    Map<String, ThrowingCallable> calls = operations(stopped, "", "?", Duration.ZERO);
    calls.put("acquire without id", () -> stopped.acquire("", Duration.ZERO, (String) null));
    SoftAssertions all = new SoftAssertions();

    calls.forEach(
        (name, call) ->
            all.assertThatThrownBy(call)
                .as(name)
                .isInstanceOfSatisfying(
                    LockException.class,
                    e -> all.assertThat(e.code()).as(name).isEqualTo(ABORTED)));

    all.assertAll();
  }

  @Test
  @Guarantee("L42")
  void an_idle_token_changes_nothing() {
    LockService idle = locks.cancelledBy(new CancellationSource());

    Acquired lock = granted(idle.acquire("key", TTL));
    refused(idle.acquire("key", TTL));
    assertThat(idle.isLocked("key")).isTrue();
    assertThat(idle.lookup("key")).isEqualTo(locks.lookup("key")).isPresent();
    assertThat(idle.extend(lock.lockId(), TTL)).isInstanceOf(Extended.class);
    assertThat(idle.release(lock.lockId())).isEqualTo(new Released());
    long fence = idle.<Long, RuntimeException>withLock("key", held -> held.fence().value());
    assertThat(fence).isEqualTo(2);
    assertThat(granted(idle.acquire("key", TTL, Wait.upTo(TTL))).release().ok()).isTrue();
    assertThat(idle.operator().stats().liveLocks()).isZero();
  }

  @Test
  @Guarantee("L42")
  void a_token_concerns_only_the_view_it_was_given_to() {
    CancellationSource token = new CancellationSource();
    LockService view = locks.cancelledBy(token);
    token.cancel();

    failing(ABORTED, () -> view.acquire("key", TTL));

    take("key");
  }

  @Test
  @Guarantee("L43")
  void cancellation_after_commit_never_leaks_a_lock() {
    CancellationSource token = new CancellationSource();
    Pause pause = store.pauseNext(Operation.ACQUIRE, Moment.AFTER);
    Future<LockAttempt> acquiring =
        start(
            () -> {
              try {
                return locks.cancelledBy(token).acquire("key", TTL);
              } catch (LockException e) {
                assertThat(e.code()).isEqualTo(ABORTED);
                assertThat(otherProcess().isLocked("key")).isFalse();
                return granted(otherProcess().acquire("key", TTL));
              }
            });

    pause.awaitReached();
    token.cancel();
    pause.open();

    Acquired lock = granted(join(acquiring));
    assertThat(lock.release()).isEqualTo(new Released());
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L43")
  void an_interrupt_aborts_a_blocked_acquire_and_leaks_nothing() throws InterruptedException {
    Pause pause = store.pauseNext(Operation.ACQUIRE, Moment.BEFORE);
    CountDownLatch started = new CountDownLatch(1);
    Thread[] thread = new Thread[1];
    Future<LockException> acquiring =
        start(
            () -> {
              thread[0] = Thread.currentThread();
              started.countDown();
              LockException e = failing(ABORTED, () -> locks.acquire("key", TTL));
              assertThat(Thread.interrupted()).isTrue();
              return e;
            });
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    pause.awaitReached();

    thread[0].interrupt();

    assertThat(join(acquiring).code()).isEqualTo(ABORTED);
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L43")
  void a_grant_whose_answer_was_lost_is_released_in_the_background() {
    LockException lost = failure(ErrorCode.SERVICE_UNAVAILABLE).outcomeUnknown(true);
    store.failNext(Operation.ACQUIRE, Moment.AFTER, lost);

    failing(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    store.awaitEnded(Operation.RELEASE, 1);

    assertThat(granted(otherProcess().acquire("key", TTL)).fence()).isEqualTo(new Fence(2));
  }

  @Test
  @Guarantee("L43")
  void a_lost_grant_that_arrives_late_is_released_all_the_same() {
    LockException lost = failure(ErrorCode.NETWORK_TIMEOUT).outcomeUnknown(true);
    store.failNext(Operation.ACQUIRE, Moment.BEFORE, lost);
    LockException seen =
        failing(ErrorCode.NETWORK_TIMEOUT, () -> locks.acquire("key", Duration.ofHours(1)));
    store.awaitEnded(Operation.RELEASE, 1);
    time.awaitParked(1);

    granted(otherProcess().acquire("key", Duration.ofHours(1), seen.lockId()));
    time.advanceMs(1000);
    store.awaitEnded(Operation.RELEASE, 2);

    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L43")
  void a_lost_grant_under_the_callers_id_is_left_for_the_caller_to_repeat() {
    String id = LockId.random().text();
    LockException lost = failure(ErrorCode.SERVICE_UNAVAILABLE).outcomeUnknown(true);
    store.failNext(Operation.ACQUIRE, Moment.AFTER, lost);
    store.failNext(Operation.ACQUIRE, Moment.AFTER, lost);

    failing(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL, id));
    failing(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("released after it", TTL));
    store.awaitEnded(Operation.RELEASE, 1);
    locks.close();

    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
    assertThat(otherProcess().owns(id)).isTrue();
    assertThat(granted(otherProcess().acquire("key", TTL, id)).fence()).isEqualTo(new Fence(1));
  }

  /** Every operation that reaches the store, by name. */
  private static Map<String, ThrowingCallable> operations(
      LockService on, String key, String id, Duration ttl) {
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("acquire", () -> on.acquire(key, ttl));
    calls.put("acquire with id", () -> on.acquire(key, ttl, id));
    calls.put("acquire waiting", () -> on.acquire(key, ttl, Wait.upTo(TTL)));
    calls.put("acquire fairly", () -> on.acquire(key, ttl, Wait.upTo(TTL).fair()));
    calls.put("release", () -> on.release(id));
    calls.put("extend", () -> on.extend(id, ttl));
    calls.put("lookup", () -> on.lookup(key));
    calls.put("lookupById", () -> on.lookupById(id));
    calls.put("lookupRaw", () -> on.lookupRaw(key));
    calls.put("lookupRawById", () -> on.lookupRawById(id));
    calls.put("owns", () -> on.owns(id));
    calls.put("isLocked", () -> on.isLocked(key));
    calls.put("withLock", () -> on.withLock(key, lock -> 1));
    calls.put("setup", on::setup);
    int limit = ttl.isZero() ? 0 : 10;
    calls.put("list", () -> on.operator().list("", null, limit));
    calls.put("listRaw", () -> on.operator().listRaw("", null, limit));
    calls.put("inspect", () -> on.operator().inspect(key));
    calls.put("stats", () -> on.operator().stats());
    calls.put("breakLock", () -> on.operator().breakLock(key, new Fence(1)));
    calls.put("raiseFences", () -> on.operator().raiseFences(limit));
    calls.put("purge", () -> on.operator().purge());
    return calls;
  }
}
