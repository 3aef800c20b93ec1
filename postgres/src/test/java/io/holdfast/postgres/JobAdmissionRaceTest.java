package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobIds;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of keys while everybody works at once, and some die. */
@Timeout(120)
class JobAdmissionRaceTest {
  private static final int NODES = 4;
  private static final int KEYS = 3;
  private static final int MOST = 2;
  private static final int JOBS = 240;
  private static final Duration LEASE = Duration.ofMillis(250);

  /** Keys that have more jobs in their slots, running or about to, than they may. */
  private static final String OVERFULL =
      """
      SELECT string_agg(limit_key || ':' || n, ' ') FROM (
        SELECT limit_key, count(*) AS n FROM {jobs}
         WHERE gate_at IS NULL AND status IN ('ready', 'inflight') GROUP BY limit_key) AS k
       WHERE n > 2
      """;

  private final JobStage jobs = JobStage.real();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger done = new AtomicInteger();

  @AfterEach
  void close() {
    isOver.set(true);
    threads.shutdownNow();
    jobs.close();
  }

  @Test
  @Guarantee({"J77", "J80", "JF19"})
  void slots_of_a_key_never_exceed_its_limit_and_no_key_idles() throws Exception {
    jobs.limits.configure(JobQueueConfig.of("q").limit("*", MOST), CALL);
    for (int i = 0; i < JOBS; i++) {
      String key = "k" + i % KEYS;
      jobs.enqueue("j" + i, job -> job.limitedBy(key));
    }
    Future<Integer> observer = threads.submit(this::observe);
    List<Future<Integer>> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(threads.submit(node(new Random(i))));
    }

    for (Future<Integer> node : nodes) {
      node.get(90, TimeUnit.SECONDS);
    }
    isOver.set(true);

    assertThat(observer.get(30, TimeUnit.SECONDS)).as("looks at the slots").isPositive();
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE status = 'done'"))
        .isEqualTo(Integer.toString(JOBS));
  }

  private int observe() {
    int looks = 0;
    while (!isOver.get()) {
      assertThat(jobs.query(OVERFULL)).isNull();
      looks++;
    }
    return looks;
  }

  /** A node knows nothing of the others; it works until everything is done. */
  private Callable<Integer> node(Random random) {
    JobKernel kernel = jobs.process();
    PostgresJobStore store = new PostgresJobStore(kernel, rows -> {});
    PostgresJobLimits limits = new PostgresJobLimits(kernel);
    PostgresJobUpkeep upkeep = new PostgresJobUpkeep(kernel, new JobIds(System::currentTimeMillis));
    return () -> {
      int runs = 0;
      while (done.get() < JOBS) {
        if (random.nextInt(10) == 0) {
          killedAdmission();
        }
        List<LeasedJob> leased =
            store.reserve(ReserveRequest.of("q", 2).leaseFor(LEASE), CALL).jobs();
        if (leased.isEmpty()) {
          upkeep.sweep(CALL);
        }
        for (LeasedJob job : leased) {
          JobStore.Answer answer = settle(store, job, random);
          limits.admit(answer.effects().keys(), CALL);
          runs++;
        }
      }
      return runs;
    };
  }

  /** Mostly done; some fail, some are given back, and some are lost with their worker. */
  private JobStore.Answer settle(PostgresJobStore store, LeasedJob job, Random random) {
    int fate = random.nextInt(20);
    if (fate == 0) {
      return store.settle(List.of(), CALL);
    }
    if (fate < 3) {
      return store.settle(List.of(Settlement.Retry.in(job.held(), null, "no")), CALL);
    }
    if (fate < 5) {
      return store.settle(List.of(new Settlement.Release(job.held(), null)), CALL);
    }
    JobStore.Answer answer = store.settle(List.of(Settlement.Ack.of(job.held())), CALL);
    if (answer.settled().get(0).error() == null) {
      done.incrementAndGet();
    }
    return answer;
  }

  /** An admission whose process dies before it commits. */
  private void killedAdmission() throws SQLException {
    try (Connection dying = TestDatabase.begin();
        Statements statements = new Statements((operation, took, error) -> {})) {
      statements.run(
          "admit",
          dying,
          StoreCaller.limits(CALL),
          watch ->
              JobAdmission.tryAdmit(
                  new JobSession(watch, jobs.names, jobs.fixture.kernel.time()),
                  List.of(new QueueKey("q", "k0"), new QueueKey("q", "k1"))),
          connection -> {});
      dying.rollback();
    }
  }
}
