package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lease.Fence;
import io.holdfast.lock.LockKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

class ArgumentsTest {
  @Command
  static final class Given {
    @Option(names = "-d")
    Duration duration;

    @Option(names = "-k")
    LockKey key;

    @Option(names = "-f")
    Fence fence;
  }

  private static Given parse(String option, String value) {
    Given given = new Given();
    CommandLine line = new CommandLine(given);
    Arguments.register(line);
    line.parseArgs(option, value);
    return given;
  }

  @ParameterizedTest
  @CsvSource({"0, PT0S", "500ms, PT0.5S", "30s, PT30S", "5m, PT5M", "1h, PT1H", "0s, PT0S"})
  void durations_have_a_unit(String text, Duration duration) {
    assertThat(parse("-d", text).duration).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"30", "", "s", "-1s", "1.5s", "1d", "PT30S", "9999999999s"})
  void other_durations_are_refused(String text) {
    assertThatThrownBy(() -> parse("-d", text))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("is not a duration");
  }

  @Test
  void a_fence_may_lack_its_leading_zeros() {
    assertThat(parse("-f", "7").fence).isEqualTo(parse("-f", "000000000000007").fence);
  }

  @Test
  void a_key_that_could_not_be_decoded_is_refused() {
    assertThat(parse("-k", "cafe\u0301").key).isEqualTo(LockKey.of("caf\u00e9"));
    assertThatThrownBy(() -> parse("-k", "caf\uFFFD"))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("UTF-8");
  }
}
