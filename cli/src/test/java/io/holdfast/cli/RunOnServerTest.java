package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.lock.Acquired;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast run} under a lock of a server. */
class RunOnServerTest {
  private static final Holdfast HOLDFAST = Holdfast.inMemory();
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static HoldfastServer server;

  @TempDir Path directory;

  @BeforeAll
  static void start() throws IOException {
    server =
        HoldfastServer.start(Services.of(HOLDFAST), ServerOptions.DEFAULTS.port(0).version("test"));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private Cli run(String... arguments) {
    return Cli.start(directory, Map.of("HOLDFAST_SERVER", server.address().toString()), arguments);
  }

  @Test
  void a_lock_that_is_taken_on_the_server_of_the_environment_is_exit_75() {
    try (Acquired lock = (Acquired) HOLDFAST.locks().acquire("taken", MINUTE);
        Cli cli = run("run", "--lock", "taken", "--", "echo", "ran")) {
      Cli.Done done = cli.end();

      assertThat(done.code()).isEqualTo(Exit.TAKEN);
      assertThat(done.out()).isEmpty();
      assertThat(lock.isHeld()).isTrue();
    }
    assertThat(directory).as("no database was made").isEmptyDirectory();
  }

  @Test
  void the_lock_is_held_on_the_server_until_the_command_ends() {
    String command = "echo $HOLDFAST_FENCE; read line";
    try (Cli cli = run("run", "--lock", "held", "--ttl", "6s", "--", "sh", "-c", command)) {
      String fence = cli.line("0");
      Instant before = end("held");
      Cli.await("it was renewed", () -> end("held").isAfter(before));

      assertThat("0" + fence)
          .isEqualTo(HOLDFAST.locks().lookup("held").orElseThrow().fence().text());
      assertThat(cli.hangUp().end().err()).isEmpty();
      assertThat(HOLDFAST.locks().lookup("held")).isEmpty();
    }
  }

  private static Instant end(String key) {
    return HOLDFAST.locks().lookup(key).orElseThrow().expiresAt();
  }

  @Test
  void a_server_and_a_database_exclude_each_other() {
    Cli.Done done =
        Cli.here("run", "--lock", "k", "--server", "http://localhost:1", "--data", "d", "true");

    assertThat(done.code()).isEqualTo(Exit.USAGE);
    assertThat(done.err()).contains("--server excludes").hasLineCount(1);
  }
}
