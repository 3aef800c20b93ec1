package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockService;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.NotHeld.Reason;
import io.holdfast.lock.Released;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How a lease ends, is renewed and given back, always by the store's clock. */
public abstract class LockExpiryContract extends LockSuite {
  private static final NotHeld EXPIRED = new NotHeld(Reason.EXPIRED);
  private static final NotHeld NOT_FOUND = new NotHeld(Reason.NOT_FOUND);

  @Test
  @Guarantee("L11")
  void expiry_is_store_now_plus_ttl() {
    time.stepDatabase(Duration.ofDays(3).toMillis());
    time.advanceMs(17);

    Acquired lock = take("key");

    assertThat(lock.acquiredAt()).isEqualTo(now());
    assertThat(lock.expiresAt()).isEqualTo(now().plus(TTL));
    assertThat(locks.lookup("key").orElseThrow().expiresAt()).isEqualTo(now().plus(TTL));
  }

  @Test
  @Guarantee({"L12", "L99"})
  void a_lock_is_live_for_every_operation_999_ms_after_expiry() {
    Acquired lock = take("key");
    time.advanceMs(TTL.toMillis() + 999);

    assertThat(locks.isLocked("key")).isTrue();
    assertThat(locks.lookup("key")).isPresent();
    assertThat(locks.lookupById(lock.lockId())).isPresent();
    assertThat(locks.owns(lock.lockId())).isTrue();
    assertThat(locks.operator().list("", null, 10)).hasSize(1);
    assertThat(locks.operator().inspect("key").remaining()).hasMillis(1);
    assertThat(locks.operator().stats().liveLocks()).isEqualTo(1);
    refused(locks.acquire("key", TTL));
    assertThat(locks.extend(lock.lockId(), Duration.ofMillis(1))).isInstanceOf(Extended.class);
    time.advanceMs(1000);
    assertThat(locks.release(lock.lockId())).isEqualTo(new Released());
  }

  @Test
  @Guarantee({"L12", "L99"})
  void a_lock_is_dead_for_every_operation_1000_ms_after_expiry() {
    Acquired lock = take("key");
    time.advanceMs(TTL.toMillis() + 1000);

    assertThat(locks.isLocked("key")).isFalse();
    assertThat(locks.lookup("key")).isEmpty();
    assertThat(locks.lookupById(lock.lockId())).isEmpty();
    assertThat(locks.owns(lock.lockId())).isFalse();
    assertThat(locks.operator().list("", null, 10)).isEmpty();
    assertThat(locks.operator().inspect("key").remaining()).isZero();
    assertThat(locks.operator().stats().liveLocks()).isZero();
    assertThat(locks.extend(lock.lockId(), TTL)).isEqualTo(EXPIRED);
    assertThat(locks.release(lock.lockId())).isEqualTo(EXPIRED);
    granted(locks.acquire("key", TTL));
  }

  @Test
  @Guarantee("L13")
  void an_expired_lock_can_be_taken() {
    Acquired old = take("key");
    expire(old);

    Acquired next = granted(otherProcess().acquire("key", TTL));

    assertThat(next.fence()).isEqualTo(new Fence(2));
    assertThat(next.expiresAt()).isEqualTo(now().plus(TTL));
    assertThat(locks.lookupRaw("key").orElseThrow().lockId()).isEqualTo(next.lockId());
  }

  @Test
  @Guarantee("L14")
  void an_expired_holder_cannot_release() {
    Acquired lock = take("key");
    expire(lock);

    assertThat(lock.release()).isEqualTo(EXPIRED);

    assertThat(locks.release(lock.lockId())).isEqualTo(EXPIRED);
    assertThat(locks.operator().inspect("key").lock()).isPresent();
  }

  @Test
  @Guarantee("L15")
  void an_expired_holder_cannot_renew() {
    Acquired lock = take("key");
    expire(lock);

    assertThat(lock.extend(TTL)).isEqualTo(EXPIRED);

    assertThat(locks.isLocked("key")).isFalse();
    assertThat(locks.operator().inspect("key").lock().orElseThrow().expiresAt())
        .isEqualTo(lock.expiresAt());
  }

