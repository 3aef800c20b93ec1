package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.job.Backoff;
import io.holdfast.job.JobException;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final Random random = new Random(1);

  @Test
  @Guarantee("W19")
  void delays_are_exact_without_jitter() {
    Backoff backoff = new Backoff(SECOND, 2, HOUR, 0);

    List<Duration> delays =
        IntStream.rangeClosed(1, 14).mapToObj(a -> backoff.delay(a, random)).toList();

    assertThat(delays.subList(0, 12))
        .isEqualTo(IntStream.range(0, 12).mapToObj(a -> Duration.ofSeconds(1L << a)).toList());
    assertThat(delays.subList(12, 14)).containsExactly(HOUR, HOUR);
  }

  @Test
  @Guarantee("W19")
  void delays_are_bounded_with_jitter() {
    Backoff backoff = new Backoff(SECOND, 3, HOUR, 0.2);

    for (int attempt = 1; attempt <= 12; attempt++) {
      double plain = Math.min(HOUR.toMillis(), 1000 * Math.pow(3, attempt - 1));
      for (int i = 0; i < 1_000; i++) {
        double millis = backoff.delay(attempt, random).toNanos() / 1e6;
        assertThat(millis)
            .isBetween(plain * 0.8 - 0.001, Math.min(HOUR.toMillis(), plain * 1.2 + 0.001));
      }
    }
  }

  @Test
  @Guarantee("W19")
  void with_full_jitter_delays_begin_at_nothing() {
    Backoff backoff = new Backoff(SECOND, 1, Duration.ofSeconds(2), 1);

    List<Duration> delays =
        IntStream.range(0, 10_000).mapToObj(i -> backoff.delay(1, random)).toList();

    assertThat(delays).allMatch(d -> !d.isNegative() && d.compareTo(SECOND.multipliedBy(2)) <= 0);
    assertThat(delays).anyMatch(d -> d.toMillis() < 10).anyMatch(d -> d.toMillis() > 1_990);
  }

  @Test
  @Guarantee("W19")
  void delays_are_repeatable_by_seed() {
    Backoff backoff = Backoff.DEFAULT;

    assertThat(delays(backoff, 5)).isEqualTo(delays(backoff, 5)).isNotEqualTo(delays(backoff, 6));
  }

  private static List<Duration> delays(Backoff backoff, long seed) {
    Random seeded = new Random(seed);
    return IntStream.rangeClosed(1, 10).mapToObj(a -> backoff.delay(a, seeded)).toList();
  }

  @Test
  @Guarantee({"W19", "JF20"})
  void the_delay_after_the_last_possible_attempt_is_the_cap() {
    assertThat(new Backoff(SECOND, 2, HOUR, 0).delay(Integer.MAX_VALUE, random)).isEqualTo(HOUR);
    assertThat(new Backoff(SECOND, 1e300, HOUR, 0).delay(Integer.MAX_VALUE, random))
        .isEqualTo(HOUR);
    assertThat(Backoff.DEFAULT.delay(Integer.MAX_VALUE, random))
        .isBetween(Duration.ofMinutes(48), HOUR);
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(new Backoff(SECOND, 2, longest, 0.2).delay(Integer.MAX_VALUE, random)).isPositive();
  }

  @Test
  @Guarantee("W19")
  void nothing_waits_for_a_failure_that_did_not_happen_or_without_a_base() {
    assertThat(Backoff.DEFAULT.delay(0, random)).isZero();
    assertThat(Backoff.DEFAULT.delay(Integer.MIN_VALUE, random)).isZero();
    assertThat(Backoff.none().delay(7, random)).isZero();
    assertThat(new Backoff(SECOND.negated(), 2, HOUR, 0).delay(7, random)).isZero();
  }

  @Test
  @Guarantee("W19")
  void what_makes_no_sense_is_refused() {
    assertThatThrownBy(() -> new Backoff(SECOND, 0.99, HOUR, 0)).isInstanceOf(JobException.class);
    assertThatThrownBy(() -> new Backoff(SECOND, Double.NaN, HOUR, 0))
        .isInstanceOf(JobException.class);
    assertThatThrownBy(() -> new Backoff(HOUR, 2, SECOND, 0)).isInstanceOf(JobException.class);
    assertThatThrownBy(() -> new Backoff(SECOND, 2, HOUR, 1.01)).isInstanceOf(JobException.class);
    assertThatThrownBy(() -> new Backoff(SECOND, 2, HOUR, -0.01)).isInstanceOf(JobException.class);
  }
}
