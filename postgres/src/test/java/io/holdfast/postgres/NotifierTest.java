package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Hints;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hint saves time; a lost one costs time and nothing else. */
@Timeout(60)
class NotifierTest {
  private static final Duration TTL = Duration.ofSeconds(60);
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);

  /** Polls so rarely that only a hint can explain a quick grant. */
  private static final LockOptions HARDLY_POLLS =
      LockOptions.DEFAULTS.withPurgeEvery(null).withPoll(Duration.ofSeconds(60));

  private static final LockOptions POLLS =
      LockOptions.DEFAULTS.withPurgeEvery(null).withPoll(Duration.ofMillis(100));

  private final AtomicInteger notifies = new AtomicInteger();
  private final LockTables tables = TestDatabase.freshTables();

  @Test
  @Guarantee("L72")
  void a_release_wakes_a_waiter_of_another_store() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, HARDLY_POLLS);
      PostgresHoldfast waiter = open(there, HARDLY_POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);

      held.release();

      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();
      Kernel.eventually("the hint's report", () -> notifies.get() > 0);
    }
  }

  @Test
  @Guarantee("LF18")
  void a_waiter_whose_listening_connection_died_gets_the_lock_by_polling() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, POLLS);
      PostgresHoldfast waiter = open(there, POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);

      killListener(there);
      held.release();

      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("LF18")
  void hints_work_again_after_the_listening_connection_was_lost() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, HARDLY_POLLS);
      PostgresHoldfast waiter = open(there, HARDLY_POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);

      killListener(there);
      awaitListening(there, 1);
      held.release();

      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();
    }
  }

  @Test
  @Guarantee("LF18")
  void a_waiter_looks_again_once_the_listening_connection_is_back() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, HARDLY_POLLS.withHints(false));
      PostgresHoldfast waiter = open(there, HARDLY_POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);

      held.release();
      assertThat(waiting.isDone()).isFalse();
      killListener(there);

      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();
    }
  }

  @Test
  void without_a_waiter_no_hint_is_sent_and_nobody_listens() {
    try (Kernel kernel = Kernel.direct()) {
      PostgresHoldfast holdfast = open(kernel, HARDLY_POLLS);

      for (int i = 0; i < 20; i++) {
        Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
        assertThat(holdfast.locks().acquire("k", TTL).ok()).isFalse();
        lock.release();
      }
      holdfast.close();

      assertThat(notifies).hasValue(0);
      assertThat(listeners(kernel)).isZero();
    }
  }

  @Test
  void without_hints_none_is_sent_and_nobody_listens() throws Exception {
    try (Kernel kernel = Kernel.direct()) {
      PostgresHoldfast holdfast = open(kernel, POLLS.withHints(false));
      Acquired held = (Acquired) holdfast.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(kernel, holdfast, "k");

      assertThat(listeners(kernel)).isZero();
      held.release();

      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();
      holdfast.close();
      assertThat(notifies).hasValue(0);
    }
  }

  @Test
  void a_grant_that_was_waited_for_leaves_no_further_hint() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, HARDLY_POLLS);
      PostgresHoldfast waiter = open(there, HARDLY_POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);
      held.release();
      Acquired granted = (Acquired) waiting.get(10, TimeUnit.SECONDS);
      Kernel.eventually("the hint's report", () -> notifies.get() > 0);
      holder.close();
      int before = notifies.get();

      granted.release();
      waiter.close();

      assertThat(notifies).hasValue(before);
    }
  }

  @Test
  void hints_that_come_up_while_one_is_on_its_way_travel_together() throws Exception {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    List<String> topics = IntStream.range(0, 500).mapToObj(i -> "topic-" + i).toList();
    Set<String> expected = new HashSet<>(topics);
    expected.add("first");
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct();
        Notifier sender = notifier(here);
        Notifier receiver = notifier(there);
        Hints.Subscription subscription = receiver.scoped("p/").listen(new Ears(heard))) {
      assertThat(subscription).isNotNull();
      awaitListening(there, 1);
      Hints hints = sender.scoped("p/");
      Database pool = here.database(ONE);
      Connection only = pool.borrow(Cancellation.never(), TTL);

      hints.send("first");
      for (int round = 0; round < 3; round++) {
        topics.forEach(hints::send);
      }
      pool.giveBack(only);

      Kernel.eventually("every topic", () -> new HashSet<>(List.copyOf(heard)).equals(expected));
    }
    assertThat(notifies.get()).isBetween(1, 2);
    assertThat(heard).hasSizeLessThanOrEqualTo(2 * expected.size());
  }

  @Test
  void hints_of_another_scope_are_not_heard() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct();
        Notifier sender = notifier(here);
        Notifier receiver = notifier(there);
        Hints.Subscription subscription = receiver.scoped("mine/").listen(new Ears(heard))) {
      assertThat(subscription).isNotNull();
      awaitListening(there, 1);

      sender.scoped("yours/").send("a");
      sender.scoped("mine/").send("b'\"$ü");

      Kernel.eventually("the hint", () -> !heard.isEmpty());
      assertThat(heard).containsExactly("b'\"$ü");
    }
  }

  @Test
  void sending_neither_blocks_nor_fails_while_the_database_is_away() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    try (Kernel here = Kernel.behindProxy();
        Kernel there = Kernel.direct();
        Notifier sender = notifier(here);
        Notifier receiver = notifier(there);
        Hints.Subscription subscription = receiver.scoped("p/").listen(new Ears(heard))) {
      assertThat(subscription).isNotNull();
      awaitListening(there, 1);
      Hints hints = sender.scoped("p/");
      here.proxy().refuse(true);
      long startNanos = System.nanoTime();

      for (int i = 0; i < 20_000; i++) {
        hints.send("lost-" + i);
      }

      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(2));
      here.proxy().refuse(false);
      Kernel.eventually(
          "hints again",
          () -> {
            hints.send("found");
            return heard.contains("found");
          });
    }
  }

  @Test
  void nobody_listens_any_more_once_the_store_is_closed() throws Exception {
    try (Kernel here = Kernel.direct();
        Kernel there = Kernel.direct()) {
      PostgresHoldfast holder = open(here, POLLS);
      PostgresHoldfast waiter = open(there, POLLS);
      Acquired held = (Acquired) holder.locks().acquire("k", TTL);
      Future<LockAttempt> waiting = waitFor(there, waiter, "k");
      awaitListening(there, 1);
      held.release();
      assertThat(waiting.get(10, TimeUnit.SECONDS).ok()).isTrue();

      waiter.close();

      Kernel.eventually("no session", () -> Kernel.sessions(there.name()) == 0);
    }
  }

  /** Writes down what is heard. */
  private record Ears(List<String> heard) implements Hints.Listener {
    @Override
    public void hinted(String topic) {
      heard.add(topic);
    }

    @Override
    public void mayHaveMissedSome() {}
  }

  private PostgresHoldfast open(Kernel kernel, LockOptions options) {
    PostgresHoldfast holdfast =
        kernel.locks(
            o -> o.withLockTables(tables).withLocks(options).withListener(this::countNotifies));
    holdfast.setup();
    return holdfast;
  }

  private Notifier notifier(Kernel kernel) {
    Database database = kernel.database(ONE);
    return new Notifier(
        database, new Transactions(database, kernel.statements(this::countNotifies)));
  }

  private void countNotifies(String operation, Duration took, Object error) {
    if (operation.equals("notify")) {
      notifies.incrementAndGet();
    }
  }

  /** Lets somebody wait for a key, and returns once the wait is known to the database. */
  private static Future<LockAttempt> waitFor(Kernel kernel, PostgresHoldfast holdfast, String key) {
    Future<LockAttempt> waiting =
        kernel.async(() -> holdfast.locks().acquire(key, TTL, Wait.upTo(Duration.ofSeconds(40))));
    Kernel.eventually(
        "a ticket", () -> !holdfast.locks().operator().inspect(key).waiters().isEmpty());
    return waiting;
  }

  private static void awaitListening(Kernel kernel, long sessions) {
    Kernel.eventually(sessions + " listening", () -> listeners(kernel) == sessions);
  }

  private static long listeners(Kernel kernel) {
    return Long.parseLong(
        Objects.requireNonNull(
            TestDatabase.query(
                "SELECT count(*) FROM pg_stat_activity WHERE " + listening(kernel))));
  }

  private static void killListener(Kernel kernel) {
    TestDatabase.query(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE "
            + listening(kernel));
  }

  private static String listening(Kernel kernel) {
    return "application_name = '"
        + kernel.name()
        + "' AND query ILIKE 'LISTEN %' AND state = 'idle'";
  }
}
