package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockEvent;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockService;
import io.holdfast.lock.ReleaseErrorListener;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The critical section of {@code withLock}: what it gives, and that it always ends. */
public abstract class WithLockContract extends LockSuite {
  private static final WithLockOptions DEFAULTS = WithLockOptions.DEFAULTS;

  private record ReleaseError(LockException error, String lockId, String key) {}

  @Test
  @Guarantee("L48")
  void withLock_returns_the_functions_value() {
    String value = locks.<String, RuntimeException>withLock("key", lock -> "value");

    assertThat(value).isEqualTo("value");
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L48")
  void withLock_throws_the_functions_exception_and_releases() {
    for (Throwable planned :
        List.of(new IOException(), new IllegalStateException(), new AssertionError())) {
      assertThatThrownBy(() -> locks.withLock("key", DEFAULTS, lock -> rethrow(planned)))
          .isSameAs(planned);

      assertThat(locks.isLocked("key")).isFalse();
    }
  }

  @Test
  @Guarantee("L49")
  void withLock_gives_the_function_its_lease() {
    long nowMs = time.nowMs();
    locks.withLock("key", lock -> null);

    Acquired outside =
        locks.<Acquired, RuntimeException>withLock(
            "key",
            lock -> {
              LockInfoRaw seen = otherProcess().lookupRaw("key").orElseThrow();
              assertThat(lock.fence().value()).isEqualTo(2);
              assertThat(lock.fence()).isEqualTo(seen.info().fence());
              assertThat(lock.lockId()).isEqualTo(seen.lockId());
              assertThat(lock.expiresAt()).isEqualTo(seen.info().expiresAt());
              assertThat(lock.expiresAt().toEpochMilli()).isEqualTo(nowMs + 30_000);
              assertThat(lock.isHeld()).isTrue();
              lock.ensureHeld();
              assertThat(lock.extend(TTL)).isInstanceOf(Extended.class);
              return lock;
            });

    assertThat(outside.isHeld()).isFalse();
    LockException late = failing(ErrorCode.LEASE_LOST, outside::ensureHeld);
    assertThat(late.key()).isEqualTo("key");
  }

  @Test
  @Guarantee("L54")
  void a_release_failure_never_masks_the_functions_value() {
    Heard<ReleaseError> errors = new Heard<>();
    LockService listening = locks(OPTIONS.withOnReleaseError(into(errors)));
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.SERVICE_UNAVAILABLE));

    Acquired lock = listening.<Acquired, RuntimeException>withLock("key", held -> held);

    ReleaseError error = errors.next();
    assertThat(error.error().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
    assertThat(error.lockId()).isEqualTo(lock.lockId());
    assertThat(error.key()).isEqualTo("key");
    assertThat(errors.all()).isEmpty();
  }

  @Test
  @Guarantee("L54")
  void a_release_failure_never_masks_the_functions_exception() {
    Heard<ReleaseError> errors = new Heard<>();
    IOException planned = new IOException("planned");
    store.failNext(Operation.RELEASE, Moment.BEFORE, new IllegalStateException("foreign"));

    assertThatThrownBy(
            () ->
                locks.withLock(
                    "key", DEFAULTS.withOnReleaseError(into(errors)), lock -> rethrow(planned)))
        .isSameAs(planned);

    assertThat(errors.next().error().code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @Test
  @Guarantee("L54")
  void the_options_listener_goes_before_that_of_the_locks() {
    Heard<ReleaseError> ofLocks = new Heard<>();
    Heard<ReleaseError> ofCall = new Heard<>();
    LockService listening = locks(OPTIONS.withOnReleaseError(into(ofLocks)));
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.RATE_LIMITED));

    listening.withLock("key", DEFAULTS.withOnReleaseError(into(ofCall)), lock -> null);

    assertThat(ofCall.all()).hasSize(1);
    assertThat(ofLocks.all()).isEmpty();
  }

  @Test
  @Guarantee("L54")
  void exceptions_of_the_release_listener_are_swallowed() {
    WithLockOptions throwing =
        DEFAULTS.withOnReleaseError(
            (error, id, key) -> {
              throw new IllegalStateException("listener");
            });
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.RATE_LIMITED));

    assertThat(locks.<Integer, RuntimeException>withLock("key", throwing, lock -> 7)).isEqualTo(7);
  }

  @Test
  @Guarantee("L54")
  void a_lock_no_longer_held_at_the_end_is_silent_except_in_telemetry() {
    Heard<ReleaseError> errors = new Heard<>();
    Heard<LockEvent> events = new Heard<>();
    LockService listening = locks(OPTIONS.withOnReleaseError(into(errors)));

    int value =
        listening
            .observed(events::add)
            .<Integer, RuntimeException>withLock(
                "key",
                lock -> {
                  expire(lock);
                  return 7;
                });

    assertThat(value).isEqualTo(7);
    assertThat(errors.all()).isEmpty();
    LockEvent last = events.all().get(1);
    assertThat(last.type()).isEqualTo(LockEvent.Type.RELEASE);
    assertThat(last.outcome().reason()).isEqualTo("expired");
  }

  @Test
  @Guarantee({"L55", "LF2"})
  void withLock_releases_at_once_although_the_token_was_cancelled() {
    CancellationSource token = new CancellationSource();
    Heard<ReleaseError> errors = new Heard<>();

    int value =
        locks
            .cancelledBy(token)
            .<Integer, RuntimeException>withLock(
                "key",
                DEFAULTS.withOnReleaseError(into(errors)),
                lock -> {
                  token.cancel();
                  return 7;
                });

    assertThat(value).isEqualTo(7);
    assertThat(errors.all()).isEmpty();
    assertThat(otherProcess().isLocked("key")).isFalse();
  }

  @Test
  @Guarantee({"L55", "LF2"})
  void withLock_releases_with_the_interrupt_put_aside_and_restored() {
    Heard<ReleaseError> errors = new Heard<>();

    locks.withLock(
        "key",
        DEFAULTS.withOnReleaseError(into(errors)),
        lock -> {
          Thread.currentThread().interrupt();
          return null;
        });

    assertThat(Thread.interrupted()).isTrue();
    assertThat(errors.all()).isEmpty();
    assertThat(otherProcess().isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L55")
  void the_acquire_token_covers_only_the_acquisition() {
    CancellationSource token = new CancellationSource();
    WithLockOptions options = DEFAULTS.withAcquireCancellation(token);

    int value =
        locks.<Integer, RuntimeException>withLock(
            "key",
            options,
            lock -> {
              token.cancel();
              assertThat(lock.extend(TTL)).isInstanceOf(Extended.class);
              return 7;
            });

    assertThat(value).isEqualTo(7);
    assertThat(otherProcess().isLocked("key")).isFalse();
    int before = store.calls();
    failing(ErrorCode.ABORTED, () -> locks.withLock("key", options, lock -> 8));
    assertThat(store.calls()).isEqualTo(before);
  }

  private static ReleaseErrorListener into(Heard<ReleaseError> errors) {
    return (error, lockId, key) ->
        errors.add(new ReleaseError(error, lockId, Objects.requireNonNull(key)));
  }

  private static Object rethrow(Throwable planned) throws Exception {
    if (planned instanceof Error error) {
      throw error;
    }
    throw (Exception) planned;
  }
}
