package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.postgres.Finding.Level;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoctorTest {
  private static List<Finding> examine(String change) throws SQLException {
    try (Connection connection = TestDatabase.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(change);
      return Doctor.examine(connection, Clock.systemUTC());
    }
  }

  @Test
  void a_clock_that_is_far_away_is_told() throws SQLException {
    try (Connection connection = TestDatabase.connect()) {
      Clock slow = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(-90));

      assertThat(Doctor.examine(connection, slow))
          .filteredOn(finding -> finding.subject().equals("clock"))
          .extracting(Finding::level)
          .containsExactly(Level.WARNING);
    }
  }

  @Test
  void a_sound_setting_is_said_to_be_sound() throws SQLException {
    List<Finding> findings = examine("SET synchronous_commit = on");

    assertThat(findings).contains(Finding.ok("synchronous_commit", "on"));
    assertThat(findings)
        .extracting(Finding::subject)
        .contains("version", "clock", "connections", "max_wal_size", "autovacuum", "indexes");
  }

  @Test
  void a_dangerous_setting_is_a_problem_with_a_way_out() throws SQLException {
    assertThat(examine("SET synchronous_commit = off"))
        .filteredOn(finding -> finding.subject().equals("synchronous_commit"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.PROBLEM))
        .satisfies(finding -> assertThat(finding.advice()).contains("turn it on"));
  }

  @Test
  void it_tells_how_far_the_schema_is() {
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(TestDatabase.freshDatabase())) {
      assertThat(holdfast.examine())
          .filteredOn(finding -> finding.subject().equals("schema"))
          .extracting(Finding::level)
          .containsExactly(Level.WARNING);
      holdfast.migrations().apply();
      assertThat(holdfast.examine()).contains(Finding.ok("schema", "up to date"));
    }
  }

  @Test
  void an_index_that_is_gone_is_a_problem_that_its_statement_solves() throws SQLException {
    String url = TestDatabase.freshDatabase();
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url)) {
      holdfast.createTables();
      assertThat(holdfast.examine()).contains(Finding.ok("indexes", "all there, and valid"));
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("DROP INDEX holdfast.stream_cursor_ready, th_jobs_hf_ready_idx");

        List<Finding> missing = missing(holdfast);

        assertThat(missing)
            .extracting(Finding::subject)
            .satisfiesExactly(
                stream -> assertThat(stream).isEqualTo("index holdfast.stream_cursor_ready"),
                job -> assertThat(job).endsWith(".th_jobs_hf_ready_idx"));
        for (Finding finding : missing) {
          statement.execute(finding.advice().substring("make it: ".length()));
        }
      }
      assertThat(missing(holdfast)).isEmpty();
    }
  }

  private static List<Finding> missing(PostgresHoldfast holdfast) {
    return holdfast.examine().stream()
        .filter(finding -> finding.found().equals("missing"))
        .toList();
  }
}
