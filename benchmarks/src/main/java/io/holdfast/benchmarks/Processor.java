package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processor time of processes on this machine. Beside other work on the machine it tells more than
 * the time that passes.
 */
final class Processor {
  private Processor() {}

  static double seconds(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  /** That of this process. */
  static double own() {
    return seconds(ProcessHandle.current());
  }

  /** The first process of the server at a place; null when it is not on this machine. */
  static @Nullable ProcessHandle server(Place place) throws SQLException {
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return ProcessHandle.of(row.getLong(1))
          .filter(Processor::isPostgres)
          .flatMap(ProcessHandle::parent)
          .orElse(null);
    }
  }

  private static boolean isPostgres(ProcessHandle process) {
    Optional<String> command = process.info().command();
    return command.isPresent() && command.get().endsWith("postgres");
  }

  /** That of a server's processes that are alive. */
  static double ofServer(@Nullable ProcessHandle server) {
    return server == null
        ? Double.NaN
        : Stream.concat(Stream.of(server), server.children()).mapToDouble(Processor::seconds).sum();
  }
}
