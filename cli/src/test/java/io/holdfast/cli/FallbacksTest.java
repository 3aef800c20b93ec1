package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

class FallbacksTest {
  @TempDir Path directory;

  @Command
  static final class Given {
    @Option(names = "--db")
    String db;

    @Option(names = "--memory")
    boolean memory;

    @Option(names = "--demo")
    boolean demo;

    @Option(names = "--tokens")
    Path tokens;

    @Option(names = "--config")
    Path config;
  }

  private static Given given(Map<String, String> environment, String... arguments) {
    Given given = new Given();
    CommandLine line = new CommandLine(given);
    line.parseArgs(arguments);
    Fallbacks.apply(line, environment, Set.of("--db", "--memory"));
    return given;
  }

  private String file(String text) throws IOException {
    return Files.writeString(directory.resolve("options"), text).toString();
  }

  @Test
  void a_place_on_the_command_line_wins_over_another_in_the_environment() {
    Given given = given(Map.of("HOLDFAST_DB", "postgres://host/db"), "--memory");

    assertThat(given.memory).isTrue();
    assertThat(given.db).isNull();
  }

  @Test
  void a_place_in_the_environment_wins_over_another_in_the_file() throws IOException {
    String file = file("db = postgres://host/db\ndemo = true");

    Given given = given(Map.of("HOLDFAST_MEMORY", "1"), "--config", file);

    assertThat(given.memory).isTrue();
    assertThat(given.db).isNull();
    assertThat(given.demo).isTrue();
  }

  @Test
  void a_flag_that_is_off_in_the_environment_silences_nothing() throws IOException {
    String file = file("db = postgres://host/db");

    assertThat(given(Map.of("HOLDFAST_MEMORY", "false"), "--config", file).db).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"true, true", "1, true", "false, false", "0, false"})
  void a_flag_has_four_words(String word, boolean isOn) {
    assertThat(given(Map.of("HOLDFAST_DEMO", word)).demo).isEqualTo(isOn);
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "on", "TRUE", "2"})
  void other_words_for_a_flag_are_refused(String word) {
    assertThatThrownBy(() -> given(Map.of("HOLDFAST_DEMO", word)))
        .isInstanceOf(ParameterException.class)
        .hasMessage("--demo: true or false");
  }

  @Test
  void a_name_alone_in_the_file_turns_a_flag_on_and_is_no_value_for_others() throws IOException {
    assertThat(given(Map.of(), "--config", file("demo")).demo).isTrue();
    String file = file("tokens =");
    assertThatThrownBy(() -> given(Map.of(), "--config", file))
        .isInstanceOf(ParameterException.class)
        .hasMessage("--tokens: a value is missing");
  }
}
