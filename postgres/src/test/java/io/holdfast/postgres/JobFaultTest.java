package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.LEASE;
import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.QueueFaultTest.async;
import static io.holdfast.postgres.QueueFaultTest.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of jobs when statements collide, or the database or its connections fail. */
@Timeout(120)
class JobFaultTest {
  private JobFixture fixture;

  @BeforeEach
  void open() {
    fixture = JobFixture.real();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<NewJob> drafts(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewJob.of("t").queue(QUEUE)).toList();
  }

  /** The same in some other order. */
  private static <T> List<T> shuffled(Collection<T> items, Random random) {
    List<T> copy = new ArrayList<>(items);
    Collections.shuffle(copy, random);
    return copy;
  }

  /** A process that notes each failure of a statement, also one that was made good by repeating. */
  private JobNode noting(Queue<ErrorCode> failures) {
    return new JobNode(
        fixture,
        TestDatabase.url(),
        options ->
            options.withListener(
                (operation, took, error) -> {
                  if (error != null) {
                    failures.add(error);
                  }
                }));
  }

  @Test
  @Guarantee("JF10")
  void heartbeats_extensions_reports_and_acks_of_the_same_jobs_do_not_deadlock() throws Exception {
    Queue<ErrorCode> failures = new ConcurrentLinkedQueue<>();
    try (JobNode node = noting(failures)) {
      node.jobs.enqueue(drafts(200));
      List<Held> held = fixture.reserve(200).stream().map(LeasedJob::held).toList();
      AtomicBoolean isOver = new AtomicBoolean();
      List<CompletableFuture<Integer>> others =
          List.of(
              async(() -> beat(held, isOver, 1)),
              async(() -> beat(held, isOver, 2)),
              async(() -> extend(node.jobs, held, isOver)),
              async(() -> report(node.jobs, held, isOver)));

      List<Held> left = shuffled(held, new Random(3));
      for (int from = 0; from < left.size(); from += 20) {
        List<Settlement.Ack> acks =
            left.subList(from, from + 20).stream().map(Settlement.Ack::of).toList();
        assertThat(node.jobs.settle(acks)).allMatch(Settled::isOk);
      }
      isOver.set(true);
      for (CompletableFuture<Integer> other : others) {
        assertThat(other.get(30, SECONDS)).isPositive();
      }

      assertThat(failures).isEmpty();
      assertThat(node.count("done")).isEqualTo(200);
    }
  }

  private int beat(List<Held> held, AtomicBoolean isOver, int seed) {
    Random random = new Random(seed);
    int turns = 0;
    do {
      List<Held> some = shuffled(held, random);
      fixture.store.beat(new JobStore.Heartbeat(null, some, LEASE), CALL);
      turns++;
    } while (!isOver.get());
    return turns;
  }

  private static int extend(Jobs jobs, List<Held> held, AtomicBoolean isOver) {
    Random random = new Random(4);
    int turns = 0;
    do {
      jobs.extend(shuffled(held, random), LEASE);
      turns++;
    } while (!isOver.get());
    return turns;
  }

  private static int report(Jobs jobs, List<Held> held, AtomicBoolean isOver) {
    Random random = new Random(5);
    int turns = 0;
    do {
      jobs.settle(
          shuffled(held, random).stream()
              .map(one -> new Settlement.Report(one, 50, null, null))
              .toList());
      turns++;
    } while (!isOver.get());
    return turns;
  }

  @ParameterizedTest
  @ValueSource(strings = {"40P01", "40001"})
  @Guarantee("JF10")
  void a_lost_conflict_is_repeated(String state) {
    String own = fixture.tables.ownSchema();
    fixture.update("CREATE SEQUENCE " + own + ".turns");
    fixture.update(
        """
        CREATE FUNCTION %1$s.lose() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('%1$s.turns') <= 2 THEN
            RAISE EXCEPTION 'lost' USING ERRCODE = '%2$s';
          END IF;
          RETURN NULL;
        END $$"""
            .formatted(own, state));
    fixture.update(
        "CREATE TRIGGER lose AFTER INSERT OR UPDATE OR DELETE ON {jobs} EXECUTE FUNCTION "
            + own
            + ".lose()");
    try {
      fixture.enqueue("a", "b", "c");
      again(own);
      List<Held> held = fixture.reserve(3).stream().map(LeasedJob::held).toList();
      again(own);
      assertThat(fixture.store.beat(new JobStore.Heartbeat(null, held, LEASE), CALL))
          .allMatch(beat -> beat.extended().isOk());
      again(own);
      assertThat(fixture.ack(held.get(0))).isEqualTo(Settled.done("a"));
      again(own);
      assertThat(
              fixture.settle(
                  new Settlement.Fail(held.get(1), "x", "x", null),
                  Settlement.Retry.in(held.get(2), null, "y")))
          .containsExactly(Settled.done("b"), Settled.done("c"));

      assertThat(fixture.query("SELECT string_agg(status, ' ' ORDER BY id) FROM {jobs}"))
          .isEqualTo("done dlq ready");
    } finally {
      fixture.update("DROP FUNCTION " + own + ".lose CASCADE");
      fixture.update("DROP SEQUENCE " + own + ".turns");
    }
  }

  private void again(String own) {
    fixture.update("ALTER SEQUENCE " + own + ".turns RESTART");
  }

  private static JobWorker.Builder worker(Jobs jobs, Map<String, Integer> runs) {
    return jobs.worker()
        .queue(QUEUE)
        .lease(Duration.ofSeconds(10))
        .poll(Duration.ofMillis(50))
        .action("t", String.class, (text, context) -> runs.merge(context.id(), 1, Integer::sum));
  }

