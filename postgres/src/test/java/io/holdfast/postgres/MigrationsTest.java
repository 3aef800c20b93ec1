package io.holdfast.postgres;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.net.TcpProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The schema gets to where this library needs it, once, whoever else wants the same. */
@Timeout(60)
class MigrationsTest {
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);
  private static final String OBJECTS =
      """
      SELECT string_agg(n.nspname || '.' || c.relname, ' ' ORDER BY n.nspname, c.relname)
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema')
      """;

  /** Emptied for each test: a new one for each would make the server's end take its time. */
  private static final String DATABASE = TestDatabase.freshDatabase();

  private String database = DATABASE;

  @BeforeEach
  void empty() {
    Kernel.empty(DATABASE);
  }

  @Test
  void eight_at_once_apply_every_step_once() throws Exception {
    int migrators = 8;
    database = TestDatabase.freshDatabase();
    try (Kernel kernel = Kernel.direct()) {
      CyclicBarrier start = new CyclicBarrier(migrators);
      List<Future<List<Migration>>> applied = new ArrayList<>();
      for (int i = 0; i < migrators; i++) {
        // Pools of their own, as different processes have them.
        Migrations migrations =
            migrations(kernel, Kernel.with(database, "ApplicationName=migrator" + i));
        applied.add(
            kernel.async(
                () -> {
                  start.await(20, TimeUnit.SECONDS);
                  return migrations.apply();
                }));
      }
      List<Migration> all = new ArrayList<>();
      for (Future<List<Migration>> one : applied) {
        all.addAll(one.get(30, TimeUnit.SECONDS));
      }

      assertThat(all).containsExactlyElementsOf(Migrations.all());
      assertThat(query("SELECT count(*) FROM holdfast.schema_history"))
          .isEqualTo("" + Migrations.all().size());
    }
  }

  /** A session may remember that there was no schema; that must not count once it has the lock. */
  @Test
  void what_a_rival_did_just_before_the_lock_was_free_is_seen() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    CountDownLatch asks = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Kernel slow = Kernel.behindProxy();
        Kernel quick = Kernel.direct();
        Connection other = DriverManager.getConnection(database)) {
      String url = Kernel.with(slow.urlOf(database), "prepareThreshold=0");
      Migrations late = migrations(slow, url, ONE);
      assertThat(late.status()).noneMatch(Migrations.Status::applied);
      TransactionsTest.run(other, "SELECT pg_advisory_lock(1215261796, 1)");
      slow.proxy()
          .onClientMessage(
              chunk -> {
                // By the third try the session knows everything and looks nothing up any more.
                if (new String(chunk, ISO_8859_1).contains("pg_try_advisory_xact_lock")
                    && tries.incrementAndGet() == 3) {
                  asks.countDown();
                  awaitQuietly(goOn);
                }
                return TcpProxy.Fate.FORWARD;
              });
      Future<List<Migration>> applied = slow.async(late::apply);
      assertThat(asks.await(20, TimeUnit.SECONDS)).isTrue();

      TransactionsTest.run(other, "SELECT pg_advisory_unlock(1215261796, 1)");
      assertThat(migrations(quick, database).apply()).isEqualTo(Migrations.all());
      goOn.countDown();

      assertThat(applied.get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  @Test
  void a_second_run_does_nothing() {
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);
      List<Migration> first = migrations.apply();
      String before = query(OBJECTS);

      assertThat(first).isEqualTo(Migrations.all());
      assertThat(migrations.apply()).isEmpty();
      assertThat(query(OBJECTS)).isEqualTo(before);
    }
  }

  @Test
  void the_status_says_what_was_applied() {
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);

      List<Migrations.Status> before = migrations.status();
      migrations.apply();
      List<Migrations.Status> after = migrations.status();

      assertThat(before).extracting(Migrations.Status::migration).isEqualTo(Migrations.all());
      assertThat(before).noneMatch(Migrations.Status::applied);
      assertThat(after).allMatch(Migrations.Status::applied);
    }
  }

  @Test
  void asking_for_the_status_changes_nothing() {
    try (Kernel kernel = Kernel.direct()) {
      migrations(kernel, database).status();

      assertThat(query("SELECT to_regnamespace('holdfast')")).isNull();
    }
  }

  @Test
  void a_step_that_was_applied_in_another_form_is_refused() {
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);
      migrations.apply();
      execute("UPDATE holdfast.schema_history SET checksum = checksum + 1 WHERE version = 1");

      HoldfastException refusal = catchThrowableOfType(HoldfastException.class, migrations::apply);

      assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(refusal).hasMessageContaining("V1__locks.sql");
      execute("UPDATE holdfast.schema_history SET checksum = checksum - 1 WHERE version = 1");
      assertThat(migrations.apply()).isEmpty();
    }
  }

  @Test
  void a_schema_that_is_newer_by_one_step_is_left_as_it_is() {
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);
      migrations.apply();
      int next = Migrations.all().size() + 1;
      record(next);

      assertThat(migrations.apply()).isEmpty();
      assertThat(migrations.status()).hasSameSizeAs(Migrations.all());
      assertThat(query("SELECT max(version) FROM holdfast.schema_history")).isEqualTo("" + next);
      PostgresHoldfast holdfast =
          kernel.locks(database, o -> o.withLockTables(LockTables.DEFAULTS));
      assertThat(holdfast.locks().acquire("k", Duration.ofSeconds(5)).ok()).isTrue();
    }
  }

  @Test
  void a_schema_that_is_newer_than_that_is_refused() {
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);
      migrations.apply();
      record(Migrations.all().size() + 2);

      for (ThrowingCallable call :
          List.<ThrowingCallable>of(migrations::apply, migrations::status)) {
        assertThatThrownBy(call)
            .isInstanceOf(HoldfastException.class)
            .hasMessageContaining("use a newer one");
      }
    }
  }

  /** Says that a later release has applied a step. */
  private void record(int version) {
    execute(
        "INSERT INTO holdfast.schema_history (version, description, checksum)"
            + " VALUES (%d, 'of a later release', 1)".formatted(version));
  }

  @Test
  void the_printed_script_leaves_nothing_to_do() {
    try (Kernel kernel = Kernel.direct()) {
      execute(Migrations.print());

      Migrations migrations = migrations(kernel, database);
      assertThat(migrations.status()).allMatch(Migrations.Status::applied);
      assertThat(migrations.apply()).isEmpty();
    }
  }

  @Test
  void the_printed_script_makes_the_same_schema() {
    try (Kernel kernel = Kernel.direct()) {
      migrations(kernel, database).apply();
      String applied = query(OBJECTS);
      Kernel.empty(database);

      execute(Migrations.print());

      assertThat(query(OBJECTS)).isEqualTo(applied);
    }
  }

  @Test
  void steps_have_names_that_other_tools_understand() {
    for (Migration step : Migrations.all()) {
      assertThat(step.fileName()).matches("V[0-9]+__[a-z0-9_]+\\.sql");
    }
    assertThat(Migrations.all()).extracting(Migration::version).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void a_step_that_fails_leaves_nothing_behind() {
    execute("CREATE SCHEMA holdfast");
    execute("CREATE TABLE holdfast.fence_guard (somebody_elses int)");
    String before = query(OBJECTS);
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, database);

      HoldfastException failure = catchThrowableOfType(HoldfastException.class, migrations::apply);

      assertThat(failure).hasMessageContaining("migrate").hasMessageContaining("42P07");
      assertThat(query(OBJECTS)).isEqualTo(before);
      execute("DROP TABLE holdfast.fence_guard");
      assertThat(migrations.apply()).isEqualTo(Migrations.all());
    }
  }

  @Test
  void a_role_that_may_not_change_the_schema_is_told_so() {
    String role = TestDatabase.unique("role");
    TestDatabase.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'right'");
    try (Kernel kernel = Kernel.direct()) {
      Migrations migrations = migrations(kernel, Kernel.as(database, role, "right"));

      HoldfastException failure = catchThrowableOfType(HoldfastException.class, migrations::apply);

      assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
    } finally {
      Kernel.eventually("no session of the role", () -> Kernel.dropRole(role));
    }
  }

  /** A session that waits for a lock holds a snapshot, which holds up CREATE INDEX CONCURRENTLY. */
  @Test
  void a_migrator_tries_the_lock_and_never_waits_for_it() throws Exception {
    try (Kernel kernel = Kernel.direct();
        Connection other = DriverManager.getConnection(database)) {
      execute("CREATE TABLE busy (id int)");
      TransactionsTest.run(other, "SELECT pg_advisory_lock(1215261796, 1)");
      List<String> tries = Collections.synchronizedList(new ArrayList<>());
      PostgresHoldfast holdfast =
          kernel.locks(
              database, o -> o.withListener((operation, took, error) -> tries.add(operation)));
      Future<List<Migration>> pending = kernel.async(() -> holdfast.migrations().apply());
      Kernel.eventually("some tries", () -> tries.size() >= 3);

      try (Connection builder = DriverManager.getConnection(database)) {
        TransactionsTest.run(builder, "SET statement_timeout = '15s'");
        TransactionsTest.run(builder, "CREATE INDEX CONCURRENTLY busy_id ON busy (id)");
      }

      assertThat(pending.isDone()).isFalse();
      assertThat(query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'busy_id'::regclass"))
          .isEqualTo("t");
      TransactionsTest.run(other, "SELECT pg_advisory_unlock(1215261796, 1)");
      assertThat(pending.get(20, TimeUnit.SECONDS)).isEqualTo(Migrations.all());
    }
  }

  @Test
  void an_interrupt_ends_a_pending_migration() throws Exception {
    try (Kernel kernel = Kernel.direct();
        Connection other = DriverManager.getConnection(database)) {
      TransactionsTest.run(other, "SELECT pg_advisory_lock(1215261796, 1)");
      List<String> tries = Collections.synchronizedList(new ArrayList<>());
      PostgresHoldfast holdfast =
          kernel.locks(
              database, o -> o.withListener((operation, took, error) -> tries.add(operation)));
      Future<@Nullable ErrorCode> pending =
          kernel.async(
              () -> {
                ErrorCode code = PoolsTest.codeOf(() -> holdfast.migrations().apply());
                assertThat(Thread.interrupted()).as("the flag").isTrue();
                return code;
              });
      Kernel.eventually("some tries", () -> tries.size() >= 2);

      kernel.lastThread().interrupt();

      assertThat(pending.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ABORTED);
    }
  }

  private static Migrations migrations(Kernel kernel, String url) {
    return migrations(kernel, url, PoolSettings.DEFAULTS);
  }

  private static Migrations migrations(Kernel kernel, String url, PoolSettings pool) {
    return kernel.locks(url, o -> o.withPool(pool)).migrations();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(database)) {
      TransactionsTest.run(connection, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private @Nullable String query(String sql) {
    return queryAt(database, sql);
  }

  static @Nullable String queryAt(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : null;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }
}
