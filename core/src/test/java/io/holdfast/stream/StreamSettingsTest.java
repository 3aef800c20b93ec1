package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {
  private final StreamSettings set =
      StreamSettings.DEFAULTS.changedBy(
          StreamConfig.of("q").leaseFor(Duration.ofSeconds(5)).with(StreamOption.TTL, 9));

  @Test
  void what_is_absent_stays() {
    StreamSettings next = set.changedBy(StreamConfig.of("q").with(StreamOption.RETRY_LIMIT, 1));

    assertThat(next.seconds(StreamOption.LEASE_TIME)).isEqualTo(Duration.ofSeconds(5));
    assertThat(next.number(StreamOption.TTL)).isEqualTo(9);
    assertThat(next.number(StreamOption.RETRY_LIMIT)).isEqualTo(1);
  }

  @Test
  void null_is_the_default() {
    StreamSettings next = set.changedBy(StreamConfig.of("q").with(StreamOption.LEASE_TIME, null));

    assertThat(next.number(StreamOption.LEASE_TIME)).isEqualTo(300);
    assertThat(next.number(StreamOption.TTL)).isEqualTo(9);
  }

  @Test
  void replacing_sets_the_rest_to_its_defaults() {
    StreamConfig config = StreamConfig.of("q").with(StreamOption.RETRY_LIMIT, 1).replacing();

    assertThat(set.changedBy(config).number(StreamOption.LEASE_TIME)).isEqualTo(300);
    assertThat(set.changedBy(config).number(StreamOption.RETRY_LIMIT)).isEqualTo(1);
  }

  @Test
  void the_dedup_window_has_no_value_unless_it_is_given() {
    assertThat(set.has(StreamOption.DEDUP_WINDOW)).isFalse();
    StreamConfig off = StreamConfig.of("q").with(StreamOption.DEDUP_WINDOW, 0);
    assertThat(set.changedBy(off).has(StreamOption.DEDUP_WINDOW)).isTrue();
  }

  @Test
  void every_option_has_a_name_that_finds_it_and_a_default_that_it_accepts() {
    for (StreamOption option : StreamOption.values()) {
      assertThat(StreamOption.named(option.text())).contains(option);
      option.check(option.byDefault());
    }
    assertThat(StreamOption.named("fairness")).isEmpty();
  }

  @Test
  void wrong_types_and_ranges_are_refused_by_name() {
    assertThatThrownBy(() -> StreamOption.LEASE_TIME.check(0L)).hasMessageContaining("leaseTime");
    assertThatThrownBy(() -> StreamOption.LEASE_TIME.check("1")).hasMessageContaining("leaseTime");
    assertThatThrownBy(() -> StreamOption.RETENTION_ENABLED.check(1L))
        .hasMessageContaining("retentionEnabled");
    assertThatThrownBy(() -> StreamOption.ON_EXHAUSTED.check("drop"))
        .hasMessageContaining("onExhausted");
  }
}
