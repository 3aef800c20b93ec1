package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustTest {
  private final HandClock clock = new HandClock();

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "9, 9",
    "10, 9",
    "100, 90",
    "3000, 2700",
    "9999, 9000",
    "10000, 9000",
    "10001, 9001",
    "30000, 29000",
    "3600000, 3599000"
  })
  void it_ends_a_tenth_of_the_ttl_but_at_most_a_second_early(long ttlMs, long trustMs) {
    Trust trust = new Trust(clock, 0, ttlMs);

    assertThat(trust.untilNanos()).isEqualTo(trustMs * 1_000_000);
    clock.to(trustMs - 1);
    assertThat(trust.holds()).isTrue();
    clock.to(trustMs);
    assertThat(trust.holds()).isFalse();
  }

  @Test
  void it_counts_from_the_start_of_the_request() {
    clock.to(2000);

    Trust trust = new Trust(clock, 0, 3000);

    clock.to(2699);
    assertThat(trust.holds()).isTrue();
    clock.to(2700);
    assertThat(trust.holds()).isFalse();
  }

  @Test
  void a_renewal_replaces_the_deadline_and_may_shorten_it() {
    Trust trust = new Trust(clock, 0, 3000);

    trust.renew(1_000_000_000, 3000);
    assertThat(trust.untilNanos()).isEqualTo(3_700_000_000L);

    trust.renew(1_000_000_000, 100);
    assertThat(trust.untilNanos()).isEqualTo(1_090_000_000L);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1_000_000_000, Long.MAX_VALUE - 5, Long.MIN_VALUE})
  void a_huge_ttl_saturates_wherever_the_clock_stands(long startNanos) {
    clock.startAt(startNanos);

    Trust trust = new Trust(clock, startNanos, 9_000_000_000_000_000L);

    assertThat(trust.holds()).isTrue();
    clock.startAt(startNanos + Duration.ofDays(50 * 365).toNanos());
    assertThat(trust.holds()).isTrue();
  }
}
