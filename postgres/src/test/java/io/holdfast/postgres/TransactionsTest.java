package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.net.PgWire;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything or nothing, whoever else is writing and whatever breaks. */
@Timeout(60)
class TransactionsTest {
  private static final TransactionSettings DEFAULTS = TransactionSettings.DEFAULTS;
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);

  private final String table = TestDatabase.unique("accounts");
  private final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void create() {
    TestDatabase.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, amount int NOT NULL)");
    TestDatabase.execute("INSERT INTO " + table + " VALUES (1, 0), (2, 0)");
  }

  @AfterEach
  void drop() {
    TestDatabase.execute("DROP TABLE " + table);
  }

  @Test
  void what_a_transaction_did_is_seen_after_its_commit_and_not_before() throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      CountDownLatch written = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      Transactions transactions = kernel.transactions(ONE);
      Future<String> result =
          kernel.async(
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        add(watch.connection(), 1, 5);
                        add(watch.connection(), 2, 7);
                        written.countDown();
                        await(goOn);
                        return "paid";
                      }));
      await(written);
      assertThat(amount(1)).isZero();

      goOn.countDown();

      assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("paid");
      assertThat(amount(1)).isEqualTo(5);
      assertThat(amount(2)).isEqualTo(7);
    }
  }

  @Test
  void an_error_undoes_everything_and_leaves_the_connection_usable() throws SQLException {
    RuntimeException ours = new IllegalStateException("changed my mind");
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      Throwable unchecked =
          catchThrowable(
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        add(watch.connection(), 1, 5);
                        throw ours;
                      }));
      SQLException checked =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        add(watch.connection(), 1, 5);
                        return run(watch.connection(), "SELECT 1 / 0");
                      }));

      assertThat(unchecked).isSameAs(ours);
      assertThat(checked.getSQLState()).isEqualTo("22012");
      assertThat(amount(1)).isZero();
      assertThat(isolation(transactions)).isEqualTo("read committed");
      assertThat(Kernel.sessions(kernel.name())).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void a_lost_race_is_repeated_three_times_and_then_surfaces(String state) {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);
      List<Long> startedNanos = new ArrayList<>();

      SQLException failure =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        startedNanos.add(System.nanoTime());
                        add(watch.connection(), 1, 5);
                        throw new SQLException("lost", state);
                      }));

      assertThat(startedNanos).hasSize(4);
      for (int i = 1; i < 4; i++) {
        long gapMs = (startedNanos.get(i) - startedNanos.get(i - 1)) / 1_000_000;
        assertThat(gapMs).as("pause %d", i).isGreaterThanOrEqualTo(50L << (i - 1));
      }
      assertThat(failure.getSQLState()).isEqualTo(state);
      assertThat(Failures.code(failure)).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(amount(1)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"40000", "40002", "40003", "08006", "55P03", "57014", "23505", "25006"})
  void nothing_else_is_repeated(String state) {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      SQLException failure =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        attempts.incrementAndGet();
                        throw new SQLException("broken", state);
                      }));

      assertThat(attempts).hasValue(1);
      assertThat(failure.getSQLState()).isEqualTo(state);
    }
  }

  @Test
  void a_single_statement_that_lost_a_race_is_repeated_too() throws SQLException {
    try (Kernel kernel = Kernel.direct()) {
      String answer =
          kernel
              .transactions(ONE)
              .single(
                  "look",
                  noLimits(),
                  watch -> {
                    if (attempts.incrementAndGet() < 4) {
                      throw new SQLException("lost", "40P01");
                    }
                    return show(watch, "transaction_isolation");
                  });

      assertThat(answer).isEqualTo("read committed");
      assertThat(attempts).hasValue(4);
    }
  }

  @Test
  void a_token_ends_the_pauses_between_attempts() {
    CancellationSource token = new CancellationSource();
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);
      Statements.Limits limits = Statements.Limits.of(token, Duration.ofSeconds(30));

      SQLException failure =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "pay",
                      limits,
                      DEFAULTS,
                      watch -> {
                        attempts.incrementAndGet();
                        token.cancel();
                        throw new SQLException("lost", "40001");
                      }));

      assertThat(attempts).hasValue(1);
      assertThat(failure.getSQLState()).isNotNull();
    }
  }

  @Test
  void a_real_serialization_failure_is_repeated_on_what_the_rival_left() throws SQLException {
    try (Kernel kernel = Kernel.direct()) {
      int seen =
          kernel
              .transactions(ONE)
              .transaction(
                  "pay",
                  noLimits(),
                  DEFAULTS.at(Isolation.REPEATABLE_READ),
                  watch -> {
                    int before = read(watch.connection(), 1);
                    if (attempts.incrementAndGet() == 1) {
                      TestDatabase.execute("UPDATE " + table + " SET amount = 100 WHERE id = 1");
                    }
                    add(watch.connection(), 1, 5);
                    return before;
                  });

      assertThat(attempts).hasValue(2);
      assertThat(seen).isEqualTo(100);
      assertThat(amount(1)).isEqualTo(105);
    }
  }

  @Test
  void a_serialization_failure_that_never_ends_surfaces_after_three_repetitions() {
    try (Kernel kernel = Kernel.direct()) {
      PostgresHoldfast holdfast = kernel.locks(o -> o.withPool(ONE));

      HoldfastException failure =
          catchThrowableOfType(
              HoldfastException.class,
              () ->
                  holdfast.transaction(
                      DEFAULTS.at(Isolation.SERIALIZABLE),
                      connection -> {
                        attempts.incrementAndGet();
                        read(connection, 1);
                        TestDatabase.execute(
                            "UPDATE " + table + " SET amount = amount + 1 WHERE id = 1");
                        add(connection, 1, 100);
                        return true;
                      }));

      assertThat(attempts).hasValue(4);
      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(failure).hasMessageContaining("transaction").hasMessageContaining("40001");
      assertThat(failure).hasCauseInstanceOf(SQLException.class);
      assertThat(amount(1)).isEqualTo(4);
    }
  }

  @Test
  void a_real_deadlock_is_resolved_by_repetition() throws Exception {
    try (Kernel kernel = Kernel.direct();
        Connection rival = TestDatabase.begin()) {
      Transactions transactions = kernel.transactions(ONE);
      add(rival, 2, 10);
      CountDownLatch holdsFirst = new CountDownLatch(1);
      Future<Boolean> victim =
          kernel.async(
              () ->
                  transactions.transaction(
                      "pay",
                      noLimits(),
                      DEFAULTS,
                      watch -> {
                        // The one that looks first is the one that gives up.
                        run(watch.connection(), "SET LOCAL deadlock_timeout = '20ms'");
                        attempts.incrementAndGet();
                        add(watch.connection(), 1, 5);
                        holdsFirst.countDown();
                        if (attempts.get() == 1) {
                          // Only once the rival is behind us does our next step close the circle.
                          kernel.awaitBlockedBy(watch.connection());
                        }
                        add(watch.connection(), 2, 7);
                        return true;
                      }));
      await(holdsFirst);

      run(rival, "SET LOCAL deadlock_timeout = '20s'");
      add(rival, 1, 10);
      rival.commit();

      assertThat(victim.get(20, TimeUnit.SECONDS)).isTrue();
      assertThat(attempts).hasValue(2);
      assertThat(amount(1)).isEqualTo(15);
      assertThat(amount(2)).isEqualTo(17);
    }
  }

  @ParameterizedTest
  @EnumSource(Isolation.class)
  void an_isolation_level_holds_inside_and_is_gone_afterwards(Isolation level) throws SQLException {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      String inside =
          transactions.transaction(
              "look", noLimits(), DEFAULTS.at(level), w -> show(w, "transaction_isolation"));
      String after = isolation(transactions);
      String next =
          transactions.transaction(
              "look", noLimits(), DEFAULTS, w -> show(w, "transaction_isolation"));

      assertThat(inside).isEqualTo(level.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      assertThat(after).isEqualTo("read committed");
      assertThat(next).isEqualTo("read committed");
      assertThat(Kernel.sessions(kernel.name())).as("one connection served all").isEqualTo(1);
    }
  }

  @Test
  void an_isolation_level_is_gone_after_an_error_too() throws SQLException {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);
      catchThrowable(
          () ->
              transactions.transaction(
                  "fail",
                  noLimits(),
                  DEFAULTS.at(Isolation.SERIALIZABLE),
                  watch -> run(watch.connection(), "SELECT 1 / 0")));

      assertThat(isolation(transactions)).isEqualTo("read committed");
      assertThat(Kernel.sessions(kernel.name())).isEqualTo(1);
    }
  }

  @Test
  void an_isolation_level_holds_whatever_the_sessions_own_is() throws SQLException {
    String serializable = "options=-c%20default_transaction_isolation%3Dserializable";
    try (Kernel kernel = Kernel.direct(serializable)) {
      Transactions transactions = kernel.transactions(ONE);

      String inside =
          transactions.transaction(
              "look", noLimits(), DEFAULTS, w -> show(w, "transaction_isolation"));

      assertThat(inside).isEqualTo("read committed");
      assertThat(isolation(transactions)).isEqualTo("serializable");
    }
  }

  /** Through a pooler the next statement of a session may run on another server connection. */
  @Test
  void nothing_is_set_for_the_session() throws SQLException {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire)) {
      Transactions transactions = kernel.transactions(ONE);
      isolation(transactions);
      wire.reset();

      for (Isolation level : Isolation.values()) {
        transactions.transaction(
            "look", noLimits(), DEFAULTS.at(level), w -> show(w, "transaction_isolation"));
      }

      assertThat(wire.statements())
          .noneMatch(sql -> sql.toUpperCase(Locale.ROOT).startsWith("SET SESSION"));
    }
  }

  @Test
  void the_time_limits_hold_inside_and_are_gone_afterwards() throws SQLException {
    TransactionSettings settings =
        new TransactionSettings(
            Isolation.READ_COMMITTED, Duration.ofMillis(12_345), Duration.ofMillis(2_345));
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      String inside =
          transactions.transaction("look", noLimits(), settings, TransactionsTest::timeouts);
      String after = transactions.single("look", noLimits(), TransactionsTest::timeouts);
      String usual =
          transactions.transaction("look", noLimits(), DEFAULTS, TransactionsTest::timeouts);

      assertThat(inside).isEqualTo("12345ms 2345ms");
      assertThat(after).isEqualTo("0 0");
      assertThat(usual).isEqualTo("30s 5s");
    }
  }

  @Test
  void the_time_limits_end_statements_and_waits() throws SQLException {
    TransactionSettings quick =
        new TransactionSettings(
            Isolation.READ_COMMITTED, Duration.ofMillis(300), Duration.ofMillis(100));
    try (Kernel kernel = Kernel.direct();
        Connection rival = TestDatabase.begin()) {
      Transactions transactions = kernel.transactions(ONE);
      add(rival, 1, 1);

      SQLException waited =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "wait", noLimits(), quick, w -> add(w.connection(), 1, 1)));
      SQLException slow =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "sleep", noLimits(), quick, w -> run(w.connection(), "SELECT pg_sleep(20)")));

      assertThat(waited.getSQLState()).isEqualTo("55P03");
      assertThat(slow.getSQLState()).isEqualTo("57014");
      assertThat(Statements.codeOf(waited)).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(Statements.codeOf(slow)).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    }
  }

  @Test
  void settings_without_a_sensible_limit_are_refused() {
    Duration second = Duration.ofSeconds(1);
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(21))) {
      assertThat(
              catchThrowableOfType(
                      HoldfastException.class,
                      () -> new TransactionSettings(Isolation.READ_COMMITTED, wrong, second))
                  .code())
          .isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(
              catchThrowableOfType(
                      HoldfastException.class,
                      () -> new TransactionSettings(Isolation.READ_COMMITTED, second, wrong))
                  .code())
          .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void a_connection_lost_in_mid_transaction_commits_nothing() {
    try (Kernel kernel = Kernel.behindProxy()) {
      PostgresHoldfast holdfast = kernel.locks(o -> o.withPool(ONE));

      HoldfastException failure =
          catchThrowableOfType(
              HoldfastException.class,
              () ->
                  holdfast.transaction(
                      DEFAULTS,
                      connection -> {
                        add(connection, 1, 5);
                        kernel.proxy().cut();
                        return add(connection, 2, 7);
                      }));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(amount(1)).isZero();
      assertThat(amount(2)).isZero();
      holdfast.transaction(DEFAULTS, connection -> add(connection, 1, 1));
      assertThat(amount(1)).isEqualTo(1);
    }
  }

  @Test
  void a_connection_lost_before_the_commit_arrives_commits_nothing() {
    try (Kernel kernel = Kernel.behindProxy()) {
      PostgresHoldfast holdfast = kernel.locks(o -> o.withPool(ONE));
      kernel.proxy().cutWhenClientSends("COMMIT");

      HoldfastException failure =
          catchThrowableOfType(
              HoldfastException.class,
              () -> holdfast.transaction(DEFAULTS, connection -> add(connection, 1, 5)));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(amount(1)).isZero();
      holdfast.transaction(DEFAULTS, connection -> add(connection, 2, 1));
      assertThat(amount(2)).isEqualTo(1);
    }
  }

  private int amount(int id) {
    String text = TestDatabase.query("SELECT amount FROM " + table + " WHERE id = " + id);
    return text == null ? -1 : Integer.parseInt(text);
  }

  private int read(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT amount FROM " + table + " WHERE id = " + id)) {
      row.next();
      return row.getInt(1);
    }
  }

  private boolean add(Connection connection, int id, int amount) throws SQLException {
    return run(
        connection, "UPDATE " + table + " SET amount = amount + " + amount + " WHERE id = " + id);
  }

  static boolean run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql);
    }
  }

  private static String timeouts(Watch watch) throws SQLException {
    return show(watch, "statement_timeout") + " " + show(watch, "lock_timeout");
  }

  private static @Nullable String show(Watch watch, String setting) throws SQLException {
    try (Statement statement = watch.connection().createStatement();
        ResultSet row = statement.executeQuery("SHOW " + setting)) {
      row.next();
      return row.getString(1);
    }
  }

  private static @Nullable String isolation(Transactions transactions) throws SQLException {
    return transactions.single("look", noLimits(), w -> show(w, "transaction_isolation"));
  }

  private static Statements.Limits noLimits() {
    return Statements.Limits.of(Cancellation.never(), Duration.ofSeconds(60));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
