package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a lease that is lost while in use does to its user, and what it must not do afterwards. */
public abstract class LockLossContract extends LockSuite {
  private static final WithLockOptions DEFAULTS = WithLockOptions.DEFAULTS;

  @Test
  @Guarantee("L48")
  void failIfLost_fails_a_function_that_outlived_its_lease() {
    WithLockOptions strict = DEFAULTS.withTtl(TTL).failingIfLost();

    LockException lost =
        failing(
            ErrorCode.LEASE_LOST,
            () ->
                locks.withLock(
                    "key",
                    strict,
                    lock -> {
                      time.advance(TTL);
                      return 7;
                    }));

    assertThat(lost.key()).isEqualTo("key");
    assertThat(locks.isLocked("key")).isFalse();
    IOException planned = new IOException("planned");
    assertThatThrownBy(
            () ->
                locks.withLock(
                    "key",
                    strict,
                    lock -> {
                      time.advance(TTL);
                      throw planned;
                    }))
        .isSameAs(planned);
    assertThat(locks.<Integer, RuntimeException>withLock("key", strict, lock -> 7)).isEqualTo(7);
  }

  @Test
  @Guarantee("L48")
  void failIfLost_fails_a_function_whose_renewal_was_refused() {
    WithLockOptions strict = DEFAULTS.withTtl(TTL).renewing().failingIfLost();

    failing(
        ErrorCode.LEASE_LOST,
        () ->
            locks.withLock(
                "key",
                strict,
                lock -> {
                  assertThat(locks.operator().breakLock("key", lock.fence())).isTrue();
                  time.advance(RENEWAL);
                  until(() -> !lock.isHeld());
                  return 7;
                }));
  }

  @Test
  @Guarantee("LF7")
  void a_ttl_near_the_bound_saturates_the_local_deadline() {
    Duration longest = Duration.ofMillis(LockTtl.MAX_MILLIS);

    locks.withLock(
        "key",
        DEFAULTS.withTtl(longest).renewing().failingIfLost(),
        lock -> {
          assertThat(lock.isHeld()).isTrue();
          time.advance(Duration.ofDays(3650));
          assertThat(lock.isHeld()).isTrue();
          assertThat(lock.lossReason()).isNull();
          return null;
        });

    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("LF9")
  void a_loss_interrupts_the_function_but_nothing_after_it() {
    WithLockOptions options = DEFAULTS.withTtl(TTL).interruptingOnLoss();

    locks.withLock(
        "key",
        options,
        lock -> {
          locks.operator().breakLock("key", lock.fence());
          time.advance(RENEWAL);
          until(() -> Thread.currentThread().isInterrupted());
          return null;
        });

    assertThat(Thread.interrupted()).isFalse();
    take("key");
  }

  @Test
  @Guarantee("LF9")
  void a_loss_that_races_the_end_never_interrupts_what_comes_after() {
    WithLockOptions options = DEFAULTS.withTtl(TTL).interruptingOnLoss();
    for (int round = 0; round < 150; round++) {
      int spins = round * 61 % 3000;
      CountDownLatch running = new CountDownLatch(1);
      Future<Boolean> clock =
          start(
              () -> {
                running.await();
                time.advance(TTL);
                return true;
              });

      locks.withLock(
          "with-" + round,
          options,
          lock -> {
            running.countDown();
            for (int i = 0; i < spins; i++) {
              Thread.onSpinWait();
            }
            return null;
          });

      assertThat(Thread.currentThread().isInterrupted()).as("round %s", round).isFalse();
      join(clock);
      assertThat(Thread.currentThread().isInterrupted()).as("round %s", round).isFalse();
    }
    locks.close();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  @Guarantee("LF9")
  void a_loss_interrupts_the_holder_but_nothing_after_close() {
    Acquired lock = take("key").keepInterrupting();
    locks.operator().breakLock("key", lock.fence());
    time.advance(RENEWAL);
    until(() -> Thread.currentThread().isInterrupted());

    lock.close();

    assertThat(Thread.interrupted()).isFalse();
    take("key");
  }

  @Test
  @Guarantee("LF9")
  void a_loss_after_close_interrupts_nobody() {
    Acquired lock = take("key").keepInterrupting();
    time.awaitParked(2);

    lock.close();
    time.advance(TTL);
    locks.close();

    assertThat(Thread.interrupted()).isFalse();
  }
}
