package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.QueueFaultTest.async;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobWorker;
import io.holdfast.job.NewJob;
import io.holdfast.postgres.JobVictim.Manner;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of keys that several processes share while some of them fail. */
@Timeout(120)
class JobSlotsTest {
  private static final int KEYS = 3;
  private static final int JOBS = 60;
  private static final int MAX_RUNNING = 2;

  /** The most leases of a key at this instant, and the keys with waiting jobs and nothing else. */
  private static final String LOOK =
      """
      SELECT coalesce(max(k.leased), 0), count(*) FILTER (WHERE k.waiting > 0 AND k.held = 0)
        FROM (SELECT count(*) FILTER (WHERE status = 'inflight') AS leased,
                     count(*) FILTER (WHERE gate_at <= clock_timestamp()) AS waiting,
                     count(*) FILTER (WHERE gate_at IS NULL AND status IN ('ready', 'inflight')) AS held
                FROM {jobs} GROUP BY limit_key) AS k
      """;

  /** What somebody saw who looked all the time. */
  private record Seen(int mostLeased, int looks, Duration longestIdle) {}

  private static Seen watch(String sql, AtomicBoolean isOver) throws Exception {
    int most = 0;
    int looks = 0;
    long idleSince = System.nanoTime();
    long longest = 0;
    try (Connection connection = TestDatabase.connect();
        Statement statement = connection.createStatement()) {
      while (!isOver.get()) {
        try (ResultSet row = statement.executeQuery(sql)) {
          row.next();
          most = Math.max(most, row.getInt(1));
          long now = System.nanoTime();
          idleSince = row.getInt(2) == 0 ? now : idleSince;
          longest = Math.max(longest, now - idleSince);
        }
        looks++;
      }
    }
    return new Seen(most, looks, Duration.ofNanos(longest));
  }

  @Test
  @Guarantee("JF19")
  void four_processes_never_exceed_a_limit_and_no_key_idles_although_some_are_killed()
      throws Exception {
    try (JobFixture fixture = JobFixture.real()) {
      List<JobNode> nodes = new ArrayList<>();
      AtomicBoolean isOver = new AtomicBoolean();
      try {
        for (int i = 0; i < 4; i++) {
          nodes.add(new JobNode(fixture));
        }
        JobNode first = nodes.get(0);
        first.jobs.queues().configure(JobQueueConfig.of(QUEUE).limit("*", MAX_RUNNING));
        first.jobs.enqueue(
            IntStream.range(0, JOBS)
                .mapToObj(i -> NewJob.of("t").queue(QUEUE).limitedBy("k" + i % KEYS))
                .toList());
        CompletableFuture<Seen> watching = async(() -> watch(fixture.names().sql(LOOK), isOver));
        killOneThatHoldsSlots(fixture, first);
        List<JobWorker> workers = nodes.stream().map(JobSlotsTest::worker).toList();
        for (int killed = 1; killed < 4; killed++) {
          int wanted = killed * JOBS / 5;
          QueueFaultTest.await(() -> first.count("done") >= wanted);
          nodes.get(killed).terminate();
        }
        first.await("done", JOBS);
        workers.forEach(JobWorker::close);
        isOver.set(true);

        Seen seen = watching.get(20, SECONDS);
        assertThat(seen.mostLeased()).isBetween(1, MAX_RUNNING);
        assertThat(seen.looks()).isGreaterThan(10);
        assertThat(seen.longestIdle()).isLessThan(Duration.ofSeconds(10));
      } finally {
        isOver.set(true);
        nodes.forEach(JobNode::close);
      }
    }
  }

  /** Its leases end by themselves, and with them its slots are free. */
  private static void killOneThatHoldsSlots(JobFixture fixture, JobNode node) throws Exception {
    try (JobVictim victim = JobVictim.start(fixture, Manner.WAITS, Duration.ofSeconds(2), 4)) {
      QueueFaultTest.await(() -> node.count("inflight") >= 4);
      victim.kill();
    }
  }

  private static JobWorker worker(JobNode node) {
    return node.jobs
        .worker()
        .queue(QUEUE)
        .lease(Duration.ofSeconds(2))
        .poll(Duration.ofMillis(100))
        .action("t", String.class, (text, context) -> TestDatabase.query("SELECT pg_sleep(0.005)"))
        .start();
  }
}
