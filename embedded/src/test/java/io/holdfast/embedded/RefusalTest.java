package io.holdfast.embedded;

import static io.holdfast.embedded.Directories.cluster;
import static io.holdfast.embedded.Directories.query;
import static io.holdfast.embedded.Directories.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not ours is left alone; what a dead server left is no obstacle. */
class RefusalTest {
  @TempDir static Path temp;
  private static Path other = Path.of("");
  private Path dataDir = Path.of("");

  @BeforeAll
  static void copy() throws IOException {
    other = Directories.copy(Directories.open(temp).resolve("other"));
  }

  @BeforeEach
  void prepare() throws IOException {
    dataDir = shared();
  }

  @Test
  void a_cluster_made_by_somebody_else() throws IOException {
    assertRefused(cluster(dataDir), "did not create", "choose an empty directory");
    assertThat(cluster(dataDir)).isDirectoryNotContaining("glob:**/{lock,users,password}");

    Path password = new DataDirectory(dataDir).passwordFile();
    Path elsewhere = Files.move(password, temp.resolve("password"));
    assertRefused(dataDir, "did not create", "choose an empty directory");
    Files.move(elsewhere, password);
  }

  @Test
  void a_cluster_of_another_major_version() throws IOException {
    Path version = cluster(dataDir).resolve("PG_VERSION");
    Files.writeString(version, "17\n");

    assertRefused(dataDir, "PostgreSQL 17", "PostgreSQL 18");
    Files.writeString(version, "18\n");
  }

  @Test
  void a_pid_file_that_names_the_running_server_of_another_directory() throws IOException {
    try (EmbeddedPostgres running = EmbeddedPostgres.open(other)) {
      Files.copy(Postmaster.file(cluster(other)), Postmaster.file(cluster(dataDir)));

      assertRefused(dataDir, cluster(other).toString(), "" + running.postmaster().pid());
      assertThat(Directories.isServed(other)).isTrue();
      Files.delete(Postmaster.file(cluster(dataDir)));
    }
  }

  @Test
  void the_pid_of_a_dead_server_is_no_obstacle() throws Exception {
    assertOpensWithPidFile(pidFile(4194303));
  }

  @Test
  void a_pid_that_is_now_another_program_is_no_obstacle() throws Exception {
    assertOpensWithPidFile(pidFile(ProcessHandle.current().pid()));
  }

  @Test
  void a_pid_that_is_now_the_server_of_another_directory_is_no_obstacle() throws Exception {
    try (EmbeddedPostgres running = EmbeddedPostgres.open(other)) {
      assertOpensWithPidFile(pidFile(running.postmaster().pid()));
      assertThat(query(running, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void an_empty_pid_file_is_no_obstacle() throws Exception {
    assertOpensWithPidFile("");
  }

  @Test
  void a_directory_in_use_from_another_container() throws Exception {
    Path users = Files.createDirectories(new DataDirectory(dataDir).users());
    LockFile stranger = LockFile.tryAcquire(users.resolve("1-4711-1")).orElseThrow();

    assertRefused(dataDir, "another container");

    stranger.close();
    EmbeddedPostgres.open(dataDir).close();
    assertThat(users).isEmptyDirectory();
  }

  private String pidFile(long pid) {
    return "%d\n%s\n1700000000\n5432\n\n127.0.0.1\n  1234567  7\nready   \n"
        .formatted(pid, cluster(dataDir));
  }

  private void assertOpensWithPidFile(String text) throws Exception {
    Files.writeString(Postmaster.file(cluster(dataDir)), text);
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  private static void assertRefused(Path dataDir, String... reasons) {
    assertThatThrownBy(() -> EmbeddedPostgres.open(dataDir))
        .isInstanceOfSatisfying(
            EmbeddedPostgresException.class,
            refusal -> assertThat(refusal.dataDir()).isEqualTo(dataDir))
        .hasMessageContaining(dataDir.toString())
        .hasMessageContainingAll(reasons);
  }
}
