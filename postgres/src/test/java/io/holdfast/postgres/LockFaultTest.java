package io.holdfast.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.TcpProxy;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of locks when connections, processes or the network fail. */
@Timeout(60)
class LockFaultTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  @Test
  @Guarantee({"LF10", "L43"})
  void a_grant_whose_answer_was_lost_is_given_back_long_before_its_ttl() throws Exception {
    try (RaceFixture direct = new RaceFixture();
        TcpProxy proxy = proxy();
        PostgresHoldfast behind = behind(proxy, direct)) {
      behind.locks().acquire("warm-up", LONG).release();
      var lost = proxy.swallowNextAnswer("lock_acquire");

      LockException failure =
          catchThrowableOfType(LockException.class, () -> behind.locks().acquire("k", LONG));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(failure.isOutcomeUnknown()).isTrue();
      lost.get(10, SECONDS);
      assertThat(direct.counter("k")).isEqualTo(1);
      await(() -> !direct.locks.isLocked("k"));
    }
  }

  @Test
  @Guarantee("LF10")
  void with_an_id_of_its_own_a_caller_repeats_and_gets_the_same_grant() throws Exception {
    try (RaceFixture direct = new RaceFixture();
        TcpProxy proxy = proxy();
        PostgresHoldfast behind = behind(proxy, direct)) {
      behind.locks().acquire("warm-up", LONG).release();
      String id = LockId.random().text();
      var lost = proxy.swallowNextAnswer("lock_acquire");

      catchThrowableOfType(LockException.class, () -> behind.locks().acquire("k", LONG, id));
      lost.get(10, SECONDS);
      Acquired repeated = (Acquired) behind.locks().acquire("k", LONG, id);

      assertThat(repeated.fence().value()).isEqualTo(1);
      assertThat(direct.locks.owns(id)).isTrue();
    }
  }

  @Test
  @Guarantee("LF10")
  void a_request_that_never_arrived_leaves_nothing() throws Exception {
    try (RaceFixture direct = new RaceFixture();
        TcpProxy proxy = proxy();
        PostgresHoldfast behind = behind(proxy, direct)) {
      behind.locks().acquire("warm-up", LONG).release();
      proxy.cutWhenClientSends("lock_acquire");

      LockException failure =
          catchThrowableOfType(LockException.class, () -> behind.locks().acquire("k", LONG));

      assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(direct.counter("k")).isZero();
      assertThat(behind.locks().acquire("k", LONG).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("LF13")
  void renewals_go_on_while_every_connection_is_busy() throws Exception {
    PoolSettings two = PoolSettings.DEFAULTS.withMaxConnections(2);
    try (RaceFixture race = new RaceFixture(o -> o.withPool(two))) {
      Duration ttl = Duration.ofMillis(900);
      Acquired lock = ((Acquired) race.locks.acquire("k", ttl)).keep();
      CountDownLatch inside = new CountDownLatch(2);
      CountDownLatch leave = new CountDownLatch(1);
      List<Future<Boolean>> busy = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        busy.add(
            race.async(
                () ->
                    race.holdfast.transaction(
                        TransactionSettings.DEFAULTS,
                        connection -> {
                          inside.countDown();
                          return awaitQuietly(leave);
                        })));
      }
      inside.await(10, SECONDS);
      Instant before = lock.expiresAt();

      await(() -> lock.expiresAt().isAfter(before.plus(ttl.multipliedBy(2))));

      assertThat(lock.isHeld()).isTrue();
      leave.countDown();
      for (Future<Boolean> transaction : busy) {
        transaction.get(10, SECONDS);
      }
    }
  }

  @Test
  @Guarantee("LF14")
  void one_busy_key_does_not_hold_up_the_renewal_of_others() throws Exception {
    try (RaceFixture race = new RaceFixture()) {
      Duration ttl = Duration.ofSeconds(3);
      List<Acquired> locks = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        locks.add(((Acquired) race.locks.acquire("k" + i, ttl)).keep());
      }
      Connection blocker = race.holdRow("k2");
      Instant before = locks.get(0).expiresAt();

      await(
          () ->
              locks.stream()
                  .filter(lock -> !lock.key().equals("k2"))
                  .allMatch(lock -> lock.expiresAt().isAfter(before.plusMillis(500))));
      race.awaitBlocked(1);
      RaceFixture.end(blocker);

      await(() -> locks.get(2).expiresAt().isAfter(before.plusMillis(500)));
      assertThat(locks).allMatch(Acquired::isHeld);
      locks.forEach(Acquired::close);
    }
  }

  @Test
  @Guarantee({"LF18", "L72"})
  void a_waiter_in_another_process_is_woken_by_the_release() throws Exception {
    LockOptions slow = LockOptions.DEFAULTS.withPoll(Duration.ofSeconds(60));
    try (RaceFixture race = new RaceFixture();
        PostgresHoldfast other = otherProcess(race, slow)) {
      Acquired held = (Acquired) race.locks.acquire("k", LONG);
      Future<LockAttempt> waiting =
          race.async(() -> other.locks().acquire("k", LONG, Wait.upTo(Duration.ofSeconds(50))));
      await(() -> race.locks.operator().inspect("k").waiters().size() == 1);
      held.release();

      assertThat(waiting.get(20, SECONDS).ok()).isTrue();
      assertThat(race.locks.operator().inspect("k").waiters()).isEmpty();
    }
  }

  @Test
  void a_release_in_a_transaction_of_ours_wakes_waiters_after_its_commit() throws Exception {
    LockOptions slow = LockOptions.DEFAULTS.withPoll(Duration.ofSeconds(60));
    try (RaceFixture race = new RaceFixture();
        PostgresHoldfast other = otherProcess(race, slow)) {
      Acquired held = (Acquired) race.locks.acquire("k", LONG);
      Future<LockAttempt> waiting =
          race.async(() -> other.locks().acquire("k", LONG, Wait.upTo(Duration.ofSeconds(50))));
      await(() -> race.locks.operator().inspect("k").waiters().size() == 1);

      race.holdfast.transaction(
          TransactionSettings.DEFAULTS,
          connection -> race.holdfast.in(connection).release(held.lockId()));

      assertThat(waiting.get(20, SECONDS).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("LF18")
  void a_waiter_gets_the_lock_by_polling_when_a_stranger_releases_it() throws Exception {
    LockOptions polling =
        LockOptions.DEFAULTS.withPoll(Duration.ofMillis(100)).withPurgeEvery(null);
    try (RaceFixture race = new RaceFixture(o -> o.withLocks(polling))) {
      race.locks.acquire("k", LONG);
      Future<LockAttempt> waiting =
          race.async(() -> race.locks.acquire("k", LONG, Wait.upTo(Duration.ofSeconds(30)).fair()));
      await(() -> race.locks.operator().inspect("k").waiters().size() == 1);

      TestDatabase.execute("DELETE FROM " + race.lockTable());

      assertThat(waiting.get(10, SECONDS).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("L45")
  void an_error_storm_leaves_no_connection_and_no_lock_behind() throws Exception {
    PoolSettings few = PoolSettings.DEFAULTS.withMaxConnections(2);
    try (RaceFixture race = new RaceFixture(o -> o.withPool(few))) {
      for (int i = 0; i < 50; i++) {
        catchThrowableOfType(LockException.class, () -> race.locks.acquire("\0", LONG));
        Thread.currentThread().interrupt();
        catchThrowableOfType(LockException.class, () -> race.locks.acquire("k", LONG));
        assertThat(Thread.interrupted()).isTrue();
      }

      assertThat(race.locks.operator().stats().liveLocks()).isZero();
      assertThat(race.locks.acquire("k", LONG).ok()).isTrue();
    }
  }

  @Test
  void closing_releases_what_is_kept_and_ends_every_connection() throws Exception {
    RaceFixture race = new RaceFixture();
    PostgresHoldfast closing = otherProcess(race, LockOptions.DEFAULTS);
    ((Acquired) closing.locks().acquire("k", LONG)).keep();
    Future<LockAttempt> waiting =
        race.async(() -> race.locks.acquire("k", LONG, Wait.upTo(Duration.ofSeconds(30))));
    closing.close();

    assertThat(waiting.get(20, SECONDS).ok()).isTrue();
    race.close();
    await(
        () ->
            "0"
                .equals(
                    TestDatabase.query(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '"
                            + race.name
                            + "%'")));
  }

  private static PostgresHoldfast otherProcess(RaceFixture race, LockOptions options) {
    String url = TestDatabase.url("ApplicationName=" + race.name + "-other");
    return PostgresHoldfast.open(
        url, PostgresOptions.DEFAULTS.withLockTables(race.tables).withLocks(options));
  }

  private static TcpProxy proxy() throws Exception {
    URI address = URI.create(TestDatabase.url().substring("jdbc:".length()));
    return TcpProxy.to(address.getHost(), address.getPort() < 0 ? 5432 : address.getPort());
  }

  private static PostgresHoldfast behind(TcpProxy proxy, RaceFixture race) {
    String url =
        TestDatabase.url("prepareThreshold=0&sslmode=disable")
            .replaceFirst("//[^/]+/", "//" + proxy.host() + ":" + proxy.port() + "/");
    return PostgresHoldfast.open(url, PostgresOptions.DEFAULTS.withLockTables(race.tables));
  }

  private static boolean awaitQuietly(CountDownLatch latch) {
    try {
      return latch.await(30, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Looks again, a little later each time on the database's clock, until it holds. */
  private static void await(BooleanSupplier holds) throws Exception {
    for (int turn = 0; !holds.getAsBoolean(); turn++) {
      if (turn == 600) {
        throw new AssertionError("it did not happen in time");
      }
      RaceFixture.pause(0.02);
    }
  }
}
