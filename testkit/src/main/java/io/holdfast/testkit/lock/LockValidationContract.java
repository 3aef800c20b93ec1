package io.holdfast.testkit.lock;

import static io.holdfast.ErrorCode.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockRetry;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.Wait;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What callers may ask for. Whatever breaks a rule is refused before it reaches the store. */
public abstract class LockValidationContract extends LockSuite {
  private static final Duration LONGEST = Duration.ofMillis(LockTtl.MAX_MILLIS);
  private static final long BEYOND_2_POW_53_MS = 7_200_000_000_000L;

  @Test
  @Guarantee("L29")
  void a_key_of_512_bytes_is_accepted_and_one_of_513_refused() {
    assertThat(take("x".repeat(512)).key()).hasSize(512);
    assertThat(take("\u00e9".repeat(256)).key()).hasSize(256);
    assertThat(take("\ud83d\udd12".repeat(128)).key()).hasSize(256);

    assertKeyRefused("x".repeat(513));
    assertKeyRefused("\u00e9".repeat(256) + "x");
    assertKeyRefused("\ud83d\udd12".repeat(128) + "x");
  }

  @Test
  @Guarantee("L29")
  void the_length_of_a_key_counts_after_normalising() {
    String shrinking = "e\u0301".repeat(256);
    String growing = "\u0958".repeat(90);

    assertThat(take(shrinking).key()).isEqualTo("\u00e9".repeat(256));
    assertKeyRefused(shrinking + "x");
    assertKeyRefused(growing);
  }

  @Test
  @Guarantee("L30")
  void a_2000_character_key_is_refused_not_truncated() {
    assertKeyRefused("x".repeat(2000));

    assertThat(locks.operator().list("", null, 10)).isEmpty();
    assertThat(locks.isLocked("x".repeat(512))).isFalse();
  }

  @Test
  @Guarantee("L31")
  void empty_nul_and_unpaired_surrogate_keys_are_refused() {
    for (String key :
        Arrays.asList(
            null, "", "\0", "a\0b", "\ud83d", "a\ud83d", "\ud83da", "\udd12", "\udd12\ud83d")) {
      assertKeyRefused(key);
    }
  }

  @Test
  @Guarantee("L32")
  void malformed_ids_are_refused_before_io() {
    String good = LockId.random().text();
    for (String id :
        Arrays.asList(
            null,
            "",
            good.substring(1),
            good + "A",
            good + "==",
            good + "\n",
            " " + good.substring(1),
            "+" + good.substring(1),
            "/" + good.substring(1),
            "\u00e9" + good.substring(1))) {
      assertInvalid("acquire " + id, () -> locks.acquire("key", TTL, id));
      assertInvalid("release " + id, () -> locks.release(id));
      assertInvalid("extend " + id, () -> locks.extend(id, TTL));
      assertInvalid("lookupById " + id, () -> locks.lookupById(id));
      assertInvalid("lookupRawById " + id, () -> locks.lookupRawById(id));
      assertInvalid("owns " + id, () -> locks.owns(id));
    }

    assertThat(store.calls()).isZero();
  }

