package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lock.Acquired;
import io.holdfast.testkit.Guarantee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops without a word, and comes back. */
@Timeout(120)
class LockCrashTest {
  @Test
  @Guarantee("L97")
  void fences_do_not_go_back_after_an_immediate_restart(@TempDir Path directory) throws Exception {
    long before = 0;
    try (EmbeddedPostgres server = EmbeddedPostgres.open(directory.resolve("data"))) {
      try (PostgresHoldfast holdfast = PostgresHoldfast.open(server.jdbcUrl())) {
        for (int i = 0; i < 20; i++) {
          Acquired lock = (Acquired) holdfast.locks().acquire("k", Duration.ofMinutes(1));
          before = lock.fence().value();
          lock.release();
        }
        stopAtOnce(server.jdbcUrl());
      }
    }
    try (EmbeddedPostgres server = EmbeddedPostgres.open(directory.resolve("data"));
        PostgresHoldfast holdfast = PostgresHoldfast.open(server.jdbcUrl())) {
      Acquired lock = (Acquired) holdfast.locks().acquire("k", Duration.ofMinutes(1));
      assertThat(lock.fence().value()).isEqualTo(before + 1);
    }
  }

  /** SIGQUIT: the server's immediate shutdown, after which it has to recover from its log. */
  private static void stopAtOnce(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW data_directory")) {
      row.next();
      List<String> pidFile = Files.readAllLines(Path.of(row.getString(1), "postmaster.pid"));
      long pid = Long.parseLong(pidFile.get(0).trim());
      new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start().waitFor();
      ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    }
  }
}
