package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PoolsTest.Kernel;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every statement is one the server understands, and none leaves a trace it should not. */
@Timeout(60)
class LockSqlTest {
  /** Beginnings and ends of statements, which are understood as wholes only. */
  private static final Set<String> PARTS = Set.of("JobReserveSql.RESULT", "JobReserveSql.WISH");

  private static final Duration TTL = Duration.ofSeconds(30);
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);
  private static final Pattern STATEMENT =
      Pattern.compile("\\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\\s[^{]*");

  private final Kernel kernel = Kernel.direct();
  private final LockTables tables = TestDatabase.freshTables();
  private final LockSql sql = new LockSql(String.valueOf(tables.schema()), tables);

  @AfterEach
  void close() {
    kernel.close();
  }

  @Test
  void the_server_understands_every_statement() throws Exception {
    open(o -> o).setup();
    Map<String, String> statements = new TreeMap<>(constants());
    statements.putAll(statementsOf(sql));
    statements.keySet().removeAll(PARTS);

    for (String type : List.of("LockSql", "LockCatalog", "Migrations", "Notifier", "FenceGuard")) {
      assertThat(statements.keySet()).anyMatch(name -> name.startsWith(type + "."));
    }
    assertThat(statements).hasSizeGreaterThan(20);
    try (Connection connection = TestDatabase.connect()) {
      for (Map.Entry<String, String> each : statements.entrySet()) {
        assertThat(catchThrowable(() -> prepare(connection, each.getValue())))
            .as("%s:%n%s", each.getKey(), each.getValue())
            .isNull();
      }
    }
  }

  @Test
  void a_statement_with_a_mistake_would_be_found() throws Exception {
    open(o -> o).setup();
    try (Connection connection = TestDatabase.connect()) {
      assertThat(catchThrowable(() -> prepare(connection, sql.findByKey.replace("fence", "fense"))))
          .isInstanceOf(SQLException.class);
      assertThat(catchThrowable(() -> prepare(connection, sql.release.replaceFirst("\\?, ", ""))))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void functions_are_plain_volatile_and_run_with_the_callers_rights() throws Exception {
    open(o -> o).setup();
    List<String> names = new ArrayList<>(sql.functionNames());
    names.add("assert_fence");

    for (String name : names) {
      String proc = "FROM pg_proc AS p WHERE p.proname = '" + name + "'";
      assertThat(query("SELECT count(*) " + proc)).as(name).isEqualTo("1");
      assertThat(query("SELECT p.pronamespace::regnamespace " + proc)).isEqualTo("holdfast");
      assertThat(
              query(
                  "SELECT l.lanname FROM pg_language AS l, pg_proc AS p"
                      + " WHERE l.oid = p.prolang AND p.proname = '"
                      + name
                      + "'"))
          .isEqualTo("plpgsql");
      assertThat(query("SELECT p.provolatile " + proc)).as(name).isEqualTo("v");
      assertThat(query("SELECT p.prosecdef " + proc)).as(name).isEqualTo("f");
      String body = String.valueOf(query("SELECT p.prosrc " + proc));
      assertThat(body).doesNotContainPattern("(?i)\\bEXCEPTION\\s+WHEN\\b");
      assertThat(body).doesNotContainPattern("(?i)\\bEXECUTE\\b");
    }
  }

  @Test
  void functions_bear_the_hash_of_their_tables() throws Exception {
    String pair = tables.schema() + "." + tables.table() + "/" + tables.fenceTable();
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(pair.getBytes(StandardCharsets.UTF_8));
    String suffix = "_v1_" + HexFormat.of().formatHex(digest, 0, 4);

    assertThat(sql.functionNames())
        .contains(
            "lock_acquire" + suffix,
            "lock_release" + suffix,
            "lock_extend" + suffix,
            "lock_extend_many" + suffix);
  }

  @Test
  void two_pairs_of_tables_do_not_disturb_each_other() {
    LockTables others = tables.named("other_locks", "other_fences");
    Locks one = open(o -> o).locks();
    Locks two = kernel.locks(o -> o.withLockTables(others)).locks();

    assertThat(one.acquire("k", TTL).ok()).isTrue();
    assertThat(two.acquire("k", TTL).ok()).isTrue();
    assertThat(((Acquired) two.acquire("j", TTL)).fence().value()).isEqualTo(1);
    assertThat(one.isLocked("j")).isFalse();
  }

  /** Names inside the functions are qualified, so a caller's search path means nothing to them. */
  @ParameterizedTest
  @ValueSource(strings = {"", "decoys"})
  void the_callers_search_path_means_nothing(String path) throws Exception {
    PostgresHoldfast holdfast = open(o -> o);
    holdfast.setup();
    try (Connection connection = TestDatabase.begin()) {
      run(connection, "CREATE SCHEMA decoys");
      run(connection, "SET LOCAL search_path = decoys");
      for (String decoy : List.of(tables.table(), tables.fenceTable(), "lock_waiters")) {
        run(connection, "CREATE TABLE " + decoy + " (nothing int)");
      }
      run(connection, "SET LOCAL search_path = '" + path + "'");

      Acquired lock = (Acquired) holdfast.in(connection).acquire("k", TTL);
      holdfast.in(connection).guardStrict(lock);
      holdfast.in(connection).guard("resource", lock.fence());
      assertThat(holdfast.in(connection).extend(lock.lockId(), TTL).ok()).isTrue();
      assertThat(holdfast.in(connection).release(lock.lockId()).ok()).isTrue();
      connection.rollback();
    }
  }

  @Test
  void a_callers_lock_timeout_is_as_it_was_after_each_call() throws Exception {
    PostgresHoldfast holdfast = open(o -> o);
    Acquired held = (Acquired) holdfast.locks().acquire("held", TTL);
    try (Connection connection = TestDatabase.begin()) {
      InTransaction locks = holdfast.in(connection);
      run(connection, "SET LOCAL lock_timeout = '1234ms'");
      String unknown = LockId.random().text();
      List<Runnable> calls = new ArrayList<>();
      Acquired[] mine = new Acquired[1];
      calls.add(() -> mine[0] = (Acquired) locks.acquire("k", TTL));
      calls.add(() -> assertThat(locks.acquire("held", TTL).ok()).isFalse());
      calls.add(() -> assertThat(locks.acquire("k", TTL, mine[0].lockId()).ok()).isTrue());
      calls.add(() -> assertThat(locks.extend(mine[0].lockId(), TTL).ok()).isTrue());
      calls.add(() -> assertThat(locks.extend(unknown, TTL).ok()).isFalse());
      calls.add(() -> locks.guardStrict(held));
      calls.add(() -> locks.guard("resource", held.fence()));
      calls.add(() -> assertThat(locks.release(unknown).ok()).isFalse());
      calls.add(() -> assertThat(locks.release(mine[0].lockId()).ok()).isTrue());

      for (Runnable call : calls) {
        call.run();
        assertThat(show(connection, "lock_timeout")).isEqualTo("1234ms");
      }
      connection.commit();
      assertThat(show(connection, "lock_timeout")).isEqualTo("0");
    }
  }

  @Test
  void a_sessions_lock_timeout_survives_our_calls() throws Exception {
    PostgresHoldfast holdfast = open(o -> o);
    holdfast.setup();
    try (Connection connection = TestDatabase.connect()) {
      run(connection, "SET lock_timeout = '7s'");
      connection.setAutoCommit(false);

      holdfast.in(connection).acquire("k", TTL);
      connection.commit();

      assertThat(show(connection, "lock_timeout")).isEqualTo("7s");
    }
  }

  @Test
  void an_acquire_turns_synchronous_commit_on_for_its_transaction() throws Exception {
    PostgresHoldfast holdfast = open(o -> o);
    Acquired held = (Acquired) holdfast.locks().acquire("held", TTL);
    try (Connection connection = TestDatabase.connect()) {
      run(connection, "SET synchronous_commit = off");
      connection.setAutoCommit(false);

      holdfast.in(connection).extend(held.lockId(), TTL);
      assertThat(show(connection, "synchronous_commit")).as("extend may be lost").isEqualTo("off");
      assertThat(holdfast.in(connection).acquire("held", TTL).ok()).isFalse();
      assertThat(show(connection, "synchronous_commit")).as("nothing granted").isEqualTo("off");
      assertThat(holdfast.in(connection).acquire("k", TTL).ok()).isTrue();
      assertThat(show(connection, "synchronous_commit")).as("a fence granted").isEqualTo("on");
      connection.commit();

      assertThat(show(connection, "synchronous_commit")).as("afterwards").isEqualTo("off");
    }
  }

  @Test
  void a_stronger_synchronous_commit_is_left_alone() throws Exception {
    PostgresHoldfast holdfast = open(o -> o);
    holdfast.setup();
    try (Connection connection = TestDatabase.begin()) {
      run(connection, "SET LOCAL synchronous_commit = remote_apply");

      holdfast.in(connection).acquire("k", TTL);

      assertThat(show(connection, "synchronous_commit")).isEqualTo("remote_apply");
      connection.rollback();
    }
  }

  /** Where the session says off, an unflushed commit shows as a log that did not move. */
  @Test
  void a_granted_acquire_is_on_disk_when_it_returns() throws Exception {
    try (Kernel off = Kernel.direct("options=-c%20synchronous_commit%3Doff");
        Connection probe = TestDatabase.connect()) {
      PostgresHoldfast holdfast = off.locks(o -> o.withPool(ONE).withLockTables(tables));
      holdfast.setup();
      String table = TestDatabase.unique("control");
      TestDatabase.execute("CREATE TABLE " + table + " (id int)");
      int flushed = 0;
      int control = 0;
      for (int i = 0; i < 20; i++) {
        String key = "k" + i;
        flushed += isFlushed(probe, () -> holdfast.locks().acquire(key, TTL)) ? 1 : 0;
        control +=
            isFlushed(
                    probe,
                    () ->
                        holdfast.transaction(
                            TransactionSettings.DEFAULTS,
                            c -> run(c, "INSERT INTO " + table + " VALUES (1)")))
                ? 1
                : 0;
      }

      assertThat(control).as("commits that were flushed without need").isLessThan(20);
      assertThat(flushed).isEqualTo(20);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void only_an_asynchronous_release_returns_before_it_is_on_disk(boolean async) throws Exception {
    LockOptions options = LockOptions.DEFAULTS.withPurgeEvery(null).withAsyncRelease(async);
    try (Connection probe = TestDatabase.connect()) {
      PostgresHoldfast holdfast = open(o -> o.withPool(ONE).withLocks(options));
      int flushed = 0;
      for (int i = 0; i < 20; i++) {
        Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
        flushed += isFlushed(probe, lock::release) ? 1 : 0;
      }

      if (async) {
        assertThat(flushed).isLessThan(20);
      } else {
        assertThat(flushed).isEqualTo(20);
      }
      String after =
          holdfast.transaction(TransactionSettings.DEFAULTS, c -> show(c, "synchronous_commit"));
      assertThat(after).as("the one connection afterwards").isEqualTo("on");
    }
  }

  @Test
  void a_release_in_a_callers_transaction_is_never_asynchronous() throws Exception {
    LockOptions async = LockOptions.DEFAULTS.withPurgeEvery(null).withAsyncRelease(true);
    PostgresHoldfast holdfast = open(o -> o.withLocks(async));
    Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
    try (Connection connection = TestDatabase.begin()) {
      assertThat(holdfast.in(connection).release(lock.lockId()).ok()).isTrue();

      assertThat(show(connection, "synchronous_commit")).isEqualTo("on");
      connection.commit();
    }
  }

  private PostgresHoldfast open(UnaryOperator<PostgresOptions> change) {
    return kernel.locks(o -> change.apply(o.withLockTables(tables)));
  }

  /** Whether what {@code call} committed had reached the disk when it returned. */
  private static boolean isFlushed(Connection probe, Runnable call) throws SQLException {
    String before = read(probe, "SELECT pg_current_wal_insert_lsn()");
    call.run();
    return "t".equals(read(probe, "SELECT pg_current_wal_flush_lsn() > '" + before + "'::pg_lsn"));
  }

  private static Map<String, String> statementsOf(LockSql sql) throws IllegalAccessException {
    Map<String, String> found = new TreeMap<>();
    for (Field field : LockSql.class.getDeclaredFields()) {
      if (field.getType() == String.class && !Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        String text = (String) field.get(sql);
        if (STATEMENT.matcher(text).matches()) {
          found.put("LockSql." + field.getName(), text);
        }
      }
    }
    return found;
  }

  /** The constants of all classes of the package that are statements as they stand. */
  private static Map<String, String> constants()
      throws IOException, URISyntaxException, ReflectiveOperationException {
    Path classes =
        Path.of(LockSql.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("io/holdfast/postgres");
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(classes)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        String name = file.getFileName().toString().replace(".class", "");
        for (Field field : Class.forName("io.holdfast.postgres." + name).getDeclaredFields()) {
          if (field.getType() == String.class && Modifier.isStatic(field.getModifiers())) {
            field.setAccessible(true);
            String text = (String) field.get(null);
            if (text != null && STATEMENT.matcher(text).matches()) {
              found.put(name + "." + field.getName(), text);
            }
          }
        }
      }
    }
    return found;
  }

  private static boolean prepare(Connection connection, String sql) throws SQLException {
    // The driver says that this parameter is an array of texts; PREPARE cannot know.
    String rest = sql.replace("unnest(?)", "unnest(?::text[])");
    StringBuilder numbered = new StringBuilder("PREPARE checked AS ");
    int number = 0;
    for (char c : rest.toCharArray()) {
      numbered.append(c == '?' ? "$" + ++number : String.valueOf(c));
    }
    run(connection, numbered.toString());
    return run(connection, "DEALLOCATE checked");
  }

  private static boolean run(Connection connection, String sql) throws SQLException {
    return TransactionsTest.run(connection, sql);
  }

  private static @Nullable String show(Connection connection, String setting) throws SQLException {
    return read(connection, "SHOW " + setting);
  }

  static @Nullable String read(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private static @Nullable String query(String sql) {
    return TestDatabase.query(sql);
  }
}