  @Test
  @Guarantee("JF13")
  void a_worker_whose_connections_are_ended_goes_on_with_others() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    try (JobNode node = new JobNode(fixture);
        JobWorker worker = worker(node.jobs, runs).lease(Duration.ofSeconds(2)).start()) {
      for (int round = 1; round <= 3; round++) {
        int wanted = 50 * round;
        fixture.store.enqueue(
            IntStream.range(wanted - 50, wanted)
                .mapToObj(i -> JobFixture.row(JobFixture.job("j" + i)))
                .toList(),
            CALL);
        await(() -> node.count("done") > wanted - 50);
        node.terminate();
        node.await("done", wanted);
      }

      assertThat(runs).hasSize(150);
      assertThat(worker.stats().outcomes().keySet())
          .extracting(ended -> ended.outcome().name())
          .isSubsetOf("SUCCEEDED", "LOST", "RELEASED");
    }
  }

  @Test
  @Guarantee("JF13")
  void a_worker_gets_through_a_time_without_free_connections() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    PoolSettings small =
        PoolSettings.DEFAULTS.withMaxConnections(2).withConnectTimeout(Duration.ofSeconds(1));
    try (JobNode node =
            new JobNode(fixture, TestDatabase.url(), options -> options.withPool(small));
        JobWorker worker = worker(node.jobs, runs).start()) {
      fixture.enqueue("early");
      node.await("done", 1);
      CountDownLatch release = new CountDownLatch(1);
      CountDownLatch taken = new CountDownLatch(2);
      List<CompletableFuture<Boolean>> busy =
          List.of(
              async(() -> occupy(node, taken, release)), async(() -> occupy(node, taken, release)));
      taken.await();
      fixture.enqueue("late");

      JobException full = catchThrowableOfType(JobException.class, node.jobs::ping);

      assertThat(full.error()).isEqualTo(JobError.STORE_UNAVAILABLE);
      release.countDown();
      for (CompletableFuture<Boolean> one : busy) {
        assertThat(one.get(20, SECONDS)).isTrue();
      }
      node.await("done", 2);
      assertThat(runs.values()).containsOnly(1);
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  /** Takes a connection until told to give it back; the worker may have it first. */
  private static boolean occupy(JobNode node, CountDownLatch taken, CountDownLatch release)
      throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    await(
        () -> {
          try {
            isDone.set(
                node.holdfast.transaction(
                    TransactionSettings.DEFAULTS, connection -> waited(taken, release)));
            return true;
          } catch (HoldfastException e) {
            return false;
          }
        });
    return isDone.get();
  }

  private static boolean waited(CountDownLatch taken, CountDownLatch release) {
    taken.countDown();
    try {
      return release.await(60, SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Guarantee("JF13")
  void a_settlement_that_waited_for_a_lock_in_vain_is_sent_again() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    CountDownLatch go = new CountDownLatch(1);
    Queue<ErrorCode> failures = new ConcurrentLinkedQueue<>();
    String url = TestDatabase.url("options=-c%20lock_timeout=100ms");
    try (JobNode node =
            new JobNode(
                fixture,
                url,
                options -> options.withListener((operation, took, e) -> note(e, failures)));
        JobWorker worker =
            worker(node.jobs, runs)
                .action(
                    "t",
                    String.class,
                    (text, context) -> {
                      runs.merge(context.id(), 1, Integer::sum);
                      go.await();
                    })
                .start();
        Connection lock = TestDatabase.begin()) {
      fixture.enqueue("a", "b");
      await(() -> runs.size() == 2);
      RaceFixture.run(lock, fixture.names().sql("SELECT id FROM {jobs} FOR UPDATE"));
      go.countDown();
      await(() -> failures.size() > 1);
      lock.rollback();

      node.await("done", 2);
      assertThat(runs).isEqualTo(Map.of("a", 1, "b", 1));
      assertThat(fixture.query("SELECT max(deliveries) FROM {jobs}")).isEqualTo("1");
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  private static void note(ErrorCode error, Queue<ErrorCode> failures) {
    if (error != null) {
      failures.add(error);
    }
  }

  /** A server process that is killed makes the server end all others and recover from its log. */
  @Test
  @Guarantee("JF13")
  void a_worker_survives_a_restart_of_the_server() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    try (EmbeddedPostgres server = EmbeddedPostgres.temporary();
        PostgresHoldfast holdfast = PostgresHoldfast.open(server.jdbcUrl());
        JobWorker worker = worker(holdfast.jobs(), runs).lease(Duration.ofSeconds(2)).start()) {
      holdfast.jobs().enqueue(drafts(50));
      await(() -> runs.size() >= 10);

      crash(server.jdbcUrl());
      // With keys: a call may have been stored although its answer was lost.
      enqueueWhenBack(
          holdfast.jobs(),
          IntStream.range(0, 100)
              .mapToObj(i -> NewJob.of("t").queue(QUEUE).once("late-" + i))
              .toList());

      await(
          () -> {
            try {
              JobStats stats = holdfast.jobs().queues().stats(QUEUE);
              return stats.counts().get(JobState.DONE).count() == 150;
            } catch (JobException e) {
              return false;
            }
          });
      assertThat(runs).hasSize(150);
      assertThat(worker.stats().active()).isZero();
    }
  }

  private static void enqueueWhenBack(Jobs jobs, List<NewJob> drafts) throws Exception {
    await(
        () -> {
          try {
            jobs.enqueue(drafts);
            return true;
          } catch (JobException e) {
            assertThat(e.error()).isEqualTo(JobError.STORE_UNAVAILABLE);
            return false;
          }
        });
  }

  private static void crash(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      new ProcessBuilder("kill", "-KILL", row.getString(1)).start().waitFor();
    }
  }
}
