package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/** Every failure of the database has one of our codes, and none shows what was locked. */
@Timeout(60)
class FailuresTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final String KEY = "customer-4711-secret";

  @ParameterizedTest
  @Guarantee("L89")
  @CsvSource({
    // InvalidArgument: 22xxx; 23xxx except 23505; 42P01, 42703, 42883
    "22000, INVALID_ARGUMENT",
    "22001, INVALID_ARGUMENT",
    "22003, INVALID_ARGUMENT",
    "22021, INVALID_ARGUMENT",
    "22P05, INVALID_ARGUMENT",
    "23000, INVALID_ARGUMENT",
    "23502, INVALID_ARGUMENT",
    "23503, INVALID_ARGUMENT",
    "23514, INVALID_ARGUMENT",
    "23P01, INVALID_ARGUMENT",
    "42P01, INVALID_ARGUMENT",
    "42703, INVALID_ARGUMENT",
    "42883, INVALID_ARGUMENT",
    // ServiceUnavailable: 08xxx; 57P0x; 25006; 53000, 53100, 53200; 40xxx after retries
    "08000, SERVICE_UNAVAILABLE",
    "08001, SERVICE_UNAVAILABLE",
    "08003, SERVICE_UNAVAILABLE",
    "08004, SERVICE_UNAVAILABLE",
    "08006, SERVICE_UNAVAILABLE",
    "08007, SERVICE_UNAVAILABLE",
    "08P01, SERVICE_UNAVAILABLE",
    "57P01, SERVICE_UNAVAILABLE",
    "57P02, SERVICE_UNAVAILABLE",
    "57P03, SERVICE_UNAVAILABLE",
    "57P04, SERVICE_UNAVAILABLE",
    "57P05, SERVICE_UNAVAILABLE",
    "25006, SERVICE_UNAVAILABLE",
    "53000, SERVICE_UNAVAILABLE",
    "53100, SERVICE_UNAVAILABLE",
    "53200, SERVICE_UNAVAILABLE",
    "40000, SERVICE_UNAVAILABLE",
    "40001, SERVICE_UNAVAILABLE",
    "40002, SERVICE_UNAVAILABLE",
    "40003, SERVICE_UNAVAILABLE",
    "40P01, SERVICE_UNAVAILABLE",
    // RateLimited: 53300
    "53300, RATE_LIMITED",
    // AuthFailed: 28xxx; 42501
    "28000, AUTH_FAILED",
    "28P01, AUTH_FAILED",
    "42501, AUTH_FAILED",
    // NetworkTimeout: 57014 not caused by us; 55P03
    "57014, NETWORK_TIMEOUT",
    "55P03, NETWORK_TIMEOUT",
    // StaleFence: raised by the guard
    "LK001, STALE_FENCE",
    // Internal: everything else
    "23505, INTERNAL",
    "3D000, INTERNAL",
    "25P02, INTERNAL",
    "25001, INTERNAL",
    "42601, INTERNAL",
    "42P07, INTERNAL",
    "53400, INTERNAL",
    "55000, INTERNAL",
    "55006, INTERNAL",
    "57000, INTERNAL",
    "58030, INTERNAL",
    "P0001, INTERNAL",
    "XX000, INTERNAL",
    "0, INTERNAL",
  })
  void every_state_maps_as_listed(String state, ErrorCode code) {
    SQLException failure = new SQLException("the server's words", state);

    assertThat(Failures.code(failure)).isEqualTo(code);
    LockException ours = LockFailures.of("acquire", failure);
    assertThat(ours.code()).isEqualTo(code);
    assertThat(ours).hasCause(failure);
    assertThat(ours).hasMessageContaining("acquire").hasMessageContaining(state);
    assertThat(ours.getMessage()).doesNotContain("the server's words");
  }

  @Test
  @Guarantee("L89")
  void a_failure_without_a_state_is_internal_unless_the_pool_says_that_it_is_empty() {
    assertThat(Failures.code(new SQLException("broken"))).isEqualTo(ErrorCode.INTERNAL);
    assertThat(Failures.code(new SQLException("broken", ""))).isEqualTo(ErrorCode.INTERNAL);
    assertThat(Failures.code(new SQLTransientConnectionException("Connection is not available")))
        .isEqualTo(ErrorCode.RATE_LIMITED);
  }

  @Test
  @Guarantee("L89")
  void a_timeout_in_the_cause_chain_wins() {
    SocketTimeoutException slow = new SocketTimeoutException("Read timed out");

    assertThat(code("08006", slow)).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    assertThat(code("08001", new IOException("connect", slow)))
        .isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    assertThat(
            Failures.code(
                new PSQLException("broken", PSQLState.CONNECTION_FAILURE, new IOException(slow))))
        .isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    assertThat(Failures.code(new SQLTimeoutException("too late", "08001")))
        .isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    assertThat(code("08001", new ConnectException("Connection refused")))
        .isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
  }

  @Test
  void only_lost_races_are_repeated_and_only_an_absent_server_is_tried_again() {
    for (String state : new String[] {"40001", "40P01"}) {
      assertThat(Failures.isRetryable(new SQLException("", state))).isTrue();
    }
    for (String state : new String[] {"40000", "40003", "08006", "55P03"}) {
      assertThat(Failures.isRetryable(new SQLException("", state))).isFalse();
    }
    for (String state : new String[] {"08001", "08006", "57P03"}) {
      assertThat(Failures.isUnreachable(new SQLException("", state))).isTrue();
    }
    for (String state : new String[] {"28P01", "53300", "3D000"}) {
      assertThat(Failures.isUnreachable(new SQLException("", state))).isFalse();
    }
  }

  @Test
  void only_a_lost_answer_leaves_the_outcome_open() {
    for (String state : new String[] {"08006", "08007", "57P01"}) {
      assertThat(LockFailures.of("acquire", new SQLException("", state)).isOutcomeUnknown())
          .as(state)
          .isTrue();
    }
    for (String state : new String[] {"23505", "55P03", "57014", "40001", "42501"}) {
      assertThat(LockFailures.of("acquire", new SQLException("", state)).isOutcomeUnknown())
          .as(state)
          .isFalse();
    }
    assertThat(
            LockFailures.of("acquire", new SQLException("", "08006", new SocketTimeoutException()))
                .isOutcomeUnknown())
        .isTrue();
  }

  @Test
  @Guarantee({"L44", "L89"})
  void a_reused_id_is_refused_without_showing_it() {
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o).locks();
      String id = LockId.random().text();
      locks.acquire("first", TTL, id);

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire(KEY, TTL, id));

      assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(failure.getMessage()).doesNotContain(id).doesNotContain(KEY);
      assertThat(failure.lockId()).isEqualTo(id);
      assertThat(failure.key()).isEqualTo(KEY);
      assertThat(sqlCause(failure).getSQLState()).isEqualTo("23505");
      assertThat(sqlCause(failure).getMessage()).contains(id);
    }
  }

  @Test
  @Guarantee("L89")
  void a_collision_of_ids_that_the_caller_did_not_choose_is_internal() throws SQLException {
    String id = LockId.random().text();
    try (Connection connection = TestDatabase.connect()) {
      String table = TestDatabase.unique("ids");
      TestDatabase.execute("CREATE TABLE " + table + " (lock_id text UNIQUE)");
      TestDatabase.execute("INSERT INTO " + table + " VALUES ('" + id + "')");
      SQLException raised =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  TransactionsTest.run(
                      connection, "INSERT INTO " + table + " VALUES ('" + id + "')"));

      LockException failure = LockFailures.of("acquire", raised);

      assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
      assertThat(failure.getMessage()).doesNotContain(id).contains("23505");
      assertThat(failure.getCause()).hasMessageContaining(id);
    }
  }

  @Test
  @Guarantee("L89")
  void a_missing_table_says_that_the_schema_is_not_set_up() {
    try (Kernel kernel = Kernel.direct()) {
      LockTables tables = TestDatabase.freshTables();
      Locks locks = kernel.locks(o -> o.withLockTables(tables)).locks();
      locks.setup();
      TestDatabase.execute("DROP TABLE " + tables.schema() + "." + tables.table());

      LockException failure = catchThrowableOfType(LockException.class, () -> locks.isLocked(KEY));

      assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining("not set up").hasMessageContaining("42P01");
      assertThat(failure.getMessage()).doesNotContain(KEY);
    }
  }

  @Test
  @Guarantee("L89")
  void a_missing_function_and_a_missing_column_say_so_too() {
    try (Kernel kernel = Kernel.direct()) {
      LockTables tables = TestDatabase.freshTables();
      Locks locks = kernel.locks(o -> o.withLockTables(tables)).locks();
      locks.setup();
      String name = new LockSql(tables.schema(), tables).functionNames().get(1);
      TestDatabase.execute("DROP FUNCTION holdfast." + name);
      TestDatabase.execute(
          "ALTER TABLE " + tables.schema() + "." + tables.table() + " DROP COLUMN acquired_at_ms");

      LockException function =
          catchThrowableOfType(LockException.class, () -> locks.release(LockId.random().text()));
      LockException column = catchThrowableOfType(LockException.class, () -> locks.isLocked(KEY));

      assertThat(function.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(function).hasMessageContaining("not set up").hasMessageContaining("42883");
      assertThat(column.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(column).hasMessageContaining("not set up").hasMessageContaining("42703");
    }
  }

  @Test
  @Guarantee("L89")
  void a_missing_privilege_is_an_auth_failure() {
    LockTables tables = TestDatabase.freshTables();
    String role = TestDatabase.unique("role");
    TestDatabase.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'right'");
    try (Kernel kernel = Kernel.direct()) {
      kernel.locks(o -> o.withLockTables(tables)).locks().setup();
      TestDatabase.execute("GRANT USAGE ON SCHEMA holdfast, " + tables.schema() + " TO " + role);
      Locks locks = kernel.locks(Kernel.as(role, "right"), o -> o.withLockTables(tables)).locks();

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire(KEY, TTL));

      assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
      assertThat(sqlCause(failure).getSQLState()).isEqualTo("42501");
      assertThat(failure.getMessage()).doesNotContain(KEY);
    } finally {
      TestDatabase.execute("DROP OWNED BY " + role);
      Kernel.eventually("no session of the role", () -> Kernel.dropRole(role));
    }
  }

  @Test
  @Guarantee("L89")
  void a_lock_that_is_not_free_in_time_and_a_server_side_limit_are_timeouts() throws SQLException {
    LockTimeouts quick = new LockTimeouts(Duration.ofMillis(100), TTL, null);
    LockOptions options = LockOptions.DEFAULTS.withPurgeEvery(null);
    try (Kernel kernel = Kernel.direct("options=-c%20statement_timeout%3D1500");
        Connection rival = TestDatabase.begin()) {
      Locks waits = kernel.locks(o -> o.withLocks(options.withTimeouts(quick))).locks();
      Locks patient = kernel.locks(o -> o.withLocks(options)).locks();
      waits.setup();
      patient.setup();
      TransactionsTest.run(rival, "SELECT pg_advisory_xact_lock(hashtext('" + KEY + "'))");

      LockException lock = catchThrowableOfType(LockException.class, () -> waits.acquire(KEY, TTL));
      LockException statement =
          catchThrowableOfType(LockException.class, () -> patient.acquire(KEY, TTL));

      assertThat(lock.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(sqlCause(lock).getSQLState()).isEqualTo("55P03");
      assertThat(statement.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(sqlCause(statement).getSQLState()).isEqualTo("57014");
      assertThat(lock.getMessage() + statement.getMessage()).doesNotContain(KEY);
      assertThat(lock.key()).isEqualTo(KEY);
    }
  }

  @Test
  @Guarantee("L89")
  void a_session_ended_by_an_administrator_is_an_unavailable_service() throws Exception {
    try (Kernel kernel = Kernel.direct();
        Connection rival = TestDatabase.begin()) {
      Locks locks = kernel.locks(o -> o).locks();
      locks.setup();
      TransactionsTest.run(rival, "SELECT pg_advisory_xact_lock(hashtext('" + KEY + "'))");
      Future<LockException> blocked =
          kernel.async(
              () -> catchThrowableOfType(LockException.class, () -> locks.acquire(KEY, TTL)));
      kernel.awaitBlocked(1);

      TestDatabase.query(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '"
              + kernel.name()
              + "'");

      LockException failure = blocked.get(20, TimeUnit.SECONDS);
      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(sqlCause(failure).getSQLState()).isEqualTo("57P01");
      assertThat(failure.isOutcomeUnknown()).isTrue();
    }
  }

  @Test
  @Guarantee("L89")
  void a_lost_race_surfaces_as_unavailable_in_a_callers_transaction() throws Exception {
    try (Kernel kernel = Kernel.direct();
        Connection caller = TestDatabase.begin()) {
      PostgresHoldfast holdfast = kernel.locks(o -> o);
      Acquired held = (Acquired) holdfast.locks().acquire(KEY, TTL);
      caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      TransactionsTest.run(caller, "SELECT 1");
      assertThat(held.extend(TTL.plusSeconds(1)).ok()).isTrue();

      LockException failure =
          catchThrowableOfType(
              LockException.class, () -> holdfast.in(caller).release(held.lockId()));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(sqlCause(failure).getSQLState()).isEqualTo("40001");
      caller.rollback();
    }
  }

  @Test
  void the_wait_of_a_pool_is_over_before_the_call_is_sent() throws Exception {
    PoolSettings one =
        PoolSettings.DEFAULTS.withMaxConnections(1).withConnectTimeout(Duration.ofMillis(250));
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o.withPool(one)).locks();
      locks.setup();
      Connection only = kernel.database(one).borrow(Cancellation.never(), TTL);

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire(KEY, TTL));
      kernel.database(one).giveBack(only);

      assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(failure.isOutcomeUnknown()).as("nothing was sent").isFalse();
    }
  }

  private static ErrorCode code(String state, Throwable cause) {
    return Failures.code(new SQLException("broken", state, cause));
  }

  private static SQLException sqlCause(LockException failure) {
    assertThat(failure.getCause()).isInstanceOf(SQLException.class);
    return (SQLException) failure.getCause();
  }
}
