package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Backoff;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.Unrecoverable;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobKeyContract;
import io.holdfast.testkit.job.JobLeaseContract;
import io.holdfast.testkit.job.JobSettleContract;
import io.holdfast.testkit.job.JobSubject;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Jobs through a PgBouncer in transaction mode: no statement may rely on the session it meets, and
 * no hint arrives, because nobody can listen there.
 */
@EnabledIf(
    value = "io.holdfast.postgres.PgBouncer#isInstalled",
    disabledReason = "pgbouncer is not installed")
@Timeout(120)
class PgBouncerJobContractTest {
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

  /** Each process reaches the database through the pooler only. */
  private record Pooled(JobTables tables, PostgresOptions options, List<PostgresStore> stores)
      implements JobSubject {
    static Pooled on(ManualTime time) {
      JobTables tables = JobSchemas.take();
      PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withJobTables(tables);
      return new Pooled(tables, options, new ArrayList<>());
    }

    @Override
    public synchronized JobBackend process() {
      PostgresStore store =
          new PostgresStore(
              Pools.open(ConnectionString.parse(pooler.url()), options.pool()), options);
      stores.add(store);
      return store.jobs();
    }

    @Override
    public synchronized void close() {
      stores.forEach(PostgresStore::close);
      JobSchemas.giveBack(tables);
    }
  }

  @Nested
  class Keys extends JobKeyContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return Pooled.on(time);
    }
  }

  @Nested
  class Leases extends JobLeaseContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return Pooled.on(time);
    }
  }

  @Nested
  class Settling extends JobSettleContract {
    @Override
    protected JobSubject subject(ManualTime time) {
      return Pooled.on(time);
    }
  }

  private static NewJob job(String id) {
    return NewJob.of("t").id(id).queue(QUEUE).payload(id);
  }

  private static JobWorker worker(Jobs jobs, Map<String, Integer> runs) {
    return jobs.worker()
        .queue(QUEUE)
        .lease(Duration.ofSeconds(10))
        .poll(Duration.ofMillis(50))
        .retry(RetryPolicy.DEFAULT.backoff(Backoff.none()))
        .action(
            "t",
            String.class,
            (id, context) -> {
              int times = runs.merge(id, 1, Integer::sum);
              if (id.startsWith("again") && times == 1) {
                throw new IllegalStateException("once");
              }
              if (id.startsWith("dead") && times == 1) {
                throw new Unrecoverable("given up");
              }
            })
        .start();
  }

  @Test
  @Guarantee({"JF14", "JP3"})
  void a_worker_without_hints_runs_everything_through_a_pooler() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    try (JobFixture fixture = JobFixture.real();
        JobNode node = new JobNode(fixture, pooler.url(), options -> options);
        JobNode elsewhere = new JobNode(fixture, pooler.url(), options -> options);
        JobWorker worker = worker(node.jobs, runs)) {
      elsewhere.jobs.queues().configure(JobQueueConfig.of(QUEUE).limit("k", 1));
      for (String kind : List.of("plain", "again", "dead")) {
        elsewhere.jobs.enqueue(IntStream.range(0, 5).mapToObj(i -> job(kind + i)).toList());
      }
      elsewhere.jobs.enqueue(
          IntStream.range(0, 5).mapToObj(i -> job("keyed" + i).limitedBy("k")).toList());
      elsewhere.jobs.enqueue(job("due").runIn(Duration.ofMillis(300)));
      inTransaction(elsewhere);
      NewJob recurring = NewJob.of("t").queue(QUEUE).payload("recurring");
      elsewhere.jobs.schedules().put(ScheduleSpec.of("s", "@every 1s", recurring));
      QueueFaultTest.await(() -> node.count("dlq") == 5 && runs.containsKey("recurring"));
      elsewhere.jobs.schedules().delete("s");

      List<String> dead =
          elsewhere.jobs.list(JobQuery.of(QUEUE).state(JobState.DLQ)).jobs().stream()
              .map(Job::id)
              .toList();
      assertThat(elsewhere.jobs.requeue(dead, Requeue.NOW)).allMatch(one -> one.error() == null);

      QueueFaultTest.await(() -> node.count("done") >= 23 && unfinished(fixture) == 0);
      assertThat(runs).containsEntry("again3", 2).containsEntry("dead1", 2);
      assertThat(runs)
          .containsEntry("keyed4", 1)
          .containsEntry("due", 1)
          .containsEntry("inside", 1);
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  private static int unfinished(JobFixture fixture) {
    return Integer.parseInt(
        String.valueOf(fixture.query("SELECT count(*) FROM {jobs} WHERE status <> 'done'")));
  }

  private static void inTransaction(JobNode node) throws Exception {
    try (Connection connection = pooler.connect()) {
      connection.setAutoCommit(false);
      Enqueued inside =
          node.holdfast.in(connection).jobs().enqueue(job("inside").once("i")).first();
      assertThat(inside).isEqualTo(new Enqueued("inside", false));
      connection.commit();
    }
  }
}
