package io.holdfast.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.Locked;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.ReleaseOutcome;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The races of section 6, each held open by a transaction that blocks one side at the critical
 * point.
 */
@Timeout(60)
class LockRaceTest {
  private final RaceFixture race = new RaceFixture();

  @AfterEach
  void close() {
    race.close();
  }

  @Test
  @Guarantee("LF1")
  void an_extend_that_holds_the_row_wins_over_an_acquire_that_saw_it_expired() throws Exception {
    Acquired held = acquire("k", RaceFixture.TTL);
    expire("k");
    Connection extending = race.holdRow("k");
    RaceFixture.run(extending, "UPDATE " + race.lockTable() + " SET expires_at_ms = " + soon());

    Future<LockAttempt> rival = race.async(() -> race.locks.acquire("k", RaceFixture.TTL));
    race.awaitBlocked(1);
    RaceFixture.end(extending);

    assertThat(rival.get(10, SECONDS)).isInstanceOf(Locked.class);
    assertThat(race.locks.owns(held.lockId())).isTrue();
    assertThat(race.counter("k")).isEqualTo(1);
  }

  @Test
  @Guarantee("LF1")
  void an_acquire_wins_over_an_extend_that_was_rolled_back() throws Exception {
    Acquired held = acquire("k", RaceFixture.TTL);
    expire("k");
    Connection extending = race.holdRow("k");
    RaceFixture.run(extending, "UPDATE " + race.lockTable() + " SET expires_at_ms = " + soon());

    Future<LockAttempt> rival = race.async(() -> race.locks.acquire("k", RaceFixture.TTL));
    race.awaitBlocked(1);
    extending.rollback();
    extending.close();

    assertThat(rival.get(10, SECONDS)).isInstanceOf(Acquired.class);
    assertThat(held.extend(RaceFixture.TTL)).isInstanceOf(NotHeld.class);
  }

  @Test
  @Guarantee("LF3")
  void an_acquire_that_waited_counts_its_ttl_from_after_the_wait() throws Exception {
    Connection blocker = race.holdAdvisory("k");
    Future<LockAttempt> waiting =
        race.async(() -> race.locks.acquire("k", Duration.ofMillis(1000)));
    race.awaitBlocked(1);

    RaceFixture.pause(2.5);
    Instant released = databaseNow();
    RaceFixture.end(blocker);

    Acquired lock = (Acquired) waiting.get(10, SECONDS);
    assertThat(lock.acquiredAt()).isAfterOrEqualTo(released);
    assertThat(lock.expiresAt()).isEqualTo(lock.acquiredAt().plusMillis(1000));
    assertThat(race.locks.isLocked("k")).isTrue();
  }

  @Test
  @Guarantee("LF3")
  void an_extend_that_waited_too_long_says_expired() throws Exception {
    Acquired lock = acquire("k", Duration.ofMillis(1000));
    Connection blocker = race.holdAdvisory("k");
    var waiting = race.async(() -> race.locks.extend(lock.lockId(), RaceFixture.TTL));
    race.awaitBlocked(1);

    RaceFixture.pause(2.5);
    RaceFixture.end(blocker);

    assertThat(waiting.get(10, SECONDS)).isEqualTo(new NotHeld(NotHeld.Reason.EXPIRED));
  }

  @Test
  @Guarantee("LF3")
  void an_extend_that_waited_counts_from_after_the_wait() throws Exception {
    Acquired lock = acquire("k", Duration.ofSeconds(20));
    Connection blocker = race.holdRow("k");
    var waiting = race.async(() -> race.locks.extend(lock.lockId(), Duration.ofMillis(1000)));
    race.awaitBlocked(1);

    RaceFixture.pause(1.5);
    Instant released = databaseNow();
    RaceFixture.end(blocker);

    Extended extended = (Extended) waiting.get(10, SECONDS);
    assertThat(extended.expiresAt()).isAfterOrEqualTo(released.plusMillis(1000));
  }

