package io.holdfast.lock;

import static io.holdfast.lock.LockRetry.Backoff.EXPONENTIAL;
import static io.holdfast.lock.LockRetry.Backoff.FIXED;
import static io.holdfast.lock.LockRetry.Jitter.EQUAL;
import static io.holdfast.lock.LockRetry.Jitter.FULL;
import static io.holdfast.lock.LockRetry.Jitter.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockRetryTest {
  private static final long MS = 1_000_000;
  private static final long UNLIMITED = Long.MAX_VALUE;

  private final Random random = new Random(42);

  @Test
  void the_defaults_are_ten_retries_from_100_ms_within_5_s() {
    LockRetry defaults = LockRetry.DEFAULTS;

    assertThat(defaults.maxRetries()).isEqualTo(10);
    assertThat(defaults.delay()).isEqualTo(Duration.ofMillis(100));
    assertThat(defaults.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(defaults.backoff()).isEqualTo(EXPONENTIAL);
    assertThat(defaults.jitter()).isEqualTo(EQUAL);
  }

  @Test
  void an_exponential_delay_doubles_with_each_attempt() {
    LockRetry retry = LockRetry.DEFAULTS.with(EXPONENTIAL, NONE);

    assertThat(LongStream.rangeClosed(1, 6).map(attempt -> delay(retry, (int) attempt, UNLIMITED)))
        .containsExactly(100 * MS, 200 * MS, 400 * MS, 800 * MS, 1600 * MS, 3200 * MS);
  }

  @Test
  void a_fixed_delay_stays() {
    LockRetry retry = LockRetry.DEFAULTS.with(FIXED, NONE);

    assertThat(LongStream.of(1, 2, 50).map(attempt -> delay(retry, (int) attempt, UNLIMITED)))
        .containsOnly(100 * MS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void equal_jitter_is_spread_from_half_the_delay_to_the_delay(int attempt) {
    long full = 100 * MS << (attempt - 1);

    LongSummaryStatistics delays = delays(LockRetry.DEFAULTS, attempt, UNLIMITED);

    assertThat(delays.getMin()).isBetween(full / 2, full / 2 + full / 20);
    assertThat(delays.getMax()).isBetween(full - full / 20, full - 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void full_jitter_is_spread_from_nothing_to_the_delay(int attempt) {
    long full = 100 * MS << (attempt - 1);

    LongSummaryStatistics delays =
        delays(LockRetry.DEFAULTS.with(EXPONENTIAL, FULL), attempt, UNLIMITED);

    assertThat(delays.getMin()).isBetween(0L, full / 20);
    assertThat(delays.getMax()).isBetween(full - full / 20, full - 1);
  }

  @ParameterizedTest
  @EnumSource
  void no_delay_is_longer_than_the_time_left(LockRetry.Jitter jitter) {
    LockRetry retry = LockRetry.DEFAULTS.with(EXPONENTIAL, jitter);

    assertThat(delays(retry, 5, 30 * MS).getMax()).isLessThanOrEqualTo(30 * MS);
    assertThat(delays(retry, 5, 1).getMax()).isLessThanOrEqualTo(1);
    assertThat(delays(retry, 5, 0).getMax()).isZero();
  }

  @Test
  void the_time_left_cuts_a_delay_and_does_not_spread_it_below_its_bounds() {
    LockRetry retry = LockRetry.DEFAULTS.withDelay(Duration.ofMillis(1000));

    LongSummaryStatistics delays = delays(retry, 1, 600 * MS);

    assertThat(delays.getMin()).isGreaterThanOrEqualTo(500 * MS);
    assertThat(delays.getMax()).isEqualTo(600 * MS);
  }

  @ParameterizedTest
  @EnumSource
  void no_delay_means_at_once(LockRetry.Jitter jitter) {
    LockRetry retry = LockRetry.DEFAULTS.withDelay(Duration.ZERO).with(EXPONENTIAL, jitter);

    assertThat(delays(retry, 7, UNLIMITED).getMax()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void many_attempts_and_huge_delays_do_not_overflow(LockRetry.Jitter jitter) {
    LockRetry retry = LockRetry.DEFAULTS.with(EXPONENTIAL, jitter);
    LockRetry huge = retry.withDelay(Duration.ofSeconds(Long.MAX_VALUE));

    for (int attempt : new int[] {40, 63, 64, 65, 1000, Integer.MAX_VALUE}) {
      assertThat(delays(retry, attempt, UNLIMITED).getMin()).isNotNegative();
      assertThat(delays(huge, attempt, 5000 * MS).getMax()).isBetween(0L, 5000 * MS);
    }
  }

  @Test
  void negative_values_are_refused() {
    assertInvalid(() -> LockRetry.DEFAULTS.withMaxRetries(-1));
    assertInvalid(() -> LockRetry.DEFAULTS.withDelay(Duration.ofMillis(-1)));
    assertInvalid(() -> LockRetry.DEFAULTS.withTimeout(Duration.ofNanos(-1)));
  }

  private long delay(LockRetry retry, int attempt, long leftNanos) {
    return retry.delayNanos(attempt, leftNanos, random);
  }

  private LongSummaryStatistics delays(LockRetry retry, int attempt, long leftNanos) {
    return LongStream.generate(() -> delay(retry, attempt, leftNanos))
        .limit(2000)
        .summaryStatistics();
  }

  private static void assertInvalid(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LockException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }
}
