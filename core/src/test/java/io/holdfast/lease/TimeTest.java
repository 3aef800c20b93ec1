package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTest {
  @Test
  void a_moment_is_so_many_milliseconds_later() {
    assertThat(Time.after(5, 3)).isEqualTo(3_000_005);
    assertThat(Time.after(5, 0)).isEqualTo(5);
    assertThat(Time.after(-7_000_000, 7)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 9_000_000_000_000_000L, 3_000_000_000_000L})
  void a_moment_too_far_away_is_held_back_so_that_it_stays_in_the_future(long durationMs) {
    for (long from : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      long distance = Time.after(from, durationMs) - from;

      assertThat(distance).isGreaterThan(Duration.ofDays(50 * 365).toNanos());
      assertThat(distance + Duration.ofDays(50 * 365).toNanos()).isPositive();
    }
  }

  @Test
  void system_time_goes_forward_and_leaves_instants_to_the_store() {
    Time time = Time.system();
    long before = time.nanos();

    time.park(before + 1_000_000);

    assertThat(time.nanos() - before).isPositive();
    assertThat(time.databaseMs()).isEmpty();
  }
}
