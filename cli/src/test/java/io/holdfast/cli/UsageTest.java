package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every command says when it is asked for help, wrongly, or in vain. None needs a database.
 */
class UsageTest {
  private static final int SCREEN_LINES = 24;
  private static final int SCREEN_COLUMNS = 80;

  @TempDir Path directory;

  /** Runs all at once: they are independent, and most of their time is the JVM's start. */
  private List<Cli.Done> all(String... commands) {
    List<Cli> started =
        Stream.of(commands).map(command -> Cli.start(directory, command.split(" "))).toList();
    return started.stream().map(Cli::end).toList();
  }

  private static List<Cli.Done> here(String... commands) {
    return Stream.of(commands).map(command -> Cli.here(command.split(" "))).toList();
  }

  @Test
  void every_help_fits_a_screen() {
    List<Cli.Done> helps =
        here(
            "--help",
            "run --help",
            "locks --help",
            "locks list --help",
            "locks stats --help",
            "locks show --help",
            "locks break --help",
            "migrate --help",
            "serve --help",
            "queues --help",
            "queues create --help",
            "queues peek --help",
            "streams --help",
            "streams configure --help",
            "jobs --help",
            "jobs retry --help",
            "produce --help",
            "enqueue --help",
            "top --help",
            "bench --help",
            "doctor --help",
            "token --help",
            "token create --help");

    assertThat(helps)
        .allSatisfy(
            help -> {
              assertThat(help.code()).isZero();
              assertThat(help.err()).isEmpty();
              assertThat(help.out().lines())
                  .hasSizeBetween(5, SCREEN_LINES)
                  .allMatch(line -> line.length() <= SCREEN_COLUMNS);
            });
  }

  @Test
  void a_mistake_in_usage_is_exit_2_and_one_line() {
    List<Cli.Done> mistakes = new ArrayList<>(all("run --lock k", "migrate --db x --data y"));
    mistakes.addAll(
        here(
            "locks",
            "no-such-command",
            "run --lock k --ttl 30 -- true",
            "run --lock k --ttl 50ms -- true",
            "run -- true",
            "locks list --limit 0",
            "locks break k --fence minus-one",
            "migrate --print --status",
            "migrate --json",
            "migrate --table 1st"));

    assertThat(mistakes)
        .allSatisfy(
            mistake -> {
              assertThat(mistake.code()).isEqualTo(2);
              assertThat(mistake.out()).isEmpty();
              assertThat(mistake.err()).startsWith("holdfast: ").hasLineCount(1);
            });
    assertThat(directory).as("nothing was made").isEmptyDirectory();
  }

  @Test
  void a_password_is_never_shown() {
    List<Cli.Done> failures =
        new ArrayList<>(
            all(
                "migrate --db postgres://user:geheim@127.0.0.1:1/db",
                "run --lock k --db jdbc:postgresql://127.0.0.1:1/db?user=u&password=geheim true",
                "migrate --db jdbc:postgresql://user:geheim@host:port:bad"));
    failures.addAll(
        here(
            "migrate --db mysql://user:geheim@host/db",
            "migrate --dbb=postgres://user:geheim@host/db",
            "locks list postgres://user:geheim@host/db"));

    assertThat(failures)
        .extracting(Cli.Done::code)
        .containsExactly(Exit.FAILED, Exit.FAILED, 2, 2, 2, 2);
    assertThat(failures)
        .allSatisfy(
            failure -> {
              assertThat(failure.out()).isEmpty();
              assertThat(failure.err())
                  .startsWith("holdfast: ")
                  .hasLineCount(1)
                  .doesNotContain("geheim");
            });
    assertThat(failures.get(0).err()).contains("ServiceUnavailable", "127.0.0.1:1 refused");
  }

  @Test
  void looking_for_locks_makes_no_database() {
    Cli.Done done = all("locks list").get(0);

    assertThat(done.code()).isEqualTo(1);
    assertThat(done.err()).contains("there is no database in holdfast-data").hasLineCount(1);
    assertThat(directory).isEmptyDirectory();
  }
}