  @Test
  @Guarantee("LF4")
  void a_release_does_not_touch_who_took_the_key_after_it_was_resolved() throws Exception {
    Acquired old = acquire("k", RaceFixture.TTL);
    Connection blocker = race.holdAdvisory("k");
    Future<ReleaseOutcome> releasing = race.async(() -> race.locks.release(old.lockId()));
    race.awaitBlocked(1);

    String next = LockId.random().text();
    RaceFixture.run(
        blocker,
        "UPDATE " + race.lockTable() + " SET lock_id = ?, fence = '000000000000002'",
        next);
    RaceFixture.end(blocker);

    assertThat(releasing.get(10, SECONDS)).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
    assertThat(race.locks.owns(next)).isTrue();
  }

  @Test
  @Guarantee({"LF6", "L66"})
  void one_of_eight_first_acquirers_wins_each_round() throws Exception {
    int callers = 8;
    for (int round = 1; round <= 20; round++) {
      CyclicBarrier start = new CyclicBarrier(callers);
      List<Future<LockAttempt>> attempts = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        attempts.add(
            race.async(
                () -> {
                  start.await();
                  return race.locks.acquire("fresh", RaceFixture.TTL);
                }));
      }
      List<Acquired> winners = new ArrayList<>();
      for (Future<LockAttempt> attempt : attempts) {
        if (attempt.get(10, SECONDS) instanceof Acquired won) {
          winners.add(won);
        }
      }

      assertThat(winners).hasSize(1);
      assertThat(winners.get(0).fence().value()).isEqualTo(round);
      winners.get(0).release();
    }
  }

  @Test
  @Guarantee("L68")
  void holders_intervals_on_the_databases_clock_never_overlap() throws Exception {
    int holders = 6;
    int rounds = 20;
    List<Future<List<Tenure>>> working = new ArrayList<>();
    for (int i = 0; i < holders; i++) {
      working.add(race.async(() -> hold(rounds)));
    }
    List<Tenure> tenures = new ArrayList<>();
    for (Future<List<Tenure>> worker : working) {
      tenures.addAll(worker.get(50, SECONDS));
    }

    tenures.sort(Comparator.comparing(Tenure::fence));
    assertThat(tenures).hasSize(holders * rounds);
    for (int i = 1; i < tenures.size(); i++) {
      assertThat(tenures.get(i).from()).isAfterOrEqualTo(tenures.get(i - 1).until());
    }
  }

  /** When a holder had the lock: from its grant until just before it let go. */
  private record Tenure(long fence, Instant from, Instant until) {}

  private List<Tenure> hold(int rounds) {
    List<Tenure> tenures = new ArrayList<>();
    while (tenures.size() < rounds) {
      Wait patience = Wait.upTo(Duration.ofSeconds(30));
      if (race.locks.acquire("k", RaceFixture.TTL, patience) instanceof Acquired lock) {
        tenures.add(new Tenure(lock.fence().value(), lock.acquiredAt(), databaseNow()));
        lock.release();
      }
    }
    return tenures;
  }

  @Test
  @Guarantee("LF17")
  void a_purge_never_takes_what_lives_and_never_blocks() throws Exception {
    int workers = 4;
    int rounds = 60;
    List<Future<Integer>> working = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      String key = "purged-" + i;
      working.add(race.async(() -> useOverStaleRows(key, rounds)));
    }
    long purged = 0;
    while (!working.stream().allMatch(Future::isDone)) {
      purged += race.locks.operator().purge();
    }

    for (Future<Integer> worker : working) {
      assertThat(worker.get(1, SECONDS)).isEqualTo(rounds);
    }
    assertThat(purged).isPositive();
    for (int i = 0; i < workers; i++) {
      assertThat(race.counter("purged-" + i)).isEqualTo(rounds);
    }
  }

  /**
   * Each round takes a key over a row that may be purged at any moment, and leaves such a row
   * behind.
   */
  private int useOverStaleRows(String key, int rounds) throws SQLException {
    int kept = 0;
    try (Connection connection = TestDatabase.connect()) {
      for (int i = 0; i < rounds; i++) {
        Acquired lock = acquire(key, RaceFixture.TTL);
        boolean extended = lock.extend(RaceFixture.TTL).ok();
        kept += extended && lock.release().ok() ? 1 : 0;
        RaceFixture.run(
            connection,
            "INSERT INTO " + race.lockTable() + " VALUES (?, ?, 1, 1, '000000000000001', ?)",
            key,
            LockId.random().text(),
            key);
      }
    }
    return kept;
  }

  @Test
  @Guarantee("LF19")
  void an_older_snapshot_fails_rather_than_grant_wrongly() throws Exception {
    for (int level :
        new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
      String key = "snapshot-" + level;
      try (Connection connection = TestDatabase.begin()) {
        connection.setTransactionIsolation(level);
        RaceFixture.run(connection, "SELECT count(*) FROM " + race.lockTable());
        Acquired rival = acquire(key, RaceFixture.TTL);

        LockException failure =
            catchThrowableOfType(
                LockException.class,
                () -> race.holdfast.in(connection).acquire(key, RaceFixture.TTL));

        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.getCause()).isInstanceOf(SQLException.class);
        assertThat(((SQLException) failure.getCause()).getSQLState()).isEqualTo("40001");
        connection.rollback();
        assertThat(race.locks.owns(rival.lockId())).isTrue();
        assertThat(race.counter(key)).isEqualTo(1);
      }
    }
  }

  @Test
  @Guarantee("LF19")
  void an_extend_on_an_older_snapshot_fails_too() throws Exception {
    Acquired lock = acquire("k", RaceFixture.TTL);
    try (Connection connection = TestDatabase.begin()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      RaceFixture.run(connection, "SELECT count(*) FROM " + race.lockTable());
      lock.extend(Duration.ofMinutes(5));

      LockException failure =
          catchThrowableOfType(
              LockException.class,
              () -> race.holdfast.in(connection).extend(lock.lockId(), Duration.ofMillis(1)));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      connection.rollback();
    }
  }

  @Test
  @Guarantee("LF20")
  void of_two_transactions_in_opposite_order_one_fails_and_the_other_goes_on() throws Exception {
    try (Connection one = TestDatabase.begin();
        Connection two = TestDatabase.begin()) {
      race.holdfast.in(one).acquire("a", RaceFixture.TTL);
      race.holdfast.in(two).acquire("b", RaceFixture.TTL);

      Future<String> first = race.async(() -> outcome(one, "b"));
      Future<String> second = race.async(() -> outcome(two, "a"));

      assertThat(List.of(first.get(20, SECONDS), second.get(20, SECONDS)))
          .containsExactlyInAnyOrder("granted", "ServiceUnavailable 40P01");
    }
  }

  private String outcome(Connection connection, String key) throws SQLException {
    try {
      boolean ok = race.holdfast.in(connection).acquire(key, RaceFixture.TTL).ok();
      connection.commit();
      return ok ? "granted" : "locked";
    } catch (LockException e) {
      connection.rollback();
      return e.code().text() + " " + ((SQLException) e.getCause()).getSQLState();
    }
  }

  private Acquired acquire(String key, Duration ttl) {
    return (Acquired) race.locks.acquire(key, ttl);
  }

  private void expire(String key) {
    TestDatabase.execute(
        "UPDATE " + race.lockTable() + " SET expires_at_ms = 1 WHERE key = '" + key + "'");
  }

  private static String soon() {
    return "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 30000";
  }

  private static Instant databaseNow() {
    String ms =
        TestDatabase.query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    return Instant.ofEpochMilli(Long.parseLong(Objects.requireNonNull(ms)));
  }
}
