package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.http.Limits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ServeLimitsTest {
  @Test
  void every_limit_has_a_name() {
    List<String> given =
        List.of(
            "connections=1",
            "threads=2",
            "waiting=3",
            "headers=32k",
            "body=1m",
            "idle=4s",
            "receive=5s",
            "answer=6s");

    assertThat(ServeLimits.of(given))
        .isEqualTo(
            new Limits(
                1,
                2,
                3,
                32 * 1024,
                1024 * 1024,
                Duration.ofSeconds(4),
                Duration.ofSeconds(5),
                Duration.ofSeconds(6)));
  }

  @Test
  void what_is_not_given_stays() {
    assertThat(ServeLimits.of(List.of("connections=500")))
        .isEqualTo(Limits.DEFAULTS.connections(500));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "idle",
        "nonsense=1",
        "connections=0",
        "connections=-1",
        "idle=30",
        "idle=0s",
        "headers=1",
        "body=2000m",
        "body=x"
      })
  void what_makes_no_sense_is_refused(String limit) {
    assertThatThrownBy(() -> ServeLimits.of(List.of(limit)))
        .isInstanceOf(TypeConversionException.class);
  }
}
