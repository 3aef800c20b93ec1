package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.Locked;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Released;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The handle: {@code active → disposing → disposed}. */
public abstract class LockHandleContract extends LockSuite {
  private static final NotHeld NOT_FOUND = new NotHeld(NotHeld.Reason.NOT_FOUND);
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final Heard<LockException> errors = new Heard<>();

  @Test
  @Guarantee("L56")
  void close_releases_once_under_concurrency() {
    for (int round = 1; round <= 20; round++) {
      Acquired lock = take("key");

      together(
          6,
          () -> {
            lock.close();
            assertThat(otherProcess().owns(lock.lockId())).isFalse();
            return true;
          });

      assertThat(store.calls(Operation.RELEASE)).isEqualTo(round);
    }
  }

  @Test
  @Guarantee("L56")
  void close_waits_for_a_close_under_way() {
    Acquired lock = take("key");
    Pause pause = store.pauseNext(Operation.RELEASE, Moment.BEFORE);
    Future<Boolean> first = start(() -> closed(lock));
    pause.awaitReached();
    Future<Boolean> second = start(() -> closed(lock));
    Future<Boolean> third = start(() -> closed(lock));
    time.awaitParked(2);

    assertThat(second).isNotDone();
    assertThat(lock.release()).isEqualTo(NOT_FOUND);
    pause.open();

    assertThat(join(first) && join(second) && join(third)).isTrue();
    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L56")
  void close_waits_for_a_release_under_way() {
    Acquired lock = take("key");
    Pause pause = store.pauseNext(Operation.RELEASE, Moment.BEFORE);
    Future<Object> releasing = start(lock::release);
    pause.awaitReached();
    Future<Boolean> closing = start(() -> closed(lock));
    time.awaitParked(1);

    assertThat(closing).isNotDone();
    pause.open();

    assertThat(join(closing)).isTrue();
    assertThat(join(releasing)).isEqualTo(new Released());
    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
  }

  @Test
  @Guarantee("L56")
  void close_after_release_does_no_io() {
    Acquired lock = take("key");
    assertThat(lock.release()).isEqualTo(new Released());
    Acquired next = take("key");
    int before = store.calls();

    lock.close();
    lock.close();

    assertThat(store.calls()).isEqualTo(before);
    assertThat(locks.owns(next.lockId())).isTrue();
  }

  @Test
  @Guarantee("L56")
  void closing_the_locks_releases_what_they_still_renew() {
    for (LockOptions options : List.of(OPTIONS, limited())) {
      LockService closing = locks(options);
      granted(closing.acquire("kept", TTL)).keep();

      closing.close();

      granted(otherProcess().acquire("kept", TTL)).release();
    }
  }

  @Test
  @Guarantee("L57")
  void close_never_throws() {
    for (Throwable planned :
        List.of(failure(ErrorCode.SERVICE_UNAVAILABLE), new IllegalStateException("planned"))) {
      Acquired lock =
          granted(locks(listening(OPTIONS)).acquire("key-" + planned.getMessage(), TTL));
      store.failNext(Operation.RELEASE, Moment.AFTER, planned);

      assertThatCode(lock::close).doesNotThrowAnyException();

      LockException error = errors.next();
      assertThat(error.lockId()).isEqualTo(lock.lockId());
      assertThat(error.key()).isEqualTo(lock.key());
    }
    assertThat(errors.all()).isEmpty();
  }

  @Test
  @Guarantee("L57")
  void close_never_throws_whatever_the_store_and_its_listener_throw() {
    LockService throwing =
        locks(
            OPTIONS.withOnReleaseError(
                (error, id, key) -> {
                  errors.add(error);
                  throw new IllegalStateException("listener");
                }));
    Acquired first = granted(throwing.acquire("one", TTL));
    store.failNext(Operation.RELEASE, Moment.AFTER, failure(ErrorCode.INTERNAL));
    assertThatCode(first::close).doesNotThrowAnyException();

    Acquired second = granted(throwing.acquire("two", TTL));
    store.failNext(Operation.RELEASE, Moment.AFTER, new AssertionError("foreign"));
    assertThatCode(second::close).doesNotThrowAnyException();

    assertThat(errors.all()).hasSize(2);
  }

  @Test
  @Guarantee("L57")
  void close_releases_on_an_interrupted_thread_and_leaves_the_flag() {
    Acquired lock = granted(locks(listening(OPTIONS)).acquire("key", TTL));

    Thread.currentThread().interrupt();
    lock.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(errors.all()).isEmpty();
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L57")
  void close_never_throws_after_the_locks_were_closed() {
    for (LockOptions options : List.of(OPTIONS, limited())) {
      LockService closing = locks(listening(options));
      Acquired lock = granted(closing.acquire("key-" + options.hashCode(), TTL));
      closing.close();

      assertThatCode(lock::close).doesNotThrowAnyException();
    }
  }

  @Test
  @Guarantee("L58")
  void release_after_a_failed_release_does_no_io() {
    Acquired lock = granted(locks(listening(OPTIONS)).acquire("key", TTL));
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.NETWORK_TIMEOUT));
    failing(ErrorCode.NETWORK_TIMEOUT, lock::release);

    assertThat(lock.release()).isEqualTo(NOT_FOUND);
    lock.close();

    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
    assertThat(errors.all()).isEmpty();
    assertThat(locks.owns(lock.lockId())).isTrue();
  }

