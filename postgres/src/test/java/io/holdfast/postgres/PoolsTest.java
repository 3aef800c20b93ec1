package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.Locks;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.PgWire;
import io.holdfast.testkit.net.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** Where connections come from, and what callers hear when none can be had. */
@Timeout(60)
class PoolsTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);
  private static final PoolSettings ONE_QUICK = ONE.withConnectTimeout(Duration.ofMillis(250));

  @Test
  void two_users_of_one_string_share_one_pool() throws SQLException {
    String name = TestDatabase.unique("pool");
    try (Database first = open(name, ONE_QUICK);
        Database second = open(name, ONE_QUICK)) {
      Connection only = first.borrow(Cancellation.never(), TTL);

      SQLException refusal =
          catchThrowableOfType(
              SQLException.class, () -> second.borrow(Cancellation.never(), TTL).close());
      first.giveBack(only);
      Connection again = second.borrow(Cancellation.never(), TTL);
      second.giveBack(again);

      assertThat(Failures.code(refusal)).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(Kernel.sessions(name)).isEqualTo(1);
    }
  }

  @Test
  void opening_connects_to_nothing() {
    String name = TestDatabase.unique("pool");
    String nowhere = "postgres://nobody:nothing@localhost:1/none?ApplicationName=" + name;

    assertThatCode(() -> Pools.open(ConnectionString.parse(nowhere), ONE).close())
        .doesNotThrowAnyException();
  }

  @Test
  void a_second_close_of_one_user_does_not_count() throws SQLException {
    String name = TestDatabase.unique("pool");
    Database first = open(name, ONE);
    try (Database second = open(name, ONE)) {
      first.close();
      first.close();

      assertThat(selectOne(second)).isEqualTo(1);
      assertThat(catchThrowableOfType(SQLException.class, () -> selectOne(first)).getSQLState())
          .isEqualTo("08003");
    }
  }

  @Test
  void the_last_close_leaves_no_connection_behind() throws SQLException {
    String name = TestDatabase.unique("pool");
    Database first = open(name, PoolSettings.DEFAULTS);
    Database second = open(name, PoolSettings.DEFAULTS);
    List<Connection> borrowed = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      borrowed.add(first.borrow(Cancellation.never(), TTL));
    }
    borrowed.forEach(first::giveBack);

    first.close();
    assertThat(Kernel.sessions(name)).isPositive();
    second.close();

    Kernel.eventually("no session", () -> Kernel.sessions(name) == 0);
  }

  @Test
  void a_closed_store_leaves_no_connection_behind() {
    String name = TestDatabase.unique("pool");
    LockTables tables = TestDatabase.freshTables();
    PostgresHoldfast holdfast =
        PostgresHoldfast.open(
            TestDatabase.url("ApplicationName=" + name),
            PostgresOptions.DEFAULTS.withLockTables(tables));
    ((Acquired) holdfast.locks().acquire("kept", TTL)).keep();
    Kernel.eventually("a connection for renewals", () -> Kernel.sessions(name) > 1);

    holdfast.close();

    Kernel.eventually("no session", () -> Kernel.sessions(name) == 0);
  }

  @Test
  void other_settings_for_an_open_string_are_refused() throws SQLException {
    String name = TestDatabase.unique("pool");
    Database first = open(name, ONE);

    HoldfastException refusal =
        catchThrowableOfType(
            HoldfastException.class, () -> open(name, ONE.withMaxConnections(2)).close());

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal.getMessage()).doesNotContain("password");
    first.close();
    try (Database changed = open(name, ONE.withMaxConnections(2))) {
      assertThat(selectOne(changed)).isEqualTo(1);
    }
  }

  @Test
  void settings_that_cannot_work_are_refused() {
    Duration second = Duration.ofSeconds(1);
    Duration minute = Duration.ofMinutes(1);
    List<Callable<PoolSettings>> wrong =
        List.of(
            () -> new PoolSettings(0, minute, minute, minute, false),
            () -> new PoolSettings(1, second, minute, minute, false),
            () -> new PoolSettings(1, minute, Duration.ofMillis(249), minute, false),
            () -> new PoolSettings(1, minute, minute, second, false));

    for (Callable<PoolSettings> settings : wrong) {
      HoldfastException refusal = catchThrowableOfType(HoldfastException.class, settings::call);
      assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }

  @Test
  @Guarantee("LF16")
  void a_database_that_is_away_is_tried_five_times_and_the_failure_is_not_remembered() {
    try (Kernel kernel = Kernel.behindProxy();
        Log log = new Log()) {
      Locks locks = kernel.locks(o -> o).locks();
      kernel.proxy().refuse(true);

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(failure.isOutcomeUnknown()).as("nothing was sent").isFalse();
      List<ILoggingEvent> tries = log.warnings();
      assertThat(tries).hasSize(5);
      for (int i = 1; i < 5; i++) {
        long gapMs = tries.get(i).getTimeStamp() - tries.get(i - 1).getTimeStamp();
        assertThat(gapMs).as("pause %d", i).isGreaterThanOrEqualTo(100L << (i - 1));
      }
      assertThat(log.text()).doesNotContain("password");

      kernel.proxy().refuse(false);
      assertThat(locks.acquire("k", TTL).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("LF16")
  void after_a_restart_the_same_objects_work_again() {
    try (Kernel kernel = Kernel.behindProxy()) {
      Locks locks = kernel.locks(o -> o).locks();
      locks.acquire("before", TTL);
      kernel.proxy().refuse(true);
      kernel.proxy().cut();

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire("during", TTL));
      kernel.proxy().refuse(false);

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      Kernel.eventually("recovery", () -> codeOf(() -> locks.isLocked("after")) == null);
      assertThat(locks.acquire("after", TTL).ok()).isTrue();
    }
  }

  @Test
  void a_server_that_does_not_answer_a_login_is_a_timeout() {
    PoolSettings quick = ONE.withConnectTimeout(Duration.ofSeconds(1));
    try (Kernel kernel = Kernel.behindProxy()) {
      Locks locks = kernel.locks(o -> o.withPool(quick)).locks();
      kernel.proxy().freeze();

      LockException failure = catchThrowableOfType(LockException.class, () -> locks.isLocked("k"));
      kernel.proxy().thaw();

      assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      Kernel.eventually("recovery", () -> codeOf(() -> locks.isLocked("k")) == null);
    }
  }

  @Test
  void a_login_that_outlasts_the_call_is_a_timeout_and_no_rate_limit() {
    LockTimeouts limits = new LockTimeouts(TTL, Duration.ofMillis(400), null);
    try (Kernel kernel = Kernel.behindProxy()) {
      Locks locks =
          kernel.locks(o -> o.withLocks(LockOptions.DEFAULTS.withTimeouts(limits))).locks();
      kernel.proxy().freeze();

      ErrorCode code = codeOf(() -> locks.isLocked("k"));
      kernel.proxy().thaw();

      assertThat(code).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      Kernel.eventually("recovery", () -> codeOf(() -> locks.isLocked("k")) == null);
    }
  }

  @Test
  @Guarantee("LF16")
  void a_wrong_password_is_an_auth_failure_at_once() {
    String role = role("CONNECTION LIMIT 5");
    try (Kernel kernel = Kernel.direct();
        Log log = new Log()) {
      Locks locks = kernel.locks(Kernel.as(role, "wrong"), o -> o).locks();

      LockException failure = catchThrowableOfType(LockException.class, () -> locks.isLocked("k"));

      assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
      assertThat(log.warnings()).isEmpty();
    } finally {
      TestDatabase.execute("DROP ROLE " + role);
    }
  }

  @Test
  @Guarantee("LF16")
  void too_many_clients_are_a_rate_limit() throws SQLException {
    String role = role("CONNECTION LIMIT 1");
    try (Kernel kernel = Kernel.direct()) {
      String url = Kernel.as(role, "right");
      Locks locks = kernel.locks(url, o -> o).locks();
      Connection greedy = DriverManager.getConnection(url);

      LockException failure = catchThrowableOfType(LockException.class, () -> locks.isLocked("k"));
      greedy.close();

      assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
      Kernel.eventually(
          "room again", () -> codeOf(() -> locks.isLocked("k")) != ErrorCode.RATE_LIMITED);
    } finally {
      Kernel.eventually("no session of the role", () -> Kernel.dropRole(role));
    }
  }

  @Test
  @Guarantee("LF16")
  void a_read_only_server_is_unavailable_until_it_can_be_written_to() {
    String database = TestDatabase.freshDatabase();
    String name = ConnectionString.parse(database).setting(PGProperty.PG_DBNAME);
    try (Kernel kernel = Kernel.direct()) {
      LockTables tables = LockTables.DEFAULTS;
      kernel.locks(database, o -> o.withLockTables(tables)).locks().setup();
      TestDatabase.execute("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
      Locks locks =
          kernel
              .locks(
                  Kernel.with(database, "ApplicationName=read_only"), o -> o.withLockTables(tables))
              .locks();

      assertThat(locks.isLocked("k")).isFalse();
      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));
      TestDatabase.execute("ALTER DATABASE " + name + " RESET default_transaction_read_only");
      TestDatabase.query(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '"
              + name
              + "'");

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      Kernel.eventually("writable again", () -> codeOf(() -> locks.acquire("k", TTL)) == null);
    }
  }

  @Test
  void a_users_own_data_source_is_used_as_it_is_and_stays_open() {
    String name = TestDatabase.unique("pool");
    HikariDataSource own = new HikariDataSource();
    own.setJdbcUrl(TestDatabase.url("ApplicationName=" + name));
    own.setMaximumPoolSize(3);
    try (own) {
      PostgresHoldfast holdfast = PostgresHoldfast.open(own, options());
      assertThat(holdfast.locks().acquire("k", TTL).ok()).isTrue();
      assertThat(Kernel.sessions(name)).isBetween(1L, 3L);

      holdfast.close();

      assertThat(own.isClosed()).isFalse();
      assertThat(own.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void a_plain_data_source_gets_every_connection_back() {
    String name = TestDatabase.unique("pool");
    PGSimpleDataSource own = new PGSimpleDataSource();
    own.setURL(TestDatabase.url("ApplicationName=" + name));
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(own, options())) {
      Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
      assertThat(holdfast.locks().isLocked("k")).isTrue();
      assertThat(lock.release().ok()).isTrue();

      Kernel.eventually("no session", () -> Kernel.sessions(name) == 0);
    }
  }

  @Test
  void connections_that_come_with_autocommit_off_work_and_go_back_that_way() throws SQLException {
    LockTables tables = TestDatabase.freshTables();
    try (Connection only = TestDatabase.connect();
        PostgresHoldfast holdfast =
            PostgresHoldfast.open(always(only), PostgresOptions.DEFAULTS.withLockTables(tables));
        PostgresHoldfast other =
            PostgresHoldfast.open(
                TestDatabase.url(), PostgresOptions.DEFAULTS.withLockTables(tables))) {
      only.setAutoCommit(false);

      Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);

      assertThat(other.locks().owns(lock.lockId())).isTrue();
      assertThat(lock.release().ok()).isTrue();
      assertThat(other.locks().isLocked("k")).isFalse();
      assertThat(only.getAutoCommit()).as("given back as it came").isFalse();
    }
  }

  @Test
  void an_exhausted_pool_is_a_rate_limit_within_the_limits() throws SQLException {
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE_QUICK)).locks();
      locks.setup();
      Connection only = kernel.database(ONE_QUICK).borrow(Cancellation.never(), TTL);
      long startNanos = System.nanoTime();

      ErrorCode code = codeOf(() -> locks.isLocked("k"));

      assertThat(code).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isBetween(Duration.ofMillis(250), Duration.ofSeconds(2));
      kernel.database(ONE_QUICK).giveBack(only);
      assertThat(locks.isLocked("k")).isFalse();
    }
  }

  @Test
  void the_wait_for_a_connection_ends_with_the_time_limit_of_the_call() throws SQLException {
    LockTimeouts limits = new LockTimeouts(TTL, Duration.ofMillis(300), null);
    try (Kernel kernel = Kernel.direct()) {
      Locks locks =
          kernel
              .locks(o -> o.withPool(ONE).withLocks(LockOptions.DEFAULTS.withTimeouts(limits)))
              .locks();
      locks.setup();
      Connection only = kernel.database(ONE).borrow(Cancellation.never(), TTL);
      long startNanos = System.nanoTime();

      ErrorCode code = codeOf(() -> locks.isLocked("k"));

      assertThat(code).isIn(ErrorCode.RATE_LIMITED, ErrorCode.NETWORK_TIMEOUT);
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(2));
      kernel.database(ONE).giveBack(only);
      assertThat(locks.isLocked("k")).isFalse();
    }
  }

  @Test
  void a_token_ends_the_wait_for_a_connection() throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE)).locks();
      locks.setup();
      Connection only = kernel.database(ONE).borrow(Cancellation.never(), TTL);
      CancellationSource token = new CancellationSource();
      Future<ErrorCode> waiting =
          kernel.async(() -> codeOf(() -> locks.cancelledBy(token).isLocked("k")));
      Kernel.awaitInside("com.zaxxer.hikari.pool.HikariPool", kernel.lastThread());
      long startNanos = System.nanoTime();

      token.cancel();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ABORTED);
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(2));
      nothingLeaked(kernel, locks, only);
    }
  }

  @Test
  void an_interrupt_ends_the_wait_for_a_connection() throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE)).locks();
      locks.setup();
      Connection only = kernel.database(ONE).borrow(Cancellation.never(), TTL);
      AtomicReference<@Nullable Boolean> flag = new AtomicReference<>();
      Future<ErrorCode> waiting =
          kernel.async(
              () -> {
                ErrorCode code = codeOf(() -> locks.isLocked("k"));
                flag.set(Thread.interrupted());
                return code;
              });
      Kernel.awaitInside("com.zaxxer.hikari.pool.HikariPool", kernel.lastThread());
      long startNanos = System.nanoTime();

      kernel.lastThread().interrupt();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ABORTED);
      assertThat(flag).hasValue(true);
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(2));
      nothingLeaked(kernel, locks, only);
    }
  }

  @Test
  void a_token_ends_the_pauses_between_tries() throws Exception {
    try (Kernel kernel = Kernel.behindProxy();
        Log log = new Log()) {
      Locks locks = kernel.locks(o -> o).locks();
      kernel.proxy().refuse(true);
      CancellationSource token = new CancellationSource();
      Future<ErrorCode> waiting =
          kernel.async(() -> codeOf(() -> locks.cancelledBy(token).isLocked("k")));
      Kernel.eventually("the third try", () -> log.warnings().size() >= 3);

      token.cancel();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ABORTED);
    }
  }

  private static void nothingLeaked(Kernel kernel, Locks locks, Connection only) {
    kernel.database(ONE).giveBack(only);
    for (int i = 0; i < 3; i++) {
      assertThat(locks.isLocked("k")).isFalse();
    }
    assertThat(Kernel.sessions(kernel.name())).isEqualTo(1);
  }

  private static Database open(String name, PoolSettings settings) {
    return Pools.open(
        ConnectionString.parse(TestDatabase.url("ApplicationName=" + name)), settings);
  }

  private static PostgresOptions options() {
    return PostgresOptions.DEFAULTS.withLockTables(TestDatabase.freshTables());
  }

  private static int selectOne(Database database) throws SQLException {
    Connection connection = database.borrow(Cancellation.never(), TTL);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT 1")) {
      row.next();
      return row.getInt(1);
    } finally {
      database.giveBack(connection);
    }
  }

  private static String role(String options) {
    String role = TestDatabase.unique("role");
    TestDatabase.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'right' " + options);
    return role;
  }

  /** What a call failed with, or null when it did not. */
  static @Nullable ErrorCode codeOf(Runnable call) {
    try {
      call.run();
      return null;
    } catch (HoldfastException e) {
      return e.code();
    }
  }

  /** A data source that hands out one connection again and again; closing it does nothing. */
  private static DataSource always(Connection only) {
    Connection unclosable =
        (Connection)
            Proxy.newProxyInstance(
                PoolsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("close")) {
                    return null;
                  }
                  try {
                    return method.invoke(only, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return (DataSource)
        Proxy.newProxyInstance(
            PoolsTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                return unclosable;
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }

  /** Reads what the pool logs. */
  private static final class Log implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger(PooledDatabase.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    Log() {
      appender.list = Collections.synchronizedList(new ArrayList<>());
      appender.start();
      logger.addAppender(appender);
    }

    List<ILoggingEvent> warnings() {
      synchronized (appender.list) {
        return appender.list.stream().filter(e -> e.getLevel() == Level.WARN).toList();
      }
    }

    String text() {
      StringBuilder text = new StringBuilder();
      warnings().forEach(e -> text.append(e.getFormattedMessage()).append('\n'));
      return text.toString();
    }

    @Override
    public void close() {
      logger.detachAppender(appender);
    }
  }

  /**
   * What the tests of the kernel share: a kernel under an application name of its own, perhaps
   * behind a network that fails on command, threads, and waiting with a bound.
   */
  static final class Kernel implements AutoCloseable {
    private static final String BYPASS = "com.zaxxer.hikari.aliveBypassWindowMs";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String name = TestDatabase.unique("kernel");
    private final @Nullable TcpProxy proxy;
    private final String url;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              threads.add(thread);
              return thread;
            });

    private Kernel(@Nullable TcpProxy proxy, String url) {
      this.proxy = proxy;
      this.url = with(url, "ApplicationName=" + name);
    }

    static Kernel direct() {
      return new Kernel(null, TestDatabase.url());
    }

    /** With further connection parameters. */
    static Kernel direct(String parameters) {
      return new Kernel(null, TestDatabase.url(parameters));
    }

    static Kernel behindProxy() {
      return behind(() -> chunk -> {}, "");
    }

    static Kernel behind(PgWire wire) {
      return counted(wire, "");
    }

    static Kernel behind(PgWire wire, String parameters) {
      return counted(wire, "&" + parameters);
    }

    /** Where round trips count, the pool asks no idle connection for a sign of life. */
    private static Kernel counted(PgWire wire, String parameters) {
      System.setProperty(BYPASS, Long.toString(TimeUnit.MINUTES.toMillis(5)));
      return behind(wire::connection, parameters);
    }

    private static Kernel behind(Supplier<Consumer<byte[]>> taps, String parameters) {
      URI server = URI.create(TestDatabase.url().substring("jdbc:".length()));
      try {
        TcpProxy proxy = TcpProxy.to(server.getHost(), server.getPort(), taps);
        String through =
            TestDatabase.url("sslmode=disable&gssEncMode=disable" + parameters)
                .replaceFirst("//[^/]+/", "//" + proxy.host() + ":" + proxy.port() + "/");
        return new Kernel(proxy, through);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The url of the test server for another user. */
    static String as(String user, String password) {
      return as(TestDatabase.url(), user, password);
    }

    static String as(String url, String user, String password) {
      return url.replaceFirst("\\?.*", "") + "?user=" + user + "&password=" + password;
    }

    /** Leaves nothing in a database of its own but an empty schema public. */
    static void empty(String url) {
      String everything =
          """
          DO $$ DECLARE s text; BEGIN
            FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
              EXECUTE format('DROP SCHEMA %I CASCADE', s);
            END LOOP;
            CREATE SCHEMA public;
            GRANT USAGE ON SCHEMA public TO PUBLIC;
          END $$
          """;
      try (Connection connection = DriverManager.getConnection(url)) {
        TransactionsTest.run(connection, everything);
      } catch (SQLException e) {
        throw new AssertionError("emptying a database", e);
      }
    }

    /** A url with further parameters. */
    static String with(String url, String parameters) {
      return url + (url.contains("?") ? "&" : "?") + parameters;
    }

    String name() {
      return name;
    }

    String url() {
      return url;
    }

    /** Another database of the server, reached as this kernel reaches its own. */
    String urlOf(String other) {
      String database = ConnectionString.parse(other).setting(PGProperty.PG_DBNAME);
      return url.replaceFirst("(//[^/]+/)[^?]*", "$1" + database);
    }

    TcpProxy proxy() {
      if (proxy == null) {
        throw new IllegalStateException("this kernel is connected directly");
      }
      return proxy;
    }

    /** A user's share of this kernel's pool, closed with it. */
    Database database(PoolSettings settings) {
      return opening(Pools.open(ConnectionString.parse(url), settings));
    }

    Statements statements(StatementListener listener) {
      return opening(new Statements(listener));
    }

    Transactions transactions(PoolSettings settings) {
      return new Transactions(database(settings), statements((operation, took, error) -> {}));
    }

    /** Locks on tables of their own over this kernel's url. */
    PostgresHoldfast locks(UnaryOperator<PostgresOptions> change) {
      return locks(url, change);
    }

    PostgresHoldfast locks(String where, UnaryOperator<PostgresOptions> change) {
      PostgresOptions options =
          PostgresOptions.DEFAULTS
              .withLockTables(TestDatabase.freshTables())
              .withLocks(LockOptions.DEFAULTS.withPurgeEvery(null));
      return opening(PostgresHoldfast.open(where, change.apply(options)));
    }

    private <T extends AutoCloseable> T opening(T thing) {
      opened.add(0, thing);
      return thing;
    }

    <T> Future<T> async(Callable<T> call) {
      return executor.submit(call);
    }

    /** The thread that was started last. */
    Thread lastThread() {
      return threads.get(threads.size() - 1);
    }

    /** Waits, with a bound, until something holds. */
    static void eventually(String what, Callable<Boolean> condition) {
      long until = System.nanoTime() + PATIENCE.toNanos();
      try {
        while (!condition.call()) {
          if (System.nanoTime() - until > 0) {
            throw new AssertionError("in vain waited for: " + what);
          }
          LockSupport.parkNanos(5_000_000);
        }
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError("waiting for: " + what, e);
      }
    }

    /** Waits until {@code thread} is inside a method of {@code type}. */
    static void awaitInside(String type, Thread thread) {
      eventually(
          thread.getName() + " inside " + type,
          () -> {
            for (StackTraceElement frame : thread.getStackTrace()) {
              if (frame.getClassName().equals(type)) {
                return true;
              }
            }
            return false;
          });
    }

    /** How many sessions with this application name the server has. */
    static long sessions(String application) {
      return count("application_name = '" + application + "'");
    }

    /** Waits until so many sessions of this kernel are stuck behind a lock. */
    void awaitBlocked(int calls) {
      eventually(
          calls + " blocked calls",
          () -> count("application_name = '" + name + "' AND wait_event_type = 'Lock'") >= calls);
    }

    /** Waits until a session is stuck behind {@code connection}'s. */
    void awaitBlockedBy(Connection connection) throws SQLException {
      int pid = connection.unwrap(PGConnection.class).getBackendPID();
      eventually(
          "somebody stuck behind " + pid, () -> count(pid + " = ANY (pg_blocking_pids(pid))") > 0);
    }

    static boolean dropRole(String role) {
      if (count("usename = '" + role + "'") > 0) {
        return false;
      }
      TestDatabase.execute("DROP ROLE " + role);
      return true;
    }

    private static long count(String condition) {
      String found =
          TestDatabase.query(
              "SELECT count(*) FROM pg_stat_activity WHERE "
                  + condition
                  + " AND pid <> pg_backend_pid()");
      return found == null ? 0 : Long.parseLong(found);
    }

    @Override
    public void close() {
      System.clearProperty(BYPASS);
      executor.shutdownNow();
      for (AutoCloseable thing : opened) {
        try {
          thing.close();
        } catch (Exception e) {
          throw new AssertionError("closing " + thing, e);
        }
      }
      if (proxy != null) {
        proxy.close();
      }
    }
  }
}
