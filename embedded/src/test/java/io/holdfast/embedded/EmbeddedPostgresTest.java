package io.holdfast.embedded;

import static io.holdfast.embedded.Directories.assertShutDown;
import static io.holdfast.embedded.Directories.execute;
import static io.holdfast.embedded.Directories.query;
import static io.holdfast.embedded.Directories.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One caller: durable, closed to others, tidy. */
class EmbeddedPostgresTest {
  @TempDir Path temp;

  @Test
  void committed_rows_survive_close_and_reopen() throws Exception {
    Path dataDir = shared();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      execute(postgres, "DROP TABLE IF EXISTS kept");
      execute(postgres, "CREATE TABLE kept AS SELECT 'grüße' AS word");
    }
    assertShutDown(dataDir);

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(query(postgres, "SELECT word FROM kept")).isEqualTo("grüße");
    }
  }

  @Test
  void the_server_is_durable_and_closed_whatever_its_configuration_says() throws Exception {
    Path dataDir = shared();
    Path configuration = Directories.cluster(dataDir).resolve("postgresql.auto.conf");
    Files.writeString(configuration, "fsync=off\nsynchronous_commit=off\nlisten_addresses='*'\n");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      Map<String, String> expected =
          Map.ofEntries(
              Map.entry("fsync", "on"),
              Map.entry("synchronous_commit", "on"),
              Map.entry("full_page_writes", "on"),
              Map.entry("data_checksums", "on"),
              Map.entry("listen_addresses", "127.0.0.1"),
              Map.entry("unix_socket_directories", ""),
              Map.entry("password_encryption", "scram-sha-256"),
              Map.entry("shared_buffers", "128MB"),
              Map.entry("max_connections", "100"),
              Map.entry("server_encoding", "UTF8"),
              Map.entry("log_timezone", "UTC"),
              Map.entry("logging_collector", "on"),
              Map.entry("log_truncate_on_rotation", "on"));
      for (Map.Entry<String, String> setting : expected.entrySet()) {
        assertThat(query(postgres, "SHOW " + setting.getKey()))
            .as(setting.getKey())
            .isEqualTo(setting.getValue());
      }
      // SHOW would tell what the driver asked for.
      assertThat(query(postgres, "SELECT setting FROM pg_file_settings WHERE name = 'timezone'"))
          .isEqualTo("UTC");
      assertThat(query(postgres, "SELECT current_database()")).isEqualTo("holdfast");
      assertThat(query(postgres, "SHOW server_version")).startsWith("18.");
    } finally {
      Files.writeString(configuration, "");
    }
  }

  @Test
  void a_login_without_the_password_is_refused() throws IOException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(shared())) {
      String url = "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/holdfast?user=holdfast";

      for (String password : List.of("", "&password=", "&password=wrong")) {
        assertThatThrownBy(() -> DriverManager.getConnection(url + password).close())
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("password");
      }
    }
  }

  @Test
  void the_port_is_closed_on_every_other_address_of_this_machine() throws IOException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(shared())) {
      List<InetAddress> others =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(address -> !address.getHostAddress().equals("127.0.0.1"))
              .toList();

      for (InetAddress other : others) {
        assertThatThrownBy(() -> new Socket(other, postgres.port()).close())
            .as(other.toString())
            .isInstanceOf(ConnectException.class);
      }
      new Socket("127.0.0.1", postgres.port()).close();
    }
  }

  @Test
  void the_password_is_its_owners_only_and_not_shown() throws IOException {
    Path dataDir = shared();
    Path file = new DataDirectory(dataDir).passwordFile();
    Trees.allow(file, "rw-r--r--");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(postgres.password()).hasSize(32).isEqualTo(Files.readString(file));
      assertThat(postgres.toString()).doesNotContain(postgres.password());
      Path command = Path.of("/proc/" + postgres.postmaster().pid() + "/cmdline");
      assertThat(Files.readString(command)).doesNotContain(postgres.password());
    }
  }

  @Test
  void the_server_logs_into_the_data_directory() throws IOException {
    Path dataDir = shared();
    EmbeddedPostgres.open(dataDir).close();

    try (Stream<Path> logs = Files.list(Directories.cluster(dataDir).resolve("log"))) {
      assertThat(logs)
          .isNotEmpty()
          .allMatch(log -> log.getFileName().toString().matches("postgresql-\\w{3}\\.log"));
    }
  }

  @Test
  void callers_settings_count_and_ours_cannot_be_replaced() throws Exception {
    EmbeddedOptions options = EmbeddedOptions.defaults().withSetting("max_connections", "17");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(shared(), options)) {
      assertThat(query(postgres, "SHOW max_connections")).isEqualTo("17");
    }
    for (String name : List.of("listen_addresses", "port", "hba_file", "-c fsync", "FSYNC")) {
      assertThatThrownBy(() -> options.withSetting(name, "1"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(name);
    }
    assertThatThrownBy(() -> options.withStartTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_server_that_cannot_start_says_why_and_leaves_nothing() throws IOException {
    Path dataDir = shared();
    EmbeddedOptions bad = EmbeddedOptions.defaults().withSetting("max_connections", "many");

    assertThatThrownBy(() -> EmbeddedPostgres.open(dataDir, bad))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(dataDir.toString())
        .hasMessageContaining("max_connections");

    assertThat(new DataDirectory(dataDir).users()).isEmptyDirectory();
    EmbeddedPostgres.open(dataDir).close();
  }

  @Test
  void a_cluster_half_made_by_a_killed_process_is_made_anew() throws Exception {
    Path dataDir = Directories.open(temp).resolve("data");
    Files.createDirectories(dataDir.resolve("staging-1/cluster"));
    Files.writeString(dataDir.resolve("staging-1/cluster/PG_VERSION"), "18\n");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
    assertThat(dataDir).isDirectoryNotContaining("glob:**/staging*");
  }

  @Test
  void an_interrupted_caller_still_stops_the_server() throws IOException {
    Path dataDir = shared();
    EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir);

    Thread.currentThread().interrupt();
    postgres.close();

    assertThat(Thread.interrupted()).isTrue();
    assertShutDown(dataDir);
  }
}
