package io.holdfast.client.proto;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GoDurationTest {
  @Test
  void texts_are_those_of_go() {
    assertThat(GoDuration.format(Duration.ZERO)).isEqualTo("0s");
    assertThat(GoDuration.format(Duration.ofNanos(1))).isEqualTo("1ns");
    assertThat(GoDuration.format(Duration.ofNanos(1_500))).isEqualTo("1.5µs");
    assertThat(GoDuration.format(Duration.ofMillis(100))).isEqualTo("100ms");
    assertThat(GoDuration.format(Duration.ofMillis(1_500))).isEqualTo("1.5s");
    assertThat(GoDuration.format(Duration.ofSeconds(10))).isEqualTo("10s");
    assertThat(GoDuration.format(Duration.ofMinutes(1))).isEqualTo("1m0s");
    assertThat(GoDuration.format(Duration.ofHours(24))).isEqualTo("24h0m0s");
    assertThat(GoDuration.format(Duration.ofSeconds(-90))).isEqualTo("-1m30s");
    assertThat(GoDuration.format(Duration.ofNanos(Long.MAX_VALUE)))
        .isEqualTo("2562047h47m16.854775807s");
  }

  @Test
  void what_was_written_is_read() {
    for (long nanos : new long[] {0, 1, 999, 1_000, 1_234_567, 60_000_000_001L, Long.MAX_VALUE}) {
      Duration duration = Duration.ofNanos(nanos);
      assertThat(GoDuration.parse(GoDuration.format(duration))).contains(duration);
      assertThat(GoDuration.parse(GoDuration.format(duration.negated())))
          .contains(duration.negated());
    }
  }

  @Test
  void every_spelling_is_read() {
    assertThat(GoDuration.parse("0")).contains(Duration.ZERO);
    assertThat(GoDuration.parse("+5s")).contains(Duration.ofSeconds(5));
    assertThat(GoDuration.parse("1.5h")).contains(Duration.ofMinutes(90));
    assertThat(GoDuration.parse(".5s")).contains(Duration.ofMillis(500));
    assertThat(GoDuration.parse("1.s")).contains(Duration.ofSeconds(1));
    assertThat(GoDuration.parse("1h2m3s4ms5us6ns"))
        .contains(Duration.ofHours(1).plusMinutes(2).plusSeconds(3).plusNanos(4_005_006));
    assertThat(GoDuration.parse("0.1ns")).contains(Duration.ZERO);
  }

  @Test
  void what_is_none_is_refused() {
    for (String text :
        new String[] {
          "",
          "-",
          "1",
          "s",
          ".s",
          "1 s",
          " 1s",
          "1s ",
          "5d",
          "1s5",
          "--1s",
          "1e3s",
          "9999999h",
          "9".repeat(500) + "s"
        }) {
      assertThat(GoDuration.parse(text)).as(text).isEmpty();
    }
  }
}
