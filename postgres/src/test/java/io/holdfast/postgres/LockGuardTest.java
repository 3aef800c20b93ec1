package io.holdfast.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Fences enforced by the database, and lock operations inside a caller's transaction. */
@Timeout(60)
class LockGuardTest {
  private final RaceFixture race = new RaceFixture();
  private final String resource = TestDatabase.unique("resource");
  private final String work = race.tables.schema() + ".work";

  @BeforeEach
  void table() {
    TestDatabase.execute("CREATE TABLE " + work + " (note text)");
  }

  @AfterEach
  void close() {
    race.close();
  }

  @Test
  @Guarantee("L80")
  void a_lower_fence_is_refused() throws SQLException {
    guardAndCommit(7);

    try (Connection connection = TestDatabase.begin()) {
      LockException refused =
          catchThrowableOfType(
              LockException.class, () -> FenceGuard.guard(connection, resource, new Fence(6)));
      assertThat(refused.code()).isEqualTo(ErrorCode.STALE_FENCE);
      assertThatThrownBy(() -> insert(connection, "stale")).isInstanceOf(SQLException.class);
    }
  }

  @Test
  @Guarantee("L81")
  void an_equal_fence_passes_in_parallel() throws SQLException {
    guardAndCommit(7);

    try (Connection one = TestDatabase.begin();
        Connection two = TestDatabase.begin()) {
      FenceGuard.guard(one, resource, new Fence(7));
      FenceGuard.guard(two, resource, new Fence(7));
      one.commit();
      two.commit();
    }
  }

  @Test
  void a_higher_fence_waits_for_guarded_work_under_a_lower_one() throws Exception {
    guardAndCommit(7);
    List<String> order = new ArrayList<>();
    try (Connection older = TestDatabase.begin();
        Connection newer = TestDatabase.begin()) {
      FenceGuard.guard(older, resource, new Fence(7));
      RaceFixture.run(newer, "SET LOCAL application_name = '" + race.name + "'");
      Future<?> waiting =
          race.async(
              () -> {
                FenceGuard.guard(newer, resource, new Fence(8));
                order.add("newer");
                newer.commit();
                return true;
              });
      race.awaitBlocked(1);
      order.add("older");
      older.commit();
      waiting.get(10, SECONDS);
    }

    assertThat(order).containsExactly("older", "newer");
  }

  @Test
  void first_guards_of_a_resource_race_to_the_highest() throws Exception {
    List<Future<Boolean>> guards = new ArrayList<>();
    for (int fence = 1; fence <= 8; fence++) {
      Fence mine = new Fence(fence);
      guards.add(
          race.async(
              () -> {
                try (Connection connection = TestDatabase.begin()) {
                  FenceGuard.guard(connection, resource, mine);
                  connection.commit();
                  return true;
                } catch (LockException e) {
                  return e.code() != ErrorCode.STALE_FENCE;
                }
              }));
    }
    for (Future<Boolean> guard : guards) {
      guard.get(20, SECONDS);
    }

    String highest =
        TestDatabase.query(
            "SELECT highest FROM holdfast.fence_guard WHERE resource = '" + resource + "'");
    assertThat(highest).isEqualTo("8");
  }

  @Test
  @Guarantee({"L82", "LF12"})
  void a_stale_holders_transaction_cannot_commit_guarded_work() throws Exception {
    Acquired first = (Acquired) race.locks.acquire("k", Duration.ofMillis(50));
    Connection stale = TestDatabase.begin();
    RaceFixture.pause(1.2);
    Acquired second = (Acquired) race.locks.acquire("k", RaceFixture.TTL);
    try (Connection fresh = TestDatabase.begin()) {
      race.holdfast.in(fresh).guard(resource, second.fence());
      insert(fresh, "fresh");
      fresh.commit();
    }

    assertThat(first.isHeld()).isFalse();
    LockException refused =
        catchThrowableOfType(
            LockException.class, () -> race.holdfast.in(stale).guard(resource, first.fence()));
    assertThat(refused.code()).isEqualTo(ErrorCode.STALE_FENCE);
    assertThatThrownBy(() -> insert(stale, "stale")).isInstanceOf(SQLException.class);
    stale.close();
    assertThat(TestDatabase.query("SELECT string_agg(note, ',') FROM " + work)).isEqualTo("fresh");
  }

