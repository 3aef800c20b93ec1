package io.holdfast.embedded;

import static io.holdfast.embedded.Directories.assertShutDown;
import static io.holdfast.embedded.Directories.execute;
import static io.holdfast.embedded.Directories.isServed;
import static io.holdfast.embedded.Directories.query;
import static io.holdfast.embedded.Directories.shared;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Many callers, many processes, one server. */
class SharingTest {
  private Path dataDir = Path.of("");

  @BeforeEach
  void prepare() throws IOException {
    dataDir = shared();
  }

  @Test
  void callers_of_one_jvm_share_the_server_until_the_last_closes() throws Exception {
    EmbeddedPostgres one = EmbeddedPostgres.open(dataDir);
    EmbeddedPostgres two = EmbeddedPostgres.open(dataDir);
    assertThat(two.jdbcUrl()).isEqualTo(one.jdbcUrl());

    one.close();
    one.close();
    assertThat(query(two, "SELECT 1")).isEqualTo("1");

    two.close();
    assertShutDown(dataDir);
  }

  @Test
  void callers_at_the_same_moment_get_one_server() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<EmbeddedPostgres>> opening = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      opening.add(threads.submit(() -> EmbeddedPostgres.open(dataDir)));
    }
    Set<Long> servers = new HashSet<>();
    List<Future<?>> closing = new ArrayList<>();
    for (Future<EmbeddedPostgres> future : opening) {
      servers.add(future.get().postmaster().pid());
    }
    for (Future<EmbeddedPostgres> future : opening) {
      closing.add(threads.submit(future.get()::close));
    }
    for (Future<?> future : closing) {
      future.get();
    }
    threads.shutdown();

    assertThat(servers).hasSize(1);
    assertShutDown(dataDir);
  }

  @Test
  void another_process_attaches_and_the_last_one_stops_the_server() throws Exception {
    try (Child child = Child.start(dataDir.toString())) {
      long started = child.ready().postmaster();
      EmbeddedPostgres attached = EmbeddedPostgres.open(dataDir);
      assertThat(attached.postmaster().pid()).isEqualTo(started);

      child.finish();
      assertThat(query(attached, "SELECT 1")).isEqualTo("1");

      attached.close();
      assertShutDown(dataDir);
    }
  }

  @Test
  void an_attached_process_that_is_killed_does_not_count() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir);
        Child child = Child.start(dataDir.toString())) {
      assertThat(child.ready().postmaster()).isEqualTo(postgres.postmaster().pid());

      child.signal("KILL");
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
    assertShutDown(dataDir);
  }

  @Test
  void sigterm_stops_the_server() throws Exception {
    try (Child child = Child.start(dataDir.toString())) {
      child.ready();

      child.signal("TERM");
    }
    assertShutDown(dataDir);
  }

  @Test
  void a_server_orphaned_by_sigkill_is_adopted_and_stopped() throws Exception {
    long orphan;
    try (Child child = Child.start(dataDir.toString())) {
      orphan = child.ready().postmaster();
      child.signal("KILL");
    }
    assertThat(isServed(dataDir)).isTrue();

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(postgres.postmaster().pid()).isEqualTo(orphan);
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
    assertShutDown(dataDir);
  }

  @Test
  void a_stop_that_a_killed_process_began_is_finished_before_the_next_start() throws Exception {
    long ending;
    try (Child child = Child.start(dataDir.toString())) {
      ending = child.ready().postmaster();
      child.signal("KILL");
    }
    Path stopping = new DataDirectory(dataDir).stopping();
    Files.writeString(stopping, Long.toString(ending));

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(postgres.postmaster().pid()).isNotEqualTo(ending);
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
      assertThat(stopping).doesNotExist();
    }
    assertShutDown(dataDir);
  }

  @Test
  void ctrl_c_does_not_reach_the_server() throws Exception {
    long started;
    String classPath = System.getProperty("java.class.path");
    try (Child child =
        Child.start(List.of("setsid"), classPath, Map.of(), "unhooked", dataDir.toString())) {
      started = child.ready().postmaster();

      child.signalGroup("INT");
      child.signal("KILL");
    }
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(dataDir)) {
      assertThat(postgres.postmaster().pid()).isEqualTo(started);
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
    assertShutDown(dataDir);
  }

  @Test
  void a_crashed_server_is_started_again_where_it_was() throws Exception {
    try (EmbeddedPostgres first = EmbeddedPostgres.open(dataDir)) {
      execute(first, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 7 AS seven");
      Directories.kill(first.postmaster().pid());

      try (EmbeddedPostgres second = EmbeddedPostgres.open(dataDir)) {
        assertThat(second.postmaster().pid()).isNotEqualTo(first.postmaster().pid());
        assertThat(query(second, "SELECT seven FROM kept")).isEqualTo("7");
        assertThat(query(first, "SELECT seven FROM kept")).isEqualTo("7");
      }
    }
    assertShutDown(dataDir);
  }

  @Test
  void processes_that_survive_a_crashed_server_are_waited_for() throws Exception {
    try (EmbeddedPostgres first = EmbeddedPostgres.open(dataDir);
        Connection connection = DriverManager.getConnection(first.jdbcUrl())) {
      int backend = connection.unwrap(PGConnection.class).getBackendPID();
      Directories.signal("STOP", backend);
      Directories.kill(first.postmaster().pid());

      Future<EmbeddedPostgres> second =
          CompletableFuture.supplyAsync(() -> EmbeddedPostgres.open(dataDir));
      DataDirectory directory = new DataDirectory(dataDir);
      boolean refused =
          Deadline.in(Duration.ofSeconds(20)).await(() -> ServerLog.tellsOfSurvivors(directory));
      Directories.signal("CONT", backend);

      assertThat(refused).isTrue();
      second.get().close();
    }
    assertShutDown(dataDir);
  }
}