  @Test
  @Guarantee("L32")
  void made_ids_are_well_formed_and_never_repeat() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      ids.add(LockId.random().text());
    }

    assertThat(ids).hasSize(1000).allMatch(id -> id.matches("[A-Za-z0-9_-]{22}"));
  }

  @Test
  @Guarantee("L33")
  void ttl_0_negative_and_above_the_bound_are_refused() {
    Acquired held = take("held");
    int before = store.calls();
    for (Duration ttl :
        Arrays.asList(
            null,
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofNanos(-1),
            Duration.ofMillis(-1),
            LONGEST.plusMillis(1),
            Duration.ofMillis(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      assertInvalid("acquire " + ttl, () -> locks.acquire("key", ttl));
      assertInvalid("with id " + ttl, () -> locks.acquire("key", ttl, LockId.random().text()));
      assertInvalid("waiting " + ttl, () -> locks.acquire("key", ttl, Wait.upTo(TTL)));
      assertInvalid("extend " + ttl, () -> locks.extend(held.lockId(), ttl));
      assertInvalid("handle " + ttl, () -> held.extend(ttl));
      assertInvalid("withLock " + ttl, () -> WithLockOptions.DEFAULTS.withTtl(ttl));
    }

    assertThat(store.calls()).isEqualTo(before);
  }

  @Test
  @Guarantee("L33")
  void ttl_1_ms_and_the_bound_are_accepted() {
    Acquired brief = granted(locks.acquire("brief", Duration.ofMillis(1)));
    Acquired longest = granted(locks.acquire("longest", LONGEST));

    assertThat(brief.expiresAt().toEpochMilli()).isEqualTo(time.nowMs() + 1);
    assertThat(longest.expiresAt().toEpochMilli()).isEqualTo(time.nowMs() + LockTtl.MAX_MILLIS);
    assertThat(locks.extend(brief.lockId(), LONGEST).ok()).isTrue();
  }

  @Test
  @Guarantee("L33")
  void a_ttl_is_cut_to_whole_milliseconds() {
    Acquired lock = granted(locks.acquire("key", Duration.ofNanos(1_999_999)));

    assertThat(lock.expiresAt().toEpochMilli()).isEqualTo(time.nowMs() + 1);
  }

  @Test
  @Guarantee("L33")
  void an_expiry_beyond_2_pow_53_is_refused_by_the_store() {
    time.stepDatabase(BEYOND_2_POW_53_MS - time.nowMs());
    Acquired held = take("held");

    assertInvalid("acquire", () -> locks.acquire("key", LONGEST));
    assertInvalid("extend", () -> locks.extend(held.lockId(), LONGEST));

    assertThat(locks.lookup("held").orElseThrow().expiresAt()).isEqualTo(held.expiresAt());
    assertThat(take("key").fence()).isEqualTo(new Fence(1));
  }

  @Test
  @Guarantee("L33")
  void a_lock_to_be_renewed_needs_a_ttl_of_100_ms() {
    Acquired brief = granted(locks.acquire("brief", Duration.ofMillis(99)));
    Acquired enough = granted(locks.acquire("enough", Duration.ofMillis(100)));

    assertInvalid("keep", brief::keep);

    assertThatCode(enough::keep).doesNotThrowAnyException();
  }

  @Test
  @Guarantee("L33")
  void withLock_that_cannot_be_renewed_is_refused_before_io() {
    assertInvalid(
        "withLock",
        () -> {
          WithLockOptions brief = WithLockOptions.DEFAULTS.withTtl(Duration.ofMillis(99));
          locks.withLock("key", brief.renewing(), lock -> 1);
        });

    assertThat(store.calls()).isZero();
  }

  @Test
  @Guarantee("L44")
  void poll_is_from_10_ms_to_60_s() {
    for (long ms : new long[] {10, 60_000}) {
      assertThatCode(() -> OPTIONS.withPoll(Duration.ofMillis(ms))).doesNotThrowAnyException();
    }
    for (long ms : new long[] {9, 0, -1, 60_001, Long.MAX_VALUE}) {
      assertInvalid("poll " + ms, () -> OPTIONS.withPoll(Duration.ofMillis(ms)));
    }
  }

  @Test
  @Guarantee("L44")
  void timeouts_are_positive() {
    Duration good = Duration.ofMillis(1);
    assertThatCode(() -> new LockTimeouts(good, good, good)).doesNotThrowAnyException();
    assertThatCode(() -> new LockTimeouts(good, good, null)).doesNotThrowAnyException();
    for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(-9))) {
      assertInvalid("lock " + bad, () -> new LockTimeouts(bad, good, good));
      assertInvalid("call " + bad, () -> new LockTimeouts(good, bad, good));
      assertInvalid("close " + bad, () -> new LockTimeouts(good, good, bad));
    }
  }

  @Test
  @Guarantee("L44")
  void a_timeout_of_centuries_is_an_argument_like_any_other() {
    for (Duration odd :
        List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE))) {
      try {
        assertThat(new LockTimeouts(odd, odd, odd).lock()).isPositive();
      } catch (LockException e) {
        assertThat(e.code()).isEqualTo(INVALID_ARGUMENT);
      }
    }
  }

  @Test
  @Guarantee("L44")
  void options_of_withLock_are_not_negative() {
    LockRetry retry = LockRetry.DEFAULTS;
    Duration negative = Duration.ofMillis(-1);

    assertInvalid("maxRetries", () -> retry.withMaxRetries(-1));
    assertInvalid("delay", () -> retry.withDelay(negative));
    assertInvalid("timeout", () -> retry.withTimeout(negative));
    assertInvalid("ttl", () -> WithLockOptions.DEFAULTS.withTtl(negative));
    assertThatCode(
            () -> retry.withMaxRetries(0).withDelay(Duration.ZERO).withTimeout(Duration.ZERO))
        .doesNotThrowAnyException();
  }

  @Test
  @Guarantee("L44")
  void a_wait_is_not_negative_and_a_wait_of_zero_is_one_try() {
    assertInvalid("wait", () -> Wait.upTo(Duration.ofNanos(-1)));
    assertInvalid("fair", () -> new Wait(Duration.ofMillis(-1), true));
    take("key");

    refused(locks.acquire("key", TTL, Wait.upTo(Duration.ZERO)));

    assertThat(store.calls(FaultyLockStore.Operation.ACQUIRE)).isEqualTo(2);
  }

  @Test
  @Guarantee("L44")
  void a_list_has_a_limit_from_1_to_1000() {
    for (int limit : new int[] {0, -1, 1001, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertInvalid("list " + limit, () -> locks.operator().list("", null, limit));
      assertInvalid("listRaw " + limit, () -> locks.operator().listRaw("", null, limit));
    }

    assertThat(locks.operator().list("", null, 1)).isEmpty();
    assertThat(locks.operator().list("", null, 1000)).isEmpty();
  }

  @Test
  @Guarantee("L44")
  void fences_are_raised_by_at_least_one() {
    for (long by : new long[] {0, -1, Long.MIN_VALUE}) {
      assertInvalid("raise " + by, () -> locks.operator().raiseFences(by));
    }
  }

  @Test
  @Guarantee("L44")
  void defaults_are_as_documented() {
    LockOptions options = LockOptions.DEFAULTS;
    assertThat(options.timeouts().lock()).hasSeconds(5);
    assertThat(options.timeouts().call()).hasSeconds(30);
    assertThat(options.timeouts().close()).isNull();
    assertThat(options.poll()).hasMillis(500);
    assertThat(options.purgeEvery()).hasSeconds(60);
    assertThat(options.hints()).isTrue();
    assertThat(options.cleanupInIsLocked()).isFalse();
    assertThat(options.asyncRelease()).isFalse();

    WithLockOptions with = WithLockOptions.DEFAULTS;
    assertThat(with.ttl()).hasMillis(30_000);
    assertThat(with.autoRenew()).isFalse();
    assertThat(with.failIfLost()).isFalse();
    assertThat(with.retry())
        .isEqualTo(
            new LockRetry(
                10,
                Duration.ofMillis(100),
                Duration.ofMillis(5000),
                LockRetry.Backoff.EXPONENTIAL,
                LockRetry.Jitter.EQUAL));
  }

  private void assertKeyRefused(String key) {
    int before = store.calls();
    assertInvalid("acquire", () -> locks.acquire(key, TTL));
    assertInvalid("with id", () -> locks.acquire(key, TTL, LockId.random().text()));
    assertInvalid("waiting", () -> locks.acquire(key, TTL, Wait.upTo(TTL)));
    assertInvalid("lookup", () -> locks.lookup(key));
    assertInvalid("lookupRaw", () -> locks.lookupRaw(key));
    assertInvalid("isLocked", () -> locks.isLocked(key));
    assertInvalid("withLock", () -> locks.withLock(key, lock -> 1));
    assertInvalid("obtain", () -> locks.obtain(key));
    assertInvalid("inspect", () -> locks.operator().inspect(key));
    assertInvalid("breakLock", () -> locks.operator().breakLock(key, new Fence(1)));
    assertThat(store.calls()).isEqualTo(before);
  }

  private static void assertInvalid(
      String what, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    failing(INVALID_ARGUMENT, what, call);
  }
}
