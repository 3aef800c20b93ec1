package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.postgres.Migrations;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast migrate} on fresh databases of an embedded server. */
class MigrateCommandTest {
  private static final String STEPS =
      Migrations.all().stream()
          .map(step -> "applied  " + step.fileName() + "\n")
          .collect(Collectors.joining());
  private static final String UP_TO_DATE = "the schema is up to date\n";

  @TempDir static Path directory;
  static EmbeddedPostgres postgres;

  @BeforeAll
  static void open() {
    postgres = EmbeddedPostgres.open(directory.resolve("data"));
  }

  @AfterAll
  static void close() {
    postgres.close();
  }

  /** A new database, as the address that most other tools use. */
  private static String fresh(String name) throws SQLException {
    execute(postgres.jdbcUrl(), "CREATE DATABASE " + name);
    return "postgres://%s:%s@127.0.0.1:%d/%s"
        .formatted(postgres.user(), postgres.password(), postgres.port(), name);
  }

  private static String jdbc(String name) {
    return postgres.jdbcUrl().replace("/" + postgres.database() + "?", "/" + name + "?");
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** How many tables, indexes and functions of users there are. */
  private static int objects(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT (SELECT count(*) FROM pg_class WHERE oid >= 16384)
                     + (SELECT count(*) FROM pg_proc WHERE oid >= 16384)
                """)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static JsonNode status(String url) throws JsonProcessingException {
    Cli.Done done = Cli.run("migrate", "--status", "--json", "--db", url);
    assertThat(done.err()).isEmpty();
    return new ObjectMapper().readTree(done.out());
  }

  @Test
  void the_printed_script_is_all_that_a_fresh_database_needs() throws Exception {
    String url = fresh("scripted");
    Cli.Done script = Cli.run("migrate", "--print");
    assertThat(script.err()).isEmpty();

    execute(jdbc("scripted"), script.out());

    int before = objects(jdbc("scripted"));
    assertThat(status(url).get("complete").booleanValue()).isTrue();
    assertThat(Cli.run("migrate", "--db", url)).isEqualTo(new Cli.Done(0, UP_TO_DATE, ""));
    assertThat(objects(jdbc("scripted"))).isEqualTo(before).isPositive();
  }

  @Test
  void migrate_applies_what_is_missing_once() throws Exception {
    String url = fresh("migrated");

    JsonNode pending = status(url);
    assertThat(pending.get("complete").booleanValue()).isFalse();
    assertThat(pending.get("steps").get(0).get("applied").booleanValue()).isFalse();
    assertThat(pending.get("lockTables").get("complete").booleanValue()).isFalse();
    assertThat(objects(jdbc("migrated"))).as("made by looking").isZero();

    assertThat(Cli.run("migrate", "--db", url)).isEqualTo(new Cli.Done(0, STEPS + UP_TO_DATE, ""));
    assertThat(Cli.run("migrate", "--db", url).out()).isEqualTo(UP_TO_DATE);
    assertThat(Cli.run("migrate", "--status", "--db", url).out())
        .isEqualTo(STEPS + "applied  lock tables\n");
  }

  @Test
  void other_tables_are_set_up_beside() throws Exception {
    String url = fresh("renamed");
    String[] names = {"--table", "Locks", "--fence-table", "Fences", "--schema", "public"};

    assertThat(Cli.run(with(names, "migrate", "--db", url)).code()).isZero();

    assertThat(Cli.run(with(names, "run", "--db", url, "--lock", "k", "true")).code()).isZero();
    assertThat(objects(jdbc("renamed"))).isPositive();
    assertThat(status(url).get("lockTables").get("complete").booleanValue()).isFalse();
  }

  /** The command, then the names, then the rest of its arguments. */
  private static String[] with(String[] names, String command, String... rest) {
    return Stream.of(new String[] {command}, names, rest)
        .flatMap(Stream::of)
        .toArray(String[]::new);
  }
}
