package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.job;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.job.Backoff;
import io.holdfast.job.Enqueued;
import io.holdfast.job.JobContext;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.WorkerStats;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are enqueued, guarded and completed together with what a transaction writes. */
@Timeout(120)
@SuppressWarnings("try") // workers are there to work
class JobCompletionTest {
  private static final WorkerStats.Ended SUCCEEDED =
      new WorkerStats.Ended("t", WorkerStats.Outcome.SUCCEEDED);

  private JobFixture jobs;
  private JobNode node;

  @BeforeEach
  void open() {
    jobs = JobFixture.real();
    node = new JobNode(jobs);
    jobs.update("CREATE TABLE " + jobs.tables.ownSchema() + ".effects (id text NOT NULL)");
  }

  @AfterEach
  void close() {
    node.close();
    jobs.update("DROP TABLE " + jobs.tables.ownSchema() + ".effects");
    jobs.close();
  }

  private void write(Connection connection, String id) throws Exception {
    RaceFixture.run(
        connection, "INSERT INTO " + jobs.tables.ownSchema() + ".effects VALUES (?)", id);
  }

  private String effects() {
    return String.valueOf(
        jobs.query(
            "SELECT string_agg(id, ' ' ORDER BY id) FROM " + jobs.tables.ownSchema() + ".effects"));
  }

  private JobWorker.Builder worker(Duration lease) {
    return node.jobs
        .worker()
        .queue(QUEUE)
        .lease(lease)
        .poll(Duration.ofMillis(50))
        .retry(RetryPolicy.DEFAULT.backoff(Backoff.none()));
  }

  @Test
  @Guarantee("W25")
  void a_job_completed_in_the_handlers_transaction_needs_no_ack() throws Exception {
    jobs.enqueue("a", "b");
    try (JobWorker worker =
        worker(Duration.ofSeconds(30))
            .action(
                "t",
                String.class,
                (text, context) -> {
                  try (Connection connection = TestDatabase.begin()) {
                    write(connection, context.id());
                    context.completeIn(connection, "done by hand");
                    connection.commit();
                  }
                })
            .start()) {
      QueueFaultTest.await(() -> worker.stats().outcomes().getOrDefault(SUCCEEDED, 0L) == 2);

      assertThat(effects()).isEqualTo("a b");
      assertThat(jobs.column("a", "outcome || convert_from(output, 'UTF8') || deliveries"))
          .isEqualTo("succeededdone by hand1");
      assertThat(worker.stats().refusals()).isEmpty();
    }
    assertThat(node.operations).as("the completions are all").containsEntry("settle", 2);
    assertThat(node.operations).doesNotContainKey("settle and reserve");
  }

