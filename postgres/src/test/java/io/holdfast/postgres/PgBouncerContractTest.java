package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Hints;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockOperator;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Locks;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Released;
import io.holdfast.lock.Wait;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockCancellationContract;
import io.holdfast.testkit.lock.LockConcurrencyContract;
import io.holdfast.testkit.lock.LockExpiryContract;
import io.holdfast.testkit.lock.LockFailureContract;
import io.holdfast.testkit.lock.LockGrantContract;
import io.holdfast.testkit.lock.LockHandleContract;
import io.holdfast.testkit.lock.LockLookupContract;
import io.holdfast.testkit.lock.LockLossContract;
import io.holdfast.testkit.lock.LockOperatorContract;
import io.holdfast.testkit.lock.LockRetryContract;
import io.holdfast.testkit.lock.LockSubject;
import io.holdfast.testkit.lock.LockTelemetryContract;
import io.holdfast.testkit.lock.LockValidationContract;
import io.holdfast.testkit.lock.WithLockContract;
import io.holdfast.testkit.lock.beyond.FairWaitingContract;
import io.holdfast.testkit.lock.beyond.LeasedLockContract;
import io.holdfast.testkit.lock.beyond.LeasedLockWaitingContract;
import io.holdfast.testkit.lock.beyond.LostLockContract;
import io.holdfast.testkit.lock.beyond.LostWorkContract;
import io.holdfast.testkit.lock.beyond.RenewingLockContract;
import io.holdfast.testkit.lock.beyond.UnknownOutcomeContract;
import io.holdfast.testkit.lock.beyond.WaitingLockContract;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.postgresql.PGProperty;

/**
 * Locks through a PgBouncer in transaction mode, where each transaction of a client may meet
 * another session of the server: nothing may rely on one or leave anything in it.
 */
@EnabledIf(
    value = "io.holdfast.postgres.PgBouncer#isInstalled",
    disabledReason = "pgbouncer is not installed")
class PgBouncerContractTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int PATIENCE_SECONDS = 30;
  private static PgBouncer pooler;

  @BeforeAll
  static void start_pooler() {
    pooler = PgBouncer.start();
  }

  @AfterAll
  static void stop_pooler() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Nested
  class Grants extends LockGrantContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Expiry extends LockExpiryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Lookups extends LockLookupContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Validation extends LockValidationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Cancellations extends LockCancellationContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Failure extends LockFailureContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Concurrency extends LockConcurrencyContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Handles extends LockHandleContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Operators extends LockOperatorContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  @Nested
  class Functions extends WithLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Retries extends LockRetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  @Nested
  class Losses extends LockLossContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Telemetry extends LockTelemetryContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Renewing extends RenewingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class LostLocks extends LostLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class LostWork extends LostWorkContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class Waiting extends WaitingLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  @Nested
  class FairWaiting extends FairWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  @Nested
  class UnknownOutcomes extends UnknownOutcomeContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  @Nested
  class Adapters extends LeasedLockContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return pooled(time);
    }
  }

  @Nested
  class WaitingAdapters extends LeasedLockWaitingContract {
    @Override
    protected LockSubject subject(ManualTime time) {
      return withHints(time);
    }
  }

  private static LockSubject pooled(ManualTime time) {
    return TestDatabase.subject(pooler.url(), time, options -> options);
  }

  /**
   * For what is promised of hints: LISTEN needs a session, so they go past the pooler. They are
   * heard from the start, or else the first waiter would be told that it may have missed some.
   */
  private static LockSubject withHints(ManualTime time) {
    LockSubject pooled = pooled(time);
    LockSubject direct = TestDatabase.subject(time);
    CompletableFuture<Void> listening = new CompletableFuture<>();
    direct.backend().hints().listen(new FirstToListen(listening));
    listening.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    LockBackend store = pooled.backend();
    LockBackend backend =
        new LockBackend(
            store.store(),
            store.admin(),
            direct.backend().hints(),
            store.reserve(),
            store.time(),
            store.capabilities());
    return new LockSubject() {
      @Override
      public LockBackend backend() {
        return backend;
      }

      @Override
      public void setCounter(String key, long fence) {
        pooled.setCounter(key, fence);
      }

      @Override
      public void close() {
        direct.close();
        pooled.close();
      }
    };
  }

  /** Hears nothing but that somebody listens. */
  private record FirstToListen(CompletableFuture<Void> listening) implements Hints.Listener {
    @Override
    public void hinted(String topic) {}

    @Override
    public void mayHaveMissedSome() {
      listening.complete(null);
    }
  }

  /** What a transaction-mode pooler must not break, call by call. */
  @Nested
  class Calls {
    private final LockTables tables = TestDatabase.freshTables();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private PostgresHoldfast holdfast;
    private Locks locks;

    @BeforeEach
    void open() {
      holdfast = another();
      locks = holdfast.locks();
    }

    @AfterEach
    void close() {
      threads.shutdownNow();
      holdfast.close();
      TestDatabase.execute("DROP SCHEMA " + tables.schema() + " CASCADE");
    }

    private PostgresHoldfast another() {
      LockOptions options = LockOptions.DEFAULTS.withPoll(Duration.ofMillis(20));
      return PostgresHoldfast.open(
          pooler.url(), PostgresOptions.DEFAULTS.withLockTables(tables).withLocks(options));
    }

    @Test
    @Guarantee("L94")
    void setup_makes_everything_in_an_empty_database() throws SQLException {
      String direct = TestDatabase.freshDatabase();
      String name = ConnectionString.parse(direct).setting(PGProperty.PG_DBNAME);
      String url = pooler.url().replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1" + name);

      try (PostgresHoldfast fresh = PostgresHoldfast.open(url)) {
        fresh.setup();
        fresh.setup();

        assertThat(fresh.migrations().status()).allMatch(Migrations.Status::applied);
        assertThat(granted(fresh.locks().acquire("k", MINUTE)).fence()).isEqualTo(new Fence(1));
      }
    }

    @Test
    @Guarantee("L94")
    void a_lock_is_acquired_looked_up_extended_and_released() {
      Acquired lock = granted(locks.acquire("k", MINUTE));

      assertThat(locks.acquire("k", MINUTE)).isInstanceOf(Locked.class);
      assertThat(locks.isLocked("k")).isTrue();
      assertThat(locks.owns(lock.lockId())).isTrue();
      assertThat(locks.lookup("k")).isEqualTo(locks.lookupById(lock.lockId())).isPresent();
      assertThat(locks.lookupRaw("k").orElseThrow().lockId()).isEqualTo(lock.lockId());
      assertThat(lock.extend(Duration.ofMinutes(2)).ok()).isTrue();
      assertThat(locks.lookup("k").map(LockInfo::expiresAt)).contains(lock.expiresAt());
      assertThat(lock.release()).isEqualTo(new Released());
      assertThat(locks.release(lock.lockId())).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
      assertThat(granted(locks.acquire("k", MINUTE)).fence()).isEqualTo(new Fence(2));
    }

    @Test
    @Guarantee("L94")
    void many_callers_lose_no_grant() throws Exception {
      int callers = 8;
      int times = 20;
      Callable<List<Long>> caller =
          () -> {
            List<Long> fences = new ArrayList<>();
            for (int i = 0; i < times; i++) {
              Acquired lock = granted(locks.acquire("k", MINUTE, patiently()));
              fences.add(lock.fence().value());
              assertThat(lock.release().ok()).isTrue();
            }
            return fences;
          };

      List<Long> fences = new ArrayList<>();
      for (Future<List<Long>> done : threads.invokeAll(Collections.nCopies(callers, caller))) {
        fences.addAll(done.get());
      }

      assertThat(fences)
          .containsExactlyInAnyOrderElementsOf(
              LongStream.rangeClosed(1, (long) callers * times).boxed().toList());
    }

    @Test
    @Guarantee("L94")
    void a_function_runs_under_a_lock_that_is_renewed_past_its_ttl() {
      WithLockOptions options =
          WithLockOptions.DEFAULTS.withTtl(Duration.ofSeconds(2)).renewing().failingIfLost();
      locks.setup();

      boolean held =
          locks.withLock(
              "k",
              options,
              lock -> {
                Instant end = lock.expiresAt().plusMillis(1000);
                await("the first lease's end", () -> databaseNow().isAfter(end));
                assertThat(locks.acquire("k", MINUTE).ok()).isFalse();
                return lock.isHeld();
              });

      assertThat(held).isTrue();
      assertThat(locks.isLocked("k")).isFalse();
    }

    @Test
    @Guarantee("L94")
    void waiters_find_a_release_by_polling_in_order_of_arrival() throws Exception {
      try (PostgresHoldfast other = another()) {
        Acquired lock = granted(other.locks().acquire("k", MINUTE));
        Future<LockAttempt> first =
            threads.submit(() -> locks.acquire("k", MINUTE, patiently().fair()));
        await("the first ticket", () -> waiters() == 1);
        Future<LockAttempt> second =
            threads.submit(() -> locks.acquire("k", MINUTE, patiently().fair()));
        await("the second ticket", () -> waiters() == 2);
        assertThat(lock.release().ok()).isTrue();

        Acquired next = granted(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertThat(second).isNotDone();
        assertThat(next.release().ok()).isTrue();
        assertThat(granted(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).fence())
            .isEqualTo(new Fence(3));
        assertThat(waiters()).isZero();
      }
    }

    private int waiters() {
      return locks.operator().inspect("k").waiters().size();
    }

    @Test
    @Guarantee("L94")
    void operations_in_a_callers_transaction_follow_it() throws SQLException {
      locks.setup();
      try (Connection connection = pooler.connect()) {
        connection.setAutoCommit(false);
        InTransaction inside = holdfast.in(connection);

        granted(inside.acquire("k", MINUTE));
        connection.rollback();
        assertThat(locks.isLocked("k")).isFalse();

        Acquired lock = granted(inside.acquire("k", MINUTE));
        assertThat(inside.extend(lock.lockId(), Duration.ofMinutes(2)).ok()).isTrue();
        connection.commit();
        assertThat(locks.owns(lock.lockId())).isTrue();

        assertThat(inside.release(lock.lockId()).ok()).isTrue();
        connection.commit();
        assertThat(locks.isLocked("k")).isFalse();
      }
    }

    @Test
    @Guarantee("L94")
    void guards_refuse_a_stale_holder() throws SQLException {
      String resource = TestDatabase.unique("resource");
      Acquired old = granted(locks.acquire("k", MINUTE));
      assertThat(old.release().ok()).isTrue();
      Acquired lock = granted(locks.acquire("k", MINUTE));
      try (Connection connection = pooler.connect()) {
        connection.setAutoCommit(false);
        InTransaction inside = holdfast.in(connection);

        inside.guard(resource, lock.fence());
        inside.guardStrict(lock);
        connection.commit();
        assertThatThrownBy(() -> inside.guard(resource, old.fence()))
            .isInstanceOfSatisfying(
                LockException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_FENCE));
        connection.rollback();
        assertThatThrownBy(() -> inside.guardStrict(old))
            .isInstanceOfSatisfying(
                LockException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_FENCE));
        connection.rollback();
      }
    }

    @Test
    @Guarantee("L94")
    void operators_see_and_break_locks() {
      LockOperator operator = locks.operator();
      Acquired lock = granted(locks.acquire("k", MINUTE));

      assertThat(operator.list("", null, 10)).hasSize(1);
      assertThat(operator.inspect("k").counter()).isEqualTo(1);
      assertThat(operator.stats().liveLocks()).isEqualTo(1);
      assertThat(operator.breakLock("k", new Fence(7))).isFalse();
      assertThat(operator.breakLock("k", lock.fence())).isTrue();
      assertThat(operator.raiseFences(10)).isEqualTo(1);
      assertThat(operator.purge()).isZero();
      assertThat(granted(locks.acquire("k", MINUTE)).fence()).isEqualTo(new Fence(12));
    }

    @Test
    @Guarantee("L94")
    void a_cancelled_call_ends_and_hits_nobody_else() throws Exception {
      locks.setup();
      try (Connection holder = TestDatabase.begin();
          Statement statement = holder.createStatement()) {
        statement.execute("SELECT pg_advisory_xact_lock(hashtext('k'))");
        CancellationSource source = new CancellationSource();
        Future<LockAttempt> blocked =
            threads.submit(() -> locks.cancelledBy(source).acquire("k", MINUTE));
        await(
            "the call to wait",
            () ->
                !"0"
                    .equals(
                        TestDatabase.query(
                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")));
        source.cancel();

        assertThatThrownBy(() -> blocked.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
            .hasCauseInstanceOf(LockException.class)
            .satisfies(
                e ->
                    assertThat(((LockException) e.getCause()).code()).isEqualTo(ErrorCode.ABORTED));
        for (int i = 0; i < 40; i++) {
          assertThat(granted(locks.acquire("other", MINUTE)).release().ok()).isTrue();
        }
        holder.rollback();
      }
      assertThat(locks.acquire("k", MINUTE).ok()).isTrue();
    }

    @Test
    @Guarantee("L94")
    void a_transaction_runs_at_the_isolation_it_asks_for() {
      for (Isolation isolation : Isolation.values()) {
        String found =
            holdfast.transaction(
                TransactionSettings.DEFAULTS.at(isolation),
                connection -> text(connection, "SELECT current_setting('transaction_isolation')"));

        assertThat(found).isEqualTo(isolation.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }

    @Test
    @Guarantee("L94")
    void nothing_stays_behind_in_a_session() throws SQLException {
      for (Isolation isolation : Isolation.values()) {
        holdfast.transaction(
            TransactionSettings.DEFAULTS.at(isolation),
            connection -> text(connection, "SELECT 'x'"));
      }
      granted(locks.acquire("k", MINUTE)).keep().release();
      Fence fence = locks.withLock("k", Acquired::fence);
      assertThat(fence).isEqualTo(new Fence(2));

      String left =
          """
          SELECT concat_ws(', ',
            (SELECT string_agg(name || ' = ' || setting, ', ') FROM pg_settings
              WHERE name IN ('default_transaction_isolation', 'lock_timeout', 'statement_timeout',
                             'synchronous_commit', 'search_path') AND source = 'session'),
            (SELECT 'advisory locks' FROM pg_locks
              WHERE locktype = 'advisory' AND pid = pg_backend_pid() LIMIT 1),
            (SELECT 'prepared statements' FROM pg_prepared_statements LIMIT 1))
          """;
      try (Connection connection = pooler.connect()) {
        for (int session = 0; session < 32; session++) {
          assertThat(text(connection, left)).isEmpty();
        }
      }
    }

    private Wait patiently() {
      return Wait.upTo(Duration.ofSeconds(PATIENCE_SECONDS));
    }
  }

  private static Acquired granted(LockAttempt attempt) {
    assertThat(attempt).isInstanceOf(Acquired.class);
    return (Acquired) attempt;
  }

  private static Instant databaseNow() {
    String ms = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    return Instant.ofEpochMilli(Long.parseLong(TestDatabase.query(ms)));
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Looks again and again, with a pause in the database between, for as long as patience lasts. */
  private static void await(String what, BooleanSupplier condition) {
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long for " + what).isLessThan(untilNanos);
      TestDatabase.query("SELECT pg_sleep(0.005)");
    }
  }
}
