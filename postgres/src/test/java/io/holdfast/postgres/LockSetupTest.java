package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOperator;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.Locks;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGProperty;

/** The lock tables come into being once, whatever was there before and whoever else comes. */
@Timeout(60)
class LockSetupTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final LockTables TABLES = LockTables.DEFAULTS;
  private static final String LONG = "t".repeat(51);

  /** SyncGuard's own tables, to the letter. */
  private static final String SYNCGUARD =
      """
      CREATE TABLE "syncguard_locks" (key text PRIMARY KEY, lock_id text NOT NULL, expires_at_ms bigint NOT NULL,
        acquired_at_ms bigint NOT NULL, fence text NOT NULL, user_key text NOT NULL);
      CREATE UNIQUE INDEX "idx_syncguard_locks_lock_id" ON "syncguard_locks" (lock_id);
      CREATE INDEX "idx_syncguard_locks_expires" ON "syncguard_locks" (expires_at_ms);
      CREATE TABLE "syncguard_fence_counters" (fence_key text PRIMARY KEY, fence bigint NOT NULL DEFAULT 0, key_debug text);
      """;

  private static final String COLUMNS =
      """
      SELECT string_agg(c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, NULL), ', '
                        ORDER BY c.relname, a.attnum)
        FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE a.attnum > 0 AND NOT a.attisdropped
         AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema')
      """;

  /** Emptied for each test: a new one for each would make the server's end take its time. */
  private static final String DATABASE = TestDatabase.freshDatabase();

  private final Kernel kernel = Kernel.direct();
  private @Nullable String database;

  @AfterEach
  void close() {
    kernel.close();
  }

  @ParameterizedTest
  @Guarantee("L90")
  @ValueSource(
      strings = {
        "",
        " ",
        "1st",
        "a-b",
        "a b",
        "a.b",
        "a\"b",
        "a;b",
        "größe",
        "a'b",
        "tableſ",
        "a\n",
        "$a",
        "tttttttttttttttttttttttttttttttttttttttttttttttttttt"
      })
  void names_that_do_not_fit_are_refused(String name) {
    assertThat(refusal(() -> TABLES.named(name, "fences"))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.named("locks", name))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  @Guarantee("L90")
  @SuppressWarnings("NullAway")
  void names_are_needed_differ_and_may_have_51_characters() {
    assertThat(refusal(() -> TABLES.named(null, "b"))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.named("a", null))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.named("a", "a"))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.named("Locks", "lOCKS"))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.inSchema(""))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusal(() -> TABLES.inSchema("s".repeat(64))))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);

    assertThat(TABLES.named(LONG, "_").inSchema("s".repeat(63)).table()).hasSize(51);
    assertThat(TABLES.named("a", LONG).fenceTable()).hasSize(51);
    assertThat(TABLES.named("A_1", "b").table()).isEqualTo("A_1");
  }

  @ParameterizedTest
  @Guarantee({"L91", "LF15"})
  @CsvSource({"MyLocks, MyFences, MixedCase", "select, from, table", "_, __, ___"})
  void unusual_names_work_end_to_end(String table, String fences, String schema) throws Exception {
    String at = emptyDatabase();
    execute("CREATE SCHEMA \"" + schema + "\"");
    LockTables tables = TABLES.named(table, fences).inSchema(schema);

    everyOperation(at, tables);

    assertThat(query("SELECT count(*) FROM \"" + schema + "\".\"" + fences + "\"")).isEqualTo("2");
    assertThat(indexes(schema, table)).isEqualTo(3);
  }

  @Test
  @Guarantee({"L91", "LF15"})
  void names_of_51_characters_work_end_to_end() throws Exception {
    String at = emptyDatabase();
    String mixed = "Tt".repeat(25) + "f";

    everyOperation(at, TABLES.named(LONG, mixed));

    assertThat(query("SELECT to_regclass('idx_" + LONG + "_lock_id')")).isNotNull();
    assertThat(query("SELECT to_regclass('idx_" + LONG + "_expires')")).isNotNull();
    assertThat(indexes("public", LONG)).isEqualTo(3);
  }

  private void everyOperation(String at, LockTables tables) throws Exception {
    PostgresHoldfast holdfast = kernel.locks(at, o -> o.withLockTables(tables));
    Locks locks = holdfast.locks();
    Acquired lock = (Acquired) locks.acquire("k", TTL);
    assertThat(locks.acquire("k", TTL).ok()).isFalse();
    assertThat(locks.acquire("k", TTL, Wait.upTo(Duration.ofMillis(20))).ok()).isFalse();
    assertThat(lock.extend(TTL).ok()).isTrue();
    assertThat(locks.isLocked("k")).isTrue();
    assertThat(locks.lookup("k")).isPresent();
    assertThat(locks.lookupById(lock.lockId())).isPresent();
    assertThat(renewTogether(at, tables, lock)).isTrue();
    try (Connection connection = DriverManager.getConnection(at)) {
      connection.setAutoCommit(false);
      holdfast.in(connection).guardStrict(lock);
      connection.commit();
    }
    LockOperator operator = locks.operator();
    assertThat(operator.list("", null, 10)).hasSize(1);
    assertThat(operator.inspect("k").counter()).isEqualTo(1);
    assertThat(operator.stats().liveLocks()).isEqualTo(1);
    assertThat(operator.raiseFences(5)).isEqualTo(1);
    assertThat(operator.purge()).isZero();
    assertThat(lock.release().ok()).isTrue();
    Acquired broken = (Acquired) locks.acquire("broken", TTL);
    assertThat(operator.breakLock("broken", broken.fence())).isTrue();
    Acquired again = (Acquired) locks.acquire("k", TTL);
    assertThat(again.fence().value()).isEqualTo(7);
  }

  private boolean renewTogether(String at, LockTables tables, Acquired lock) {
    PostgresStore store =
        new PostgresStore(
            Pools.open(ConnectionString.parse(at), PoolSettings.DEFAULTS),
            PostgresOptions.DEFAULTS.withLockTables(tables));
    try (store) {
      return store
          .locks()
          .store()
          .extendMany(
              List.of(new LockStore.Extend(LockId.of(lock.lockId()), LockTtl.of(TTL))),
              LockCall.plain())
          .stream()
          .allMatch(r -> r.status() == Renewal.Status.RENEWED);
    }
  }

  @ParameterizedTest
  @Guarantee("L92")
  @ValueSource(booleans = {false, true})
  void extra_columns_are_tolerated(boolean before) throws Exception {
    String at = emptyDatabase();
    if (before) {
      execute(SYNCGUARD);
    } else {
      kernel.locks(at, o -> o.withLockTables(TABLES)).setup();
    }
    execute(
        "ALTER TABLE syncguard_locks ADD COLUMN note text DEFAULT 'x', ADD COLUMN expires_at_ts"
            + " timestamp GENERATED ALWAYS AS (timestamp '1970-01-01' + expires_at_ms * interval"
            + " '1 millisecond') STORED");
    execute("ALTER TABLE syncguard_fence_counters ADD COLUMN seen_at timestamptz DEFAULT now()");

    everyOperation(at, TABLES);
  }

  @Test
  @Guarantee("L92")
  void the_readable_columns_bear_the_longest_ttl() {
    String at = emptyDatabase();
    execute(PostgresHoldfast.schemaSql(TABLES, true));
    Locks locks = kernel.locks(at, o -> o.withLockTables(TABLES)).locks();

    assertThat(locks.acquire("k", Duration.ofMillis(LockTtl.MAX_MILLIS)).ok()).isTrue();
    assertThat(
            query(
                "SELECT acquired_at_ts - to_timestamp(acquired_at_ms / 1000.0) AT TIME ZONE 'UTC'"
                    + " FROM syncguard_locks"))
        .isEqualTo("00:00:00");
  }

  @Test
  @Guarantee("L93")
  void setup_is_idempotent() {
    String at = emptyDatabase();
    PostgresHoldfast holdfast = kernel.locks(at, o -> o.withLockTables(TABLES));
    holdfast.setup();
    String before = everything();
    Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);

    holdfast.setup();
    kernel.locks(Kernel.with(at, "ApplicationName=another"), o -> o.withLockTables(TABLES)).setup();

    assertThat(everything()).isEqualTo(before);
    assertThat(holdfast.locks().owns(lock.lockId())).isTrue();
  }

  @Test
  @Guarantee("LF15")
  void eight_at_once_on_a_fresh_database_all_succeed() throws Exception {
    String at = TestDatabase.freshDatabase();
    database = at;
    int users = 8;
    CyclicBarrier start = new CyclicBarrier(users);
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      String own = Kernel.with(at, "ApplicationName=setup" + i);
      Locks locks = kernel.locks(own, o -> o.withLockTables(TABLES)).locks();
      String key = "k" + i;
      all.add(
          kernel.async(
              () -> {
                start.await(20, TimeUnit.SECONDS);
                return locks.acquire(key, TTL).ok();
              }));
    }

    for (Future<Boolean> one : all) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(indexes("public", TABLES.table())).isEqualTo(3);
    assertThat(query("SELECT count(*) FROM syncguard_locks")).isEqualTo("8");
  }

  @Test
  @Guarantee("LF15")
  void what_is_complete_needs_no_right_to_change_it() throws Exception {
    String at = emptyDatabase();
    kernel.locks(at, o -> o.withLockTables(TABLES)).setup();

    asGuest(
        at,
        guest -> {
          PostgresHoldfast holdfast = kernel.locks(guest, o -> o.withLockTables(TABLES));
          holdfast.setup();
          Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
          assertThat(holdfast.locks().acquire("k", TTL, Wait.upTo(Duration.ofMillis(20))).ok())
              .isFalse();
          assertThat(lock.extend(TTL).ok()).isTrue();
          assertThat(lock.release().ok()).isTrue();
        });
  }

  @Test
  @Guarantee("LF15")
  void without_the_right_a_missing_table_is_an_auth_failure_that_is_not_remembered()
      throws Exception {
    String at = emptyDatabase();
    kernel.locks(at, o -> o.withLockTables(TABLES.named("others", "fences"))).setup();

    asGuest(
        at,
        guest -> {
          Locks locks = kernel.locks(guest, o -> o.withLockTables(TABLES)).locks();
          LockException failure =
              catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));
          assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);

          PostgresHoldfast owner = kernel.locks(at, o -> o.withLockTables(TABLES));
          owner.setup();
          owner.close();
          grant(ConnectionString.parse(guest).setting(PGProperty.USER));

          assertThat(locks.acquire("k", TTL).ok()).isTrue();
        });
  }

  @Test
  @Guarantee("LF15")
  void syncguards_own_tables_are_used_as_they_are() throws Exception {
    String at = emptyDatabase();
    execute(SYNCGUARD);

    everyOperation(at, TABLES);

    assertThat(indexes("public", "syncguard_locks")).isEqualTo(3);
    execute("INSERT INTO syncguard_fence_counters VALUES ('fence:old', 41, NULL)");
    Locks locks = kernel.locks(at, o -> o.withLockTables(TABLES)).locks();
    assertThat(((Acquired) locks.acquire("old", TTL)).fence().value()).isEqualTo(42);
  }

  @ParameterizedTest
  @Guarantee("LF15")
  @CsvSource(
      delimiter = ';',
      value = {
        "CREATE UNIQUE INDEX other_name ON syncguard_locks (lock_id)"
            + "; CREATE INDEX yet_another ON syncguard_locks (expires_at_ms)",
        "ALTER TABLE syncguard_locks ADD CONSTRAINT one_id UNIQUE (lock_id)"
            + "; CREATE INDEX down ON syncguard_locks (expires_at_ms DESC)",
        "CREATE UNIQUE INDEX with_more ON syncguard_locks (lock_id) INCLUDE (key)"
            + "; CREATE INDEX wide ON syncguard_locks (expires_at_ms, key)",
      })
  void indexes_are_known_by_what_they_cover(String first, String second) {
    LockTables tables = syncguardSchema();
    execute("DROP INDEX idx_syncguard_locks_lock_id, idx_syncguard_locks_expires");
    execute(first);
    execute(second);

    kernel.locks(o -> o.withLockTables(tables)).setup();

    assertThat(indexes(String.valueOf(tables.schema()), tables.table())).isEqualTo(3);
  }

  @ParameterizedTest
  @Guarantee("LF15")
  @ValueSource(
      strings = {
        // neither unique, nor on all rows, nor starting with the column that is looked for
        "CREATE INDEX idx_plain ON syncguard_locks (lock_id);"
            + "CREATE INDEX idx_some ON syncguard_locks (expires_at_ms) WHERE key > 'a'",
        "CREATE UNIQUE INDEX idx_two ON syncguard_locks (lock_id, key);"
            + "CREATE INDEX idx_second ON syncguard_locks (key, expires_at_ms)",
        "CREATE UNIQUE INDEX idx_part ON syncguard_locks (lock_id) WHERE key > 'a';"
            + "CREATE INDEX idx_brin ON syncguard_locks USING brin (expires_at_ms)",
        "CREATE UNIQUE INDEX idx_lower ON syncguard_locks (lower(lock_id));"
            + "CREATE INDEX idx_hash ON syncguard_locks USING hash (expires_at_ms)",
      })
  void indexes_that_do_not_serve_are_not_mistaken_for_those_that_do(String useless) {
    LockTables tables = syncguardSchema();
    execute("DROP INDEX idx_syncguard_locks_lock_id, idx_syncguard_locks_expires");
    execute(useless);

    kernel.locks(o -> o.withLockTables(tables)).setup();

    assertThat(query("SELECT to_regclass('idx_syncguard_locks_lock_id')")).isNotNull();
    assertThat(query("SELECT to_regclass('idx_syncguard_locks_expires')")).isNotNull();
  }

  @Test
  void a_counter_table_without_key_debug_gets_the_column() {
    String at = emptyDatabase();
    execute(SYNCGUARD);
    execute("ALTER TABLE syncguard_fence_counters DROP COLUMN key_debug");

    Locks locks = kernel.locks(at, o -> o.withLockTables(TABLES)).locks();
    locks.acquire("k", TTL);

    assertThat(query("SELECT key_debug FROM syncguard_fence_counters")).isEqualTo("k");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE syncguard_locks DROP COLUMN user_key",
        "ALTER TABLE syncguard_locks ALTER COLUMN expires_at_ms TYPE integer",
        "ALTER TABLE syncguard_locks ALTER COLUMN fence TYPE bigint USING fence::bigint",
        "ALTER TABLE syncguard_locks RENAME COLUMN lock_id TO id",
        "ALTER TABLE syncguard_locks DROP CONSTRAINT syncguard_locks_pkey",
        "ALTER TABLE syncguard_fence_counters ALTER COLUMN fence TYPE text",
        "ALTER TABLE syncguard_fence_counters DROP CONSTRAINT syncguard_fence_counters_pkey",
        "ALTER TABLE syncguard_fence_counters ALTER COLUMN key_debug TYPE integer USING NULL",
      })
  void tables_with_other_columns_are_refused_and_nothing_is_changed(String change) {
    LockTables tables = syncguardSchema();
    execute("DROP INDEX idx_syncguard_locks_expires");
    execute(change);
    String before = everything();
    Locks locks = kernel.locks(o -> o.withLockTables(tables)).locks();

    LockException setup = catchThrowableOfType(LockException.class, locks::setup);
    LockException use = catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));

    assertThat(setup.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(use.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(everything()).isEqualTo(before);
    execute("DROP TABLE syncguard_locks, syncguard_fence_counters");
    assertThat(locks.acquire("k", TTL).ok()).as("the refusal is not remembered").isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQL_ASCII", "LATIN1"})
  void a_database_in_another_encoding_is_refused(String encoding) {
    String name = TestDatabase.unique("db");
    boolean choice =
        "t"
            .equals(
                TestDatabase.query("SELECT current_setting('server_version_num')::int >= 150000"));
    String libc = choice ? "LOCALE_PROVIDER libc" : "";
    TestDatabase.execute(
        "CREATE DATABASE %s TEMPLATE template0 ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' %s"
            .formatted(name, encoding, libc));
    database = TestDatabase.urlOf(name);
    String before = everything();
    Locks locks = kernel.locks(TestDatabase.urlOf(name), o -> o.withLockTables(TABLES)).locks();

    LockException failure = catchThrowableOfType(LockException.class, locks::setup);

    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("UTF8");
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void without_auto_create_the_first_use_is_refused_until_somebody_migrated() {
    String at = emptyDatabase();
    LockTables given = TABLES.withoutAutoCreate();
    String before = everything();
    Locks locks = kernel.locks(at, o -> o.withLockTables(given)).locks();

    LockException failure =
        catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));

    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(everything()).isEqualTo(before);
    execute(PostgresHoldfast.schemaSql(given, false));
    assertThat(locks.acquire("k", TTL).ok()).isTrue();
  }

  @Test
  void without_auto_create_an_explicit_setup_still_creates() {
    String at = emptyDatabase();
    LockTables given = TABLES.withoutAutoCreate();
    Locks locks = kernel.locks(at, o -> o.withLockTables(given)).locks();

    locks.setup();

    assertThat(locks.acquire("k", TTL).ok()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void the_printed_script_leaves_nothing_to_set_up(boolean readable) throws Exception {
    String at = emptyDatabase();
    execute("CREATE SCHEMA \"Mine\"");
    LockTables tables = TABLES.named("MyLocks", "MyFences").inSchema("Mine");
    for (LockTables each : List.of(TABLES, tables)) {
      String script = PostgresHoldfast.schemaSql(each, readable);
      execute(each == TABLES ? script : script.substring(script.indexOf("-- The tables")));
    }

    asGuest(
        at,
        guest -> {
          for (LockTables each : List.of(TABLES, tables)) {
            Locks locks = kernel.locks(guest, o -> o.withLockTables(each)).locks();
            locks.setup();
            assertThat(locks.acquire("k", TTL).ok()).isTrue();
          }
        });
    assertThat(
            query(
                "SELECT count(*) FROM pg_attribute WHERE attrelid = 'syncguard_locks'::regclass"
                    + " AND attname IN ('expires_at_ts', 'acquired_at_ts')"))
        .isEqualTo(readable ? "2" : "0");
  }

  @Test
  void the_printed_script_makes_what_setup_makes() {
    String at = emptyDatabase();
    kernel.locks(at, o -> o.withLockTables(TABLES)).setup();
    String bySetup = everything();

    emptyDatabase();
    execute(PostgresHoldfast.schemaSql(TABLES, false));

    assertThat(everything()).isEqualTo(bySetup);
  }

  @Test
  void tables_we_create_have_their_storage_parameters() {
    String at = emptyDatabase();
    kernel.locks(at, o -> o.withLockTables(TABLES)).setup();

    assertThat(options("public.syncguard_fence_counters"))
        .contains("fillfactor=50", "vacuum_truncate=off", "autovacuum_vacuum_scale_factor=0.05");
    assertThat(options("public.syncguard_locks"))
        .contains("vacuum_truncate=off", "autovacuum_vacuum_scale_factor=0.05");
    assertThat(options("holdfast.fence_guard")).contains("fillfactor=50");
    assertThat(query("SELECT relpersistence FROM pg_class WHERE relname = 'lock_waiters'"))
        .isEqualTo("u");
  }

  @Test
  void tables_of_others_keep_theirs() {
    String at = emptyDatabase();
    execute(SYNCGUARD);

    kernel.locks(at, o -> o.withLockTables(TABLES)).setup();

    assertThat(options("public.syncguard_locks")).isNull();
    assertThat(options("public.syncguard_fence_counters")).isNull();
  }

  @Test
  void the_search_path_leads_to_the_schema_that_holds_the_table() {
    String at = emptyDatabase();
    execute("CREATE SCHEMA first; CREATE SCHEMA second; SET search_path = second;" + SYNCGUARD);
    String path = Kernel.with(at, "currentSchema=first,second");

    Locks locks = kernel.locks(path, o -> o.withLockTables(TABLES)).locks();
    locks.acquire("k", TTL);

    assertThat(query("SELECT count(*) FROM second.syncguard_locks")).isEqualTo("1");
    assertThat(query("SELECT to_regclass('first.syncguard_locks')")).isNull();
    Locks named = kernel.locks(at, o -> o.withLockTables(TABLES.inSchema("second"))).locks();
    assertThat(named.isLocked("k")).as("the same locks by name").isTrue();
  }

  @Test
  void without_a_table_the_first_schema_of_the_search_path_gets_it() {
    String at = emptyDatabase();
    execute("CREATE SCHEMA first; CREATE SCHEMA second");
    String path = Kernel.with(at, "currentSchema=missing,first,second");

    kernel.locks(path, o -> o.withLockTables(TABLES)).setup();

    assertThat(query("SELECT to_regclass('first.syncguard_locks')")).isNotNull();
    assertThat(query("SELECT to_regclass('first.syncguard_fence_counters')")).isNotNull();
    assertThat(query("SELECT to_regclass('public.syncguard_locks')")).isNull();
  }

  /** A role named holdfast has our schema first on its search path; no other role does. */
  @Test
  void our_own_schema_is_never_the_one_that_gets_it() {
    for (boolean migrated : new boolean[] {false, true}) {
      String path = Kernel.with(emptyDatabase(), "currentSchema=holdfast,public");
      PostgresHoldfast holdfast = kernel.locks(path, o -> o.withLockTables(TABLES));
      if (migrated) {
        holdfast.migrations().apply();
      }

      holdfast.setup();

      assertThat(query("SELECT to_regclass('public.syncguard_locks')")).isNotNull();
      assertThat(query("SELECT to_regclass('holdfast.syncguard_locks')")).isNull();
    }
  }

  @Test
  void a_search_path_that_leads_nowhere_is_refused() {
    String path = Kernel.with(emptyDatabase(), "currentSchema=missing");

    LockException failure =
        catchThrowableOfType(
            LockException.class, () -> kernel.locks(path, o -> o.withLockTables(TABLES)).setup());

    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void a_schema_that_does_not_exist_is_refused() {
    Locks locks =
        kernel.locks(emptyDatabase(), o -> o.withLockTables(TABLES.inSchema("missing"))).locks();
    String before = everything();

    LockException failure =
        catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));

    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(everything()).isEqualTo(before);
    execute("CREATE SCHEMA missing");
    assertThat(locks.acquire("k", TTL).ok()).isTrue();
  }

  @Test
  void a_token_ends_a_setup_that_waits_for_another_one() throws Exception {
    String at = emptyDatabase();
    CancellationSource token = new CancellationSource();
    try (Connection other = DriverManager.getConnection(at)) {
      TransactionsTest.run(other, "SELECT pg_advisory_lock(1215261796, 1)");
      Locks locks = kernel.locks(at, o -> o.withLockTables(TABLES)).locks();
      Future<@Nullable ErrorCode> first =
          kernel.async(() -> PoolsTest.codeOf(() -> locks.cancelledBy(token).acquire("k", TTL)));
      Kernel.awaitInside("io.holdfast.postgres.Migrations", kernel.lastThread());
      long startNanos = System.nanoTime();

      token.cancel();

      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ABORTED);
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void a_setup_that_waits_for_another_one_ends_with_the_time_limit_of_the_call() throws Exception {
    String at = emptyDatabase();
    try (Connection other = DriverManager.getConnection(at)) {
      TransactionsTest.run(other, "SELECT pg_advisory_lock(1215261796, 1)");
      PostgresStore store =
          new PostgresStore(
              Pools.open(ConnectionString.parse(at), PoolSettings.DEFAULTS),
              PostgresOptions.DEFAULTS.withLockTables(TABLES));
      LockCall quick = new LockCall(Cancellation.never(), TTL, Duration.ofMillis(300));
      Future<@Nullable ErrorCode> first =
          kernel.async(() -> PoolsTest.codeOf(() -> store.locks().store().setup(quick)));

      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      store.close();
    }
  }

  /** Work as a role that may use everything and change nothing. */
  private interface GuestWork {
    void run(String url) throws Exception;
  }

  private void asGuest(String at, GuestWork work) throws Exception {
    String role = TestDatabase.unique("guest");
    TestDatabase.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'right'");
    try {
      execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
      grant(role);
      work.run(Kernel.as(at, role, "right"));
    } finally {
      kernel.close();
      execute("DROP OWNED BY " + role);
      Kernel.eventually("no session of the role", () -> Kernel.dropRole(role));
    }
  }

  private void grant(@Nullable String role) {
    execute(
        """
        DO $$ DECLARE s text; BEGIN
          FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
            EXECUTE format('GRANT USAGE ON SCHEMA %%I TO %1$s', s);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %%I TO %1$s', s);
          END LOOP;
        END $$
        """
            .formatted(role));
  }

  /** SyncGuard's tables in a schema of their own, which all further statements are about. */
  private LockTables syncguardSchema() {
    LockTables tables = TestDatabase.freshTables();
    database = TestDatabase.url("currentSchema=" + tables.schema());
    execute(SYNCGUARD);
    return tables;
  }

  /** A database with nothing in it, which all further statements are about. */
  private String emptyDatabase() {
    Kernel.empty(DATABASE);
    database = DATABASE;
    return DATABASE;
  }

  /** Columns, indexes and functions of the database. */
  private String everything() {
    return query(COLUMNS)
        + query(
            "SELECT string_agg(indexdef, ', ' ORDER BY indexdef) FROM pg_indexes"
                + " WHERE schemaname NOT IN ('pg_catalog')")
        + query(
            "SELECT string_agg(proname || prosrc, ', ' ORDER BY proname) FROM pg_proc"
                + " WHERE pronamespace = to_regnamespace('holdfast')")
        + query(
            "SELECT string_agg(relname || reloptions::text, ', ' ORDER BY relname)"
                + " FROM pg_class WHERE relnamespace <> 'pg_catalog'::regnamespace");
  }

  private int indexes(String schema, String table) {
    String count =
        query(
            "SELECT count(*) FROM pg_indexes WHERE schemaname = '%s' AND tablename = '%s'"
                .formatted(schema, table));
    return count == null ? 0 : Integer.parseInt(count);
  }

  private @Nullable String options(String table) {
    return query("SELECT reloptions FROM pg_class WHERE oid = '" + table + "'::regclass");
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(database)) {
      TransactionsTest.run(connection, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private @Nullable String query(String sql) {
    return MigrationsTest.queryAt(String.valueOf(database), sql);
  }

  private static @Nullable ErrorCode refusal(Runnable call) {
    return PoolsTest.codeOf(call);
  }
}