  @Test
  @Guarantee("L58")
  void release_after_a_failed_close_does_no_io() {
    Acquired lock = granted(locks(listening(OPTIONS)).acquire("key", TTL));
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.NETWORK_TIMEOUT));
    lock.close();

    assertThat(lock.release()).isEqualTo(NOT_FOUND);
    lock.close();

    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
    assertThat(errors.all()).hasSize(1);
  }

  @Test
  @Guarantee("L59")
  void renew_works_through_a_handle_in_any_state() {
    Acquired lock = take("key");
    time.advanceMs(1000);
    assertThat(lock.extend(TTL)).isInstanceOf(Extended.class);
    assertThat(lock.expiresAt().toEpochMilli()).isEqualTo(time.nowMs() + TTL.toMillis());

    Pause pause = store.pauseNext(Operation.RELEASE, Moment.BEFORE);
    Future<Boolean> closing = start(() -> closed(lock));
    pause.awaitReached();
    assertThat(lock.extend(TTL)).isInstanceOf(Extended.class);
    pause.fail(failure(ErrorCode.SERVICE_UNAVAILABLE));
    assertThat(join(closing)).isTrue();

    assertThat(lock.extend(TTL)).isInstanceOf(Extended.class);
    locks.release(lock.lockId());
    assertThat(lock.extend(TTL)).isEqualTo(NOT_FOUND);
    assertThat(store.calls(Operation.EXTEND)).isEqualTo(4);
  }

  @Test
  @Guarantee("L60")
  void a_refused_handle_does_no_io() {
    take("key");
    Locked refused = refused(locks.acquire("key", TTL));
    int before = store.calls();

    assertThat(refused.release()).isEqualTo(NOT_FOUND);
    assertThat(refused.extend(TTL)).isEqualTo(NOT_FOUND);
    refused.close();
    assertThat(refused.release()).isEqualTo(NOT_FOUND);

    assertThat(store.calls()).isEqualTo(before);
    assertThat(locks.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L61")
  void close_returns_at_its_time_limit_and_reports_it() throws InterruptedException {
    Acquired lock = granted(locks(listening(limited())).acquire("key", TTL));
    Pause pause = store.pauseNext(Operation.RELEASE, Moment.BEFORE);
    Future<Boolean> closing = start(() -> closed(lock));
    pause.awaitReached();
    time.awaitParked(1);
    time.advanceMs(LIMIT.toMillis() - 1);
    assertThat(closing).isNotDone();

    time.advanceMs(1);

    assertThat(join(closing)).isTrue();
    LockException late = errors.next();
    assertThat(late.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    assertThat(late.lockId()).isEqualTo(lock.lockId());
    assertThat(late.key()).isEqualTo("key");
    assertThat(isCancelledSoon(store.tokenOf(Operation.RELEASE))).isTrue();
    assertThat(lock.release()).isEqualTo(NOT_FOUND);
    lock.close();
    assertThat(store.calls(Operation.RELEASE)).isEqualTo(1);
    assertThat(errors.all()).isEmpty();
    pause.open();
  }

  @Test
  @Guarantee("L61")
  void a_release_that_fails_after_the_time_limit_is_reported_too() {
    Acquired lock = granted(locks(listening(limited())).acquire("key", TTL));
    Pause pause = closeLate(lock, Moment.BEFORE);

    assertThat(errors.next().code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    pause.fail(failure(ErrorCode.SERVICE_UNAVAILABLE));

    assertThat(errors.next().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
  }

  @Test
  @Guarantee("L61")
  void a_release_that_succeeds_after_the_time_limit_is_silent() {
    LockService limited = locks(listening(limited()));
    Acquired lock = granted(limited.acquire("key", TTL));
    Pause pause = closeLate(lock, Moment.AFTER);

    pause.open();
    store.awaitEnded(Operation.RELEASE, 1);
    limited.close();

    assertThat(errors.all())
        .singleElement()
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT));
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L61")
  void a_close_within_its_time_limit_reports_nothing() {
    Acquired lock = granted(locks(listening(limited())).acquire("key", TTL));

    lock.close();

    assertThat(locks.isLocked("key")).isFalse();
    assertThat(errors.all()).isEmpty();
  }

  /** Closes past the time limit, with the release stopped at {@code moment}. */
  private Pause closeLate(Acquired lock, Moment moment) {
    Pause pause = store.pauseNext(Operation.RELEASE, moment);
    Future<Boolean> closing = start(() -> closed(lock));
    pause.awaitReached();
    time.awaitParked(1);
    time.advance(LIMIT);
    assertThat(join(closing)).isTrue();
    return pause;
  }

  private static boolean closed(Acquired lock) {
    lock.close();
    return true;
  }

  private static boolean isCancelledSoon(Cancellation token) throws InterruptedException {
    CountDownLatch cancelled = new CountDownLatch(1);
    token.onCancel(cancelled::countDown);
    return cancelled.await(Pause.LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private LockOptions listening(LockOptions options) {
    return options.withOnReleaseError((error, lockId, key) -> errors.add(error));
  }

  private static LockOptions limited() {
    LockTimeouts defaults = LockTimeouts.DEFAULTS;
    return OPTIONS.withTimeouts(new LockTimeouts(defaults.lock(), defaults.call(), LIMIT));
  }
}
