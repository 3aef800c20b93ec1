package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that its caller gives up ends soon, and leaves no trace on the next one. */
@Timeout(60)
class StatementsTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofMillis(500);
  private static final int TRIES = 5;
  private static final int ROUNDS = 40;
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);
  private static final LockOptions PATIENT =
      LockOptions.DEFAULTS
          .withPurgeEvery(null)
          .withTimeouts(new LockTimeouts(TTL, Duration.ofSeconds(60), null));

  /** How a caller gives up. */
  enum Way {
    TOKEN,
    INTERRUPT
  }

  /** What a call is stuck behind. */
  enum Obstacle {
    ADVISORY,
    ROW
  }

  @ParameterizedTest
  @CsvSource({"TOKEN, ADVISORY", "TOKEN, ROW", "INTERRUPT, ADVISORY", "INTERRUPT, ROW"})
  @Guarantee("LF11")
  void a_blocked_call_is_aborted_soon(Way way, Obstacle obstacle) throws Exception {
    LockTables tables = TestDatabase.freshTables();
    try (Kernel kernel = Kernel.direct();
        Connection rival = TestDatabase.begin()) {
      Locks locks =
          kernel.locks(o -> o.withPool(ONE).withLockTables(tables).withLocks(PATIENT)).locks();
      Acquired held = (Acquired) locks.acquire("k", TTL);
      TransactionsTest.run(rival, obstacle(obstacle, tables));
      List<Duration> took = new ArrayList<>();

      for (int i = 0; i < TRIES; i++) {
        Call call = new Call(kernel, token -> locks.cancelledBy(token).extend(held.lockId(), TTL));
        kernel.awaitBlocked(1);
        took.add(call.stopped(way));
      }

      Collections.sort(took);
      assertThat(took.get(TRIES / 2)).as("median of %s", took).isLessThan(SOON);
      rival.rollback();
      assertThat(held.extend(TTL).ok()).as("the connection works on").isTrue();
    }
  }

  private static String obstacle(Obstacle obstacle, LockTables tables) {
    return obstacle == Obstacle.ADVISORY
        ? "SELECT pg_advisory_xact_lock(hashtext('k'))"
        : "SELECT 1 FROM " + tables.schema() + "." + tables.table() + " FOR UPDATE";
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  @Guarantee("LF11")
  void the_next_statement_is_never_hit_by_a_late_cancel(Way way) throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      cancelAroundTheEnd(
          kernel, way, limits -> transactions.single("sleep", limits, watch -> sleep(watch, 1)));
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  @Guarantee("LF11")
  void nor_after_a_transaction_of_several_statements(Way way) throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      cancelAroundTheEnd(
          kernel,
          way,
          limits ->
              transactions.transaction(
                  "sleep",
                  limits,
                  TransactionSettings.DEFAULTS,
                  watch -> sleep(watch, 3) && sleep(watch, 3) && sleep(watch, 3)));
    }
  }

  /** A call that was given up. */
  private interface Doomed {
    void run(Statements.Limits limits) throws SQLException;
  }

  /**
   * Gives up calls near the moment they end by themselves; the next on the connection must work.
   */
  private static void cancelAroundTheEnd(Kernel kernel, Way way, Doomed doomed) throws Exception {
    Transactions next = kernel.transactions(ONE);
    Random random = new Random(11);
    int aborted = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Thread me = Thread.currentThread();
      Object gate = new Object();
      boolean[] over = new boolean[1];
      CancellationSource token = new CancellationSource();
      long delayNanos = random.nextInt(45_000_000);
      Future<?> stopper =
          kernel.async(
              () -> {
                LockSupport.parkNanos(delayNanos);
                synchronized (gate) {
                  if (!over[0] && way == Way.TOKEN) {
                    token.cancel();
                  } else if (!over[0]) {
                    me.interrupt();
                  }
                }
                return null;
              });
      try {
        doomed.run(Statements.Limits.of(token, TTL));
      } catch (SQLException e) {
        assertThat(Statements.codeOf(e)).isEqualTo(ErrorCode.ABORTED);
        aborted++;
      }
      synchronized (gate) {
        over[0] = true;
      }
      Thread.interrupted();
      stopper.get(10, TimeUnit.SECONDS);
      next.single("next", noLimits(), watch -> run(watch, "SELECT pg_sleep(0.002)"));
    }
    assertThat(aborted).as("calls that were aborted").isPositive();
    assertThat(Kernel.sessions(kernel.name())).as("one connection at a time").isLessThan(3);
  }

  /** Together with the others about as long as it takes until a watcher has looked. */
  private static boolean sleep(Watch watch, int parts) throws SQLException {
    double seconds = 0.042 + new Random().nextInt(16) / 1000.0;
    run(watch, "SELECT pg_sleep(" + seconds / parts + ")");
    return true;
  }

  @Test
  @Guarantee("LF11")
  void an_interrupt_ends_a_users_transaction_and_undoes_it() throws Exception {
    String table = TestDatabase.unique("work");
    TestDatabase.execute("CREATE TABLE " + table + " (id int)");
    try (Kernel kernel = Kernel.direct()) {
      PostgresHoldfast holdfast = kernel.locks(o -> o.withPool(ONE));
      CountDownLatch inside = new CountDownLatch(1);
      Call call =
          new Call(
              kernel,
              token ->
                  holdfast.transaction(
                      TransactionSettings.DEFAULTS,
                      connection -> {
                        TransactionsTest.run(connection, "INSERT INTO " + table + " VALUES (1)");
                        inside.countDown();
                        return TransactionsTest.run(connection, "SELECT pg_sleep(20)");
                      }));
      assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(call.stopped(Way.INTERRUPT)).isLessThan(Duration.ofSeconds(2));

      assertThat(TestDatabase.query("SELECT count(*) FROM " + table)).isEqualTo("0");
      assertThat(
              holdfast.<Boolean>transaction(
                  TransactionSettings.DEFAULTS, c -> TransactionsTest.run(c, "SELECT 1")))
          .isTrue();
    }
  }

  @Test
  @Guarantee("LF11")
  void a_stopped_transaction_starts_no_further_statement() throws Exception {
    CancellationSource token = new CancellationSource();
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions = kernel.transactions(ONE);

      SQLException failure =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  transactions.transaction(
                      "two",
                      Statements.Limits.of(token, TTL),
                      TransactionSettings.DEFAULTS,
                      watch -> {
                        run(watch, "SELECT 1");
                        token.cancel();
                        Kernel.eventually("the stop", () -> watch.stop() != null);
                        return run(watch, "SELECT 2");
                      }));

      assertThat(Statements.codeOf(failure)).isEqualTo(ErrorCode.ABORTED);
      assertThat(transactions.<Boolean>single("next", noLimits(), w -> run(w, "SELECT 3")))
          .isTrue();
    }
  }

  @Test
  void a_call_that_outlasts_its_limit_is_a_timeout() throws Exception {
    LockTimeouts limits = new LockTimeouts(TTL, Duration.ofMillis(300), null);
    try (Kernel kernel = Kernel.direct();
        Connection rival = TestDatabase.begin()) {
      Locks locks =
          kernel.locks(o -> o.withPool(ONE).withLocks(PATIENT.withTimeouts(limits))).locks();
      locks.setup();
      TransactionsTest.run(rival, "SELECT pg_advisory_xact_lock(hashtext('k'))");
      long startNanos = System.nanoTime();

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));

      assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(failure.isOutcomeUnknown()).as("the server confirmed the cancel").isFalse();
      assertThat(since(startNanos)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(2));
      rival.rollback();
      assertThat(locks.acquire("k", TTL).ok()).isTrue();
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }

  @Test
  void a_call_on_a_frozen_network_is_a_timeout_and_its_connection_is_torn_down() {
    LockTimeouts limits = new LockTimeouts(TTL, Duration.ofMillis(500), null);
    try (Kernel kernel = Kernel.behindProxy()) {
      Locks locks =
          kernel.locks(o -> o.withPool(ONE).withLocks(PATIENT.withTimeouts(limits))).locks();
      locks.acquire("warm up", TTL);
      kernel.proxy().freeze();
      long startNanos = System.nanoTime();

      LockException failure =
          catchThrowableOfType(LockException.class, () -> locks.acquire("k", TTL));
      Duration took = since(startNanos);
      kernel.proxy().thaw();

      assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(failure.isOutcomeUnknown()).isTrue();
      assertThat(took).isBetween(Duration.ofMillis(500), Duration.ofSeconds(4));
      Kernel.eventually(
          "a new connection", () -> PoolsTest.codeOf(() -> locks.isLocked("x")) == null);
      Kernel.eventually("the old one gone", () -> Kernel.sessions(kernel.name()) <= 1);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void a_call_on_a_frozen_network_can_be_given_up(Way way) throws Exception {
    try (Kernel kernel = Kernel.behindProxy()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE).withLocks(PATIENT)).locks();
      locks.acquire("warm up", TTL);
      kernel.proxy().freeze();
      Call call = new Call(kernel, token -> locks.cancelledBy(token).isLocked("k"));
      Kernel.awaitInside("org.postgresql.core.v3.QueryExecutorImpl", call.thread());

      Duration took = call.stopped(way);
      kernel.proxy().thaw();

      assertThat(took).isLessThan(Duration.ofSeconds(4));
      Kernel.eventually(
          "a new connection", () -> PoolsTest.codeOf(() -> locks.isLocked("x")) == null);
    }
  }

  @Test
  void the_listener_hears_operation_duration_and_error() throws Exception {
    List<Heard> heard = Collections.synchronizedList(new ArrayList<>());
    CancellationSource token = new CancellationSource();
    try (Kernel kernel = Kernel.direct()) {
      Transactions transactions =
          new Transactions(
              kernel.database(ONE),
              kernel.statements(
                  (operation, took, error) -> heard.add(new Heard(operation, took, error))));

      transactions.single("good", noLimits(), w -> run(w, "SELECT pg_sleep(0.02)"));
      catchThrowable(() -> transactions.single("bad", noLimits(), w -> run(w, "SELECT 1 / 0")));
      catchThrowable(
          () ->
              transactions.single(
                  "late",
                  Statements.Limits.of(Cancellation.never(), Duration.ofMillis(100)),
                  w -> run(w, "SELECT pg_sleep(20)")));
      catchThrowable(
          () ->
              transactions.single(
                  "given up",
                  Statements.Limits.of(token, TTL),
                  w -> {
                    token.cancel();
                    return run(w, "SELECT pg_sleep(20)");
                  }));
      transactions.transaction(
          "several",
          noLimits(),
          TransactionSettings.DEFAULTS,
          w -> run(w, "SELECT 1") && run(w, "SELECT 2"));

      assertThat(heard)
          .extracting(Heard::operation)
          .containsExactly("good", "bad", "late", "given up", "several");
      assertThat(heard)
          .extracting(Heard::error)
          .containsExactly(
              null, ErrorCode.INVALID_ARGUMENT, ErrorCode.NETWORK_TIMEOUT, ErrorCode.ABORTED, null);
      assertThat(heard.get(0).took()).isBetween(Duration.ofMillis(20), Duration.ofSeconds(5));
      assertThat(heard.get(2).took()).isBetween(Duration.ofMillis(100), Duration.ofSeconds(5));
    }
  }

  @Test
  void a_listener_that_throws_changes_nothing() {
    StatementListener broken =
        (operation, took, error) -> {
          throw new IllegalStateException("not my day");
        };
    try (Kernel kernel = Kernel.direct()) {
      Locks locks = kernel.locks(o -> o.withListener(broken)).locks();

      Acquired lock = (Acquired) locks.acquire("k", TTL);

      LockException failure =
          catchThrowableOfType(
              LockException.class, () -> locks.acquire("other", TTL, lock.lockId()));

      assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(locks.isLocked("k")).isTrue();
      assertThat(lock.release().ok()).isTrue();
    }
  }

  @Test
  void every_operation_of_locks_is_heard() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    try (Kernel kernel = Kernel.direct()) {
      Locks locks =
          kernel
              .locks(o -> o.withListener((operation, took, error) -> heard.add(operation)))
              .locks();
      locks.setup();
      heard.clear();

      Acquired lock = (Acquired) locks.acquire("k", TTL);
      lock.extend(TTL);
      locks.isLocked("k");
      lock.release();

      assertThat(heard).containsExactly("acquire", "extend", "lookup", "release");
    }
  }

  private record Heard(String operation, Duration took, @Nullable ErrorCode error) {}

  /** A call on a thread of its own that is going to be given up. */
  private static final class Call {
    private final CancellationSource token = new CancellationSource();
    private final Future<@Nullable HoldfastException> failure;
    private final Thread[] thread = new Thread[1];
    private volatile boolean flag;
    private volatile long endedNanos;

    interface Work {
      void run(Cancellation token) throws Exception;
    }

    Call(Kernel kernel, Work work) throws InterruptedException {
      CountDownLatch started = new CountDownLatch(1);
      Callable<@Nullable HoldfastException> call =
          () -> {
            thread[0] = Thread.currentThread();
            started.countDown();
            try {
              work.run(token);
              return null;
            } catch (HoldfastException e) {
              return e;
            } finally {
              endedNanos = System.nanoTime();
              flag = Thread.interrupted();
            }
          };
      this.failure = kernel.async(call);
      assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
    }

    Thread thread() {
      return thread[0];
    }

    /** Gives the call up, checks how it ends, and answers how long that took. */
    Duration stopped(Way way) throws Exception {
      long startNanos = System.nanoTime();
      if (way == Way.TOKEN) {
        token.cancel();
      } else {
        thread().interrupt();
      }
      HoldfastException end = failure.get(30, TimeUnit.SECONDS);
      assertThat(end).isNotNull();
      assertThat(end.code()).isEqualTo(ErrorCode.ABORTED);
      assertThat(flag).as("the interrupt flag").isEqualTo(way == Way.INTERRUPT);
      return Duration.ofNanos(endedNanos - startNanos);
    }
  }

  private static boolean run(Watch watch, String sql) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql)) {
      return statement.execute();
    }
  }

  private static Statements.Limits noLimits() {
    return Statements.Limits.of(Cancellation.never(), Duration.ofSeconds(60));
  }

  private static Duration since(long startNanos) {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }
}