  @Test
  @Guarantee("L83")
  void a_strict_guard_holds_off_the_next_grant_until_commit() throws Exception {
    Acquired first = (Acquired) race.locks.acquire("k", Duration.ofMillis(50));
    try (Connection guarded = TestDatabase.begin()) {
      race.holdfast.in(guarded).guardStrict(first);
      RaceFixture.pause(1.2);

      Future<LockAttempt> next = race.async(() -> race.locks.acquire("k", RaceFixture.TTL));
      race.awaitBlocked(1);
      insert(guarded, "in time");
      guarded.commit();

      Acquired second = (Acquired) next.get(10, SECONDS);
      assertThat(second.fence().value()).isEqualTo(2);
      assertThat(TestDatabase.query("SELECT note FROM " + work)).isEqualTo("in time");
    }
    try (Connection late = TestDatabase.begin()) {
      LockException refused =
          catchThrowableOfType(
              LockException.class, () -> race.holdfast.in(late).guardStrict(first));
      assertThat(refused.code()).isEqualTo(ErrorCode.STALE_FENCE);
    }
  }

  @Test
  void an_acquire_behind_a_strict_guard_gives_up_at_its_lock_timeout() throws Exception {
    LockTimeouts impatience =
        new LockTimeouts(Duration.ofMillis(300), Duration.ofSeconds(10), null);
    try (RaceFixture impatient =
            new RaceFixture(o -> o.withLocks(LockOptions.DEFAULTS.withTimeouts(impatience)));
        Connection guarded = TestDatabase.begin()) {
      Acquired first = (Acquired) impatient.locks.acquire("k", Duration.ofMillis(50));
      impatient.holdfast.in(guarded).guardStrict(first);
      RaceFixture.pause(1.2);

      LockException late =
          catchThrowableOfType(
              LockException.class, () -> impatient.locks.acquire("k", RaceFixture.TTL));

      assertThat(late.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
      assertThat(impatient.counter("k")).isEqualTo(1);
      guarded.rollback();
    }
  }

  @Test
  @Guarantee("LF21")
  void a_strict_guard_that_meets_its_successor_ends_without_a_hang() throws Exception {
    List<ErrorCode> errors = new CopyOnWriteArrayList<>();
    StatementListener listener =
        (operation, took, error) -> {
          if (error != null) {
            errors.add(error);
          }
        };
    try (RaceFixture watched = new RaceFixture(o -> o.withListener(listener));
        Connection guarded = TestDatabase.begin()) {
      Acquired dead = (Acquired) watched.locks.acquire("k", Duration.ofMillis(50));
      watched.holdfast.in(guarded).guardStrict(dead);
      RaceFixture.pause(1.2);
      Future<String> acquiring =
          watched.async(() -> outcome(() -> watched.locks.acquire("k", RaceFixture.TTL)));
      watched.awaitBlocked(1);

      String releasing = outcome(() -> watched.holdfast.in(guarded).release(dead.lockId()));
      long fenceWhileGuarded = watched.counter("k");
      guarded.rollback();
      String acquired = acquiring.get(20, SECONDS);

      // Whoever loses the deadlock: an acquire of ours simply tries again, and then gets the lock.
      assertThat(errors).contains(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(fenceWhileGuarded).isEqualTo(1);
      assertThat(List.of(releasing, acquired))
          .anyMatch(o -> o.equals("40P01") || o.equals("55P03") || o.startsWith("Acquired"));
      assertThat(watched.counter("k")).isEqualTo(acquired.startsWith("Acquired") ? 2 : 1);
    }
  }

  @Test
  @Guarantee("L84")
  void what_is_done_in_a_transaction_follows_its_commit() throws SQLException {
    Acquired lock;
    try (Connection connection = TestDatabase.begin()) {
      lock = (Acquired) race.holdfast.in(connection).acquire("k", RaceFixture.TTL);
      assertThat(race.locks.isLocked("k")).isFalse();
      connection.commit();
    }
    assertThat(race.locks.isLocked("k")).isTrue();
    assertThat(lock.keep().isHeld()).isTrue();

    try (Connection connection = TestDatabase.begin()) {
      assertThat(race.holdfast.in(connection).extend(lock.lockId(), Duration.ofHours(1)).ok())
          .isTrue();
      assertThat(race.holdfast.in(connection).release(lock.lockId()).ok()).isTrue();
      assertThat(race.locks.isLocked("k")).isTrue();
      connection.commit();
    }
    assertThat(race.locks.isLocked("k")).isFalse();
  }

  @Test
  @Guarantee("L84")
  void what_is_done_in_a_transaction_is_undone_by_its_rollback() throws SQLException {
    Acquired held = (Acquired) race.locks.acquire("held", RaceFixture.TTL);
    try (Connection connection = TestDatabase.begin()) {
      race.holdfast.in(connection).acquire("k", RaceFixture.TTL);
      race.holdfast.in(connection).release(held.lockId());
      connection.rollback();
    }

    assertThat(race.locks.isLocked("k")).isFalse();
    assertThat(race.counter("k")).isZero();
    assertThat(race.locks.isLocked("held")).isTrue();
  }

  @Test
  void the_callers_lock_timeout_is_as_it_was() throws SQLException {
    try (Connection connection = TestDatabase.begin()) {
      RaceFixture.run(connection, "SET LOCAL lock_timeout = '1234ms'");
      Acquired lock = (Acquired) race.holdfast.in(connection).acquire("k", RaceFixture.TTL);
      race.holdfast.in(connection).extend(lock.lockId(), RaceFixture.TTL);
      race.holdfast.in(connection).guardStrict(lock);
      race.holdfast.in(connection).release(lock.lockId());

      try (var statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SHOW lock_timeout")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("1234ms");
      }
    }
  }

  @Test
  void autocommit_is_refused() throws SQLException {
    try (Connection connection = TestDatabase.connect()) {
      assertInvalid(() -> FenceGuard.guard(connection, resource, new Fence(1)));
      assertInvalid(() -> race.holdfast.in(connection).acquire("k", RaceFixture.TTL));
      assertInvalid(() -> race.holdfast.in(connection).guardStrict("k", new Fence(1)));
    }
    assertThat(race.locks.isLocked("k")).isFalse();
  }

  @Test
  void a_resource_follows_the_rules_of_keys() throws SQLException {
    try (Connection connection = TestDatabase.begin()) {
      assertInvalid(() -> FenceGuard.guard(connection, "", new Fence(1)));
      assertInvalid(() -> FenceGuard.guard(connection, "a\0b", new Fence(1)));
      assertInvalid(() -> FenceGuard.guard(connection, "x".repeat(513), new Fence(1)));
      FenceGuard.guard(connection, "'; DROP SCHEMA holdfast CASCADE; --", new Fence(1));
      connection.rollback();
    }
  }

  @Test
  void the_guard_can_be_installed_in_another_database() throws SQLException {
    PGSimpleDataSource elsewhere = new PGSimpleDataSource();
    elsewhere.setURL(TestDatabase.freshDatabase());
    FenceGuard.install(elsewhere);
    FenceGuard.install(elsewhere);

    try (Connection connection = elsewhere.getConnection()) {
      connection.setAutoCommit(false);
      FenceGuard.guard(connection, resource, new Fence(2));
      connection.commit();
      LockException refused =
          catchThrowableOfType(
              LockException.class, () -> FenceGuard.guard(connection, resource, new Fence(1)));
      assertThat(refused.code()).isEqualTo(ErrorCode.STALE_FENCE);
    }
  }

  private void guardAndCommit(long fence) throws SQLException {
    try (Connection connection = TestDatabase.begin()) {
      FenceGuard.guard(connection, resource, new Fence(fence));
      connection.commit();
    }
  }

  private void insert(Connection connection, String note) throws SQLException {
    RaceFixture.run(connection, "INSERT INTO " + work + " VALUES (?)", note);
  }

  private static String outcome(Supplier<Object> call) {
    try {
      return call.get().toString();
    } catch (LockException e) {
      return ((SQLException) e.getCause()).getSQLState();
    }
  }

  private static void assertInvalid(ThrowingCallable call) {
    LockException refused = catchThrowableOfType(LockException.class, call);
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