  @Test
  @Guarantee({"JP9", "W25"})
  void a_completion_that_is_rolled_back_never_happened() throws Exception {
    jobs.enqueue("a");
    AtomicInteger runs = new AtomicInteger();
    try (JobWorker worker =
        worker(Duration.ofSeconds(30))
            .action(
                "t",
                String.class,
                (text, context) -> {
                  try (Connection connection = TestDatabase.begin()) {
                    write(connection, context.id() + runs.incrementAndGet());
                    context.completeIn(connection, null);
                    if (runs.get() == 1) {
                      connection.rollback();
                    } else {
                      connection.commit();
                    }
                  }
                })
            .start()) {
      node.await("done", 1);

      assertThat(runs).hasValue(2);
      assertThat(effects()).isEqualTo("a2");
      assertThat(jobs.column("a", "attempts || last_error"))
          .isEqualTo("1handler error: completion rolled back");
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  /** Holds the row of one job while another runs beside it. */
  private final class Holder {
    final CompletableFuture<String> holding = new CompletableFuture<>();
    final CountDownLatch go = new CountDownLatch(1);
    final AtomicInteger runs = new AtomicInteger();
    final boolean isCommitting;

    Holder(boolean isCommitting) {
      this.isCommitting = isCommitting;
    }

    void run(String kind, JobContext context) throws Exception {
      if (kind.equals("beside")) {
        go.await();
        return;
      }
      try (Connection connection = TestDatabase.begin()) {
        write(connection, context.id() + runs.incrementAndGet());
        context.completeIn(connection, null);
        holding.complete(context.id());
        go.await();
        if (isCommitting || runs.get() > 1) {
          connection.commit();
        } else {
          connection.rollback();
        }
      }
    }
  }

  /** The row is held until long after its lease; the other lease is renewed meanwhile. */
  private void holdPastExpiry(Holder holder) throws Exception {
    holder.holding.get(20, SECONDS);
    QueueFaultTest.await(() -> node.count("inflight") == 2);
    String begun = jobs.column("beside", "lease_expires_at");
    String past = "lease_expires_at + interval '0.5 s' < clock_timestamp()";
    QueueFaultTest.await(() -> "t".equals(jobs.column("held", past)));

    assertThat(node.jobs.reserve(ReserveRequest.of(QUEUE, 10)).jobs()).isEmpty();
    assertThat(jobs.column("beside", "lease_expires_at > '" + begun + "'")).isEqualTo("t");
    assertThat(jobs.column("beside", "lease_expires_at > clock_timestamp()")).isEqualTo("t");
    holder.go.countDown();
    node.await("done", 2);
  }

  @Test
  @Guarantee("JF7")
  void a_transaction_that_completes_a_job_keeps_it_past_its_lease_and_its_commit_counts()
      throws Exception {
    jobs.enqueue(job("held").payload("held"), job("beside").payload("beside"));
    Holder holder = new Holder(true);
    try (JobWorker worker =
        worker(Duration.ofSeconds(2)).action("t", String.class, holder::run).start()) {
      holdPastExpiry(holder);

      QueueFaultTest.await(() -> worker.stats().outcomes().getOrDefault(SUCCEEDED, 0L) == 2);
      assertThat(worker.stats().outcomes()).containsOnlyKeys(SUCCEEDED);
    }
    assertThat(effects()).isEqualTo("held1");
    assertThat(jobs.column("held", "outcome || deliveries")).isEqualTo("succeeded1");
  }

  @Test
  @Guarantee("JF7")
  void a_transaction_that_rolls_back_after_the_lease_makes_its_job_run_again() throws Exception {
    jobs.enqueue(job("held").payload("held"), job("beside").payload("beside"));
    Holder holder = new Holder(false);
    try (JobWorker worker =
        worker(Duration.ofSeconds(2)).action("t", String.class, holder::run).start()) {
      holdPastExpiry(holder);
      assertThat(worker.stats().outcomes()).containsKey(SUCCEEDED);
    }
    assertThat(holder.runs).hasValue(2);
    assertThat(effects()).isEqualTo("held2");
    assertThat(jobs.column("held", "deliveries >= 2")).isEqualTo("t");
  }

  @Test
  @Guarantee({"JP11", "JF7"})
  void a_guarded_job_is_not_taken_over_until_the_transaction_ends() throws Exception {
    try (JobFixture manual = JobFixture.manual();
        PostgresHoldfast holdfast = holdfast(manual);
        Connection connection = TestDatabase.begin()) {
      manual.enqueue("a", "b");
      LeasedJob held = manual.reserve();
      holdfast.in(connection).jobs().guard(held.held());
      manual.advance(JobFixture.LEASE);

      assertThat(manual.reserve(10)).extracting(LeasedJob::id).containsExactly("b");
      connection.rollback();
      assertThat(manual.reserve(10)).extracting(LeasedJob::fence).containsExactly(2);

      JobException late =
          catchThrowableOfType(
              JobException.class, () -> holdfast.in(connection).jobs().guard(held.held()));
      assertThat(late.error()).isEqualTo(JobError.LEASE_MISMATCH);
    }
  }

  private static PostgresHoldfast holdfast(JobFixture fixture) {
    return PostgresHoldfast.open(
        TestDatabase.url(),
        PostgresOptions.DEFAULTS.withJobTables(fixture.tables).withTime(fixture.manual));
  }

  @Test
  @Guarantee("JP10")
  void a_lost_lease_fails_what_would_complete_the_job() throws Exception {
    try (JobFixture manual = JobFixture.manual();
        PostgresHoldfast holdfast = holdfast(manual);
        Connection connection = TestDatabase.begin()) {
      manual.enqueue("a");
      LeasedJob lost = manual.reserve();
      manual.advance(JobFixture.LEASE);

      assertThat(refusal(holdfast, connection, lost)).isEqualTo(JobError.LEASE_EXPIRED);
      LeasedJob next = manual.reserve();
      assertThat(refusal(holdfast, connection, lost)).isEqualTo(JobError.LEASE_MISMATCH);
      holdfast.in(connection).jobs().ack(next.held(), null);
      connection.commit();
      assertThat(refusal(holdfast, connection, lost)).isEqualTo(JobError.JOB_NOT_INFLIGHT);
      assertThat(manual.column("a", "outcome || deliveries")).isEqualTo("succeeded2");
    }
  }

  /** Why a completion is refused; what the transaction wrote goes with it. */
  private JobError refusal(PostgresHoldfast holdfast, Connection connection, LeasedJob job)
      throws Exception {
    write(connection, job.id());
    JobException refused =
        catchThrowableOfType(
            JobException.class, () -> holdfast.in(connection).jobs().ack(job.held(), null));
    connection.rollback();
    assertThat(effects()).isEqualTo("null");
    return refused.error();
  }

  private static NewJob keyed(String id) {
    return job(id).queue(QUEUE).once("k");
  }

  @Test
  @Guarantee({"JP8", "JF8"})
  void a_job_enqueued_in_a_transaction_that_is_rolled_back_never_existed() throws Exception {
    try (Connection connection = TestDatabase.begin()) {
      JobsInTransaction.Enqueue inside = node.holdfast.in(connection).jobs().enqueue(keyed("a"));
      assertThat(inside.first()).isEqualTo(new Enqueued("a", false));
      assertThat(node.jobs.reserve(ReserveRequest.of(QUEUE, 1)).jobs()).isEmpty();

      connection.rollback();
      inside.wake();

      assertThat(node.jobs.reserve(ReserveRequest.of(QUEUE, 1)).jobs()).isEmpty();
      assertThat(node.jobs.enqueue(keyed("b"))).isEqualTo(new Enqueued("b", false));
      assertThat(node.holdfast.in(connection).jobs().enqueue(keyed("c")).first())
          .isEqualTo(new Enqueued("b", true));
      connection.commit();
    }
  }

  @Test
  @Guarantee("JF8")
  void of_two_transactions_with_one_key_the_second_waits_for_the_first() throws Exception {
    assertThat(second(true)).isEqualTo(new Enqueued("a", true));
    jobs.update("DELETE FROM {jobs}");
    assertThat(second(false)).isEqualTo(new Enqueued("b", false));
    assertThat(jobs.query("SELECT string_agg(id, ' ') FROM {jobs}")).isEqualTo("b");
  }

  /** What the second of two transactions that enqueue one key hears. */
  private Enqueued second(boolean isFirstCommitting) throws Exception {
    try (Connection first = TestDatabase.begin();
        Connection second = TestDatabase.begin()) {
      RaceFixture.run(second, "SET LOCAL application_name = '" + node.name + "'");
      node.holdfast.in(first).jobs().enqueue(keyed("a"));
      CompletableFuture<Enqueued> waiting =
          QueueFaultTest.async(() -> node.holdfast.in(second).jobs().enqueue(keyed("b")).first());
      node.awaitBlocked();
      if (isFirstCommitting) {
        first.commit();
      } else {
        first.rollback();
      }
      Enqueued answer = waiting.get(20, SECONDS);
      second.commit();
      return answer;
    }
  }

  @Test
  @Guarantee("JF8")
  void a_key_that_a_repeatable_read_cannot_see_is_a_conflict_of_transactions() throws Exception {
    try (Connection connection = TestDatabase.begin()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      RaceFixture.run(connection, "SELECT count(*) FROM pg_class");
      node.jobs.enqueue(keyed("a"));

      JobException conflict =
          catchThrowableOfType(
              JobException.class, () -> node.holdfast.in(connection).jobs().enqueue(keyed("b")));

      assertThat(conflict.error()).isEqualTo(JobError.STORE_UNAVAILABLE);
      assertThat(conflict.isOutcomeUnknown()).isFalse();
    }
  }
}