  @Test
  @Guarantee("L16")
  void a_holder_within_tolerance_can_renew() {
    Acquired lock = take("key");
    time.advanceMs(TTL.toMillis() + 999);

    assertThat(locks.extend(lock.lockId(), TTL)).isEqualTo(new Extended(now().plus(TTL)));

    time.advance(TTL);
    assertThat(locks.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L17")
  void renew_replaces_the_expiry_also_shortening_it() {
    Acquired lock = take("key");
    time.advanceMs(10);

    assertThat(locks.extend(lock.lockId(), Duration.ofHours(1)))
        .isEqualTo(new Extended(now().plus(Duration.ofHours(1))));
    assertThat(locks.extend(lock.lockId(), Duration.ofMillis(5)))
        .isEqualTo(new Extended(now().plusMillis(5)));

    assertThat(locks.lookup("key").orElseThrow().expiresAt()).isEqualTo(now().plusMillis(5));
    time.advanceMs(1005);
    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L18")
  void renew_keeps_fence_id_and_acquire_time() {
    Acquired lock = take("key");
    time.advanceMs(3000);

    locks.extend(lock.lockId(), TTL);

    LockInfoRaw seen = locks.lookupRaw("key").orElseThrow();
    assertThat(seen.lockId()).isEqualTo(lock.lockId());
    assertThat(seen.info().fence()).isEqualTo(lock.fence());
    assertThat(seen.info().acquiredAt()).isEqualTo(lock.acquiredAt());
    assertThat(locks.operator().inspect("key").counter()).isEqualTo(1);
  }

  @Test
  @Guarantee("L19")
  void renewals_hold_the_lock_past_its_first_expiry() {
    Acquired lock = take("key");

    for (int i = 0; i < 5; i++) {
      time.advance(TTL.minusMillis(1));
      assertThat(lock.extend(TTL).ok()).isTrue();
      refused(otherProcess().acquire("key", TTL));
    }

    assertThat(lock.release()).isEqualTo(new Released());
  }

  @Test
  @Guarantee("L20")
  void a_released_id_cannot_renew() {
    Acquired lock = take("key");
    locks.release(lock.lockId());

    assertThat(locks.extend(lock.lockId(), TTL)).isEqualTo(NOT_FOUND);

    assertThat(locks.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("L21")
  void a_second_release_says_not_found() {
    Acquired lock = take("key");

    assertThat(locks.release(lock.lockId())).isEqualTo(new Released());

    assertThat(locks.release(lock.lockId())).isEqualTo(NOT_FOUND);
    assertThat(otherProcess().release(lock.lockId())).isEqualTo(NOT_FOUND);
  }

  @Test
  @Guarantee("L22")
  void an_unknown_id_says_not_found() {
    take("key");

    assertThat(locks.release("A".repeat(22))).isEqualTo(NOT_FOUND);
    assertThat(locks.extend("A".repeat(22), TTL)).isEqualTo(NOT_FOUND);

    assertThat(locks.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L23")
  void an_old_id_cannot_touch_the_next_holders_lock() {
    Acquired old = take("key");
    expire(old);
    Acquired next = granted(otherProcess().acquire("key", TTL));

    assertThat(locks.release(old.lockId())).isEqualTo(NOT_FOUND);
    assertThat(locks.extend(old.lockId(), Duration.ofHours(1))).isEqualTo(NOT_FOUND);
    assertThat(old.release()).isEqualTo(NOT_FOUND);

    LockInfoRaw seen = locks.lookupRaw("key").orElseThrow();
    assertThat(seen.lockId()).isEqualTo(next.lockId());
    assertThat(seen.info().expiresAt()).isEqualTo(next.expiresAt());
  }

  @Test
  @Guarantee("L70")
  void a_holders_own_trust_ends_before_the_lease_does() {
    Acquired lock = granted(locks.acquire("long", Duration.ofSeconds(30)));
    Acquired brief = granted(locks.acquire("brief", Duration.ofSeconds(5)));

    time.advanceMs(4499);
    assertThat(brief.isHeld()).isTrue();
    time.advanceMs(1);
    assertThat(brief.isHeld()).isFalse();

    time.advanceMs(28_999 - 4500);
    assertThat(lock.isHeld()).isTrue();
    time.advanceMs(1);
    assertThat(lock.isHeld()).isFalse();
    assertThat(locks.isLocked("long")).isTrue();
  }

  @Test
  @Guarantee("LF5")
  void a_clock_that_steps_forward_ends_leases_and_fences_still_grow() {
    Acquired old = take("key");

    time.stepDatabase(TTL.toMillis() + 1000);
    Acquired next = granted(otherProcess().acquire("key", TTL));

    assertThat(next.fence()).isGreaterThan(old.fence());
    assertThat(next.expiresAt()).isEqualTo(now().plus(TTL));
    assertThat(locks.release(old.lockId())).isEqualTo(NOT_FOUND);
  }

  @Test
  @Guarantee("LF5")
  void a_clock_that_steps_back_prolongs_leases_and_fences_still_grow() {
    LockService other = otherProcess();
    Acquired old = take("key");

    time.stepDatabase(-Duration.ofHours(1).toMillis());
    assertThat(refused(other.acquire("key", TTL)).retryAfter())
        .isEqualTo(TTL.plusMillis(1000).plusHours(1));
    assertThat(locks.extend(old.lockId(), TTL)).isEqualTo(new Extended(now().plus(TTL)));
    time.advance(TTL.plusMillis(1000));
    Acquired next = granted(other.acquire("key", TTL));

    assertThat(next.fence()).isEqualTo(new Fence(2));
    assertThat(next.acquiredAt()).isEqualTo(now()).isBefore(old.acquiredAt());
    refused(locks.acquire("key", TTL));
  }

  private Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }
}
