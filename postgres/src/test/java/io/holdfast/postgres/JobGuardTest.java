package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.FaultyJobStore;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobWorkerSuite;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a worker watches runs whose jobs are held by a transaction of their handler's. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
class JobGuardTest extends JobWorkerSuite {
  private static final Duration BEAT = LEASE.dividedBy(3);

  private final CompletableFuture<@Nullable Object> end = new CompletableFuture<>();
  private @Nullable JobContext begun;
  private Connection connection;
  private JobWorker worker;
  private String id;

  @Override
  protected JobSubject subject(ManualTime time) {
    return new PostgresJobSubject(time);
  }

  @BeforeEach
  void beginRun() throws SQLException {
    connection = TestDatabase.begin();
    worker =
        worker()
            .async(
                TYPE,
                String.class,
                (text, context) -> {
                  begun = context;
                  return end;
                })
            .start();
    id = enqueue(draft("a"));
    run(worker);
  }

  @AfterEach
  void endRun() throws SQLException {
    end.complete(null);
    connection.rollback();
    connection.close();
  }

  private JobContext context() {
    return Objects.requireNonNull(begun, "it has not begun");
  }

  private void passBeats(int beats) {
    for (int i = 0; i < beats; i++) {
      pass(BEAT);
    }
  }

  @Test
  @Guarantee({"W5", "JP11"})
  void while_a_transaction_holds_its_job_a_run_is_not_lost() throws SQLException {
    context().guardIn(connection);

    passBeats(5);
    assertThat(reserve(1)).isEmpty();
    assertThat(context().endReason()).isEmpty();

    connection.commit();
    pass(BEAT);
    assertThat(context().endReason()).contains(EndReason.LEASE_LOST);
  }

  @Test
  @Guarantee("W5")
  void a_run_whose_guarding_transaction_has_ended_is_watched_again() throws SQLException {
    context().guardIn(connection);
    connection.commit();
    pass(BEAT);

    store.fail("beat", 1_000);
    passBeats(3);

    assertThat(context().endReason()).contains(EndReason.LEASE_LOST);
  }

  @Test
  @Guarantee("W5")
  void a_guard_that_failed_leaves_its_run_watched() throws SQLException {
    connection.close();
    assertThat(catchThrowable(() -> context().guardIn(connection))).isNotNull();
    store.fail("beat", 1_000);

    passBeats(3);

    assertThat(context().endReason()).contains(EndReason.LEASE_LOST);
    connection = TestDatabase.begin();
  }

  @Test
  @Guarantee({"W5", "JP10"})
  void a_guard_that_comes_too_late_ends_the_run() throws SQLException {
    time.advance(LEASE);
    LeasedJob taken = reserve();

    failing(JobError.LEASE_MISMATCH, () -> context().guardIn(connection));
    connection.rollback();

    assertThat(context().endReason()).contains(EndReason.LEASE_LOST);
    jobs.ack(taken.held());
  }

  @Test
  @Guarantee({"W25", "JP9"})
  void a_run_that_goes_on_after_its_completion_was_rolled_back_is_watched_again()
      throws SQLException {
    context().completeIn(connection, "never");
    connection.rollback();
    pass(BEAT);
    time.advance(LEASE);
    LeasedJob taken = reserve();

    duties();

    assertThat(context().endReason()).contains(EndReason.LEASE_LOST);
    jobs.ack(taken.held());
  }

  @Test
  @Guarantee("W25")
  void a_run_that_goes_on_after_its_completion_was_committed_is_left_in_peace()
      throws SQLException {
    context().completeIn(connection, "output");
    connection.commit();

    passBeats(10);
    assertThat(context().endReason()).isEmpty();
    int settled = store.count("settle");
    end.complete(null);
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).output()).asString().isEqualTo("output");
    assertThat(store.count("settle")).isEqualTo(settled);
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
  }

  @Test
  @Guarantee({"W25", "JP9"})
  void a_run_that_ends_well_although_its_completion_was_rolled_back_has_failed()
      throws SQLException {
    context().completeIn(connection, null);
    connection.rollback();
    pass(BEAT);

    end.complete("well");
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).lastError()).isEqualTo("handler error: completion rolled back");
  }

  @Test
  @Guarantee("W18")
  void a_stuck_run_is_given_up_when_its_transaction_has_ended() throws SQLException {
    end.complete(null);
    run(worker);
    CompletableFuture<@Nullable Object> never = new CompletableFuture<>();
    JobWorker limited =
        worker()
            .async(
                TYPE,
                String.class,
                (text, context) -> {
                  begun = context;
                  return never;
                })
            .timeout(TYPE, Duration.ofSeconds(1))
            .timeoutGrace(Duration.ofSeconds(1))
            .start();
    worker.close();
    String stuck = enqueue(draft("b"));
    run(limited);
    context().guardIn(connection);

    for (int i = 0; i < 9; i++) {
      pass(Duration.ofSeconds(1));
    }
    assertThat(limited.stats().stuck()).isZero();
    connection.commit();
    pass(Duration.ofSeconds(2));
    pass(Duration.ofSeconds(1));
    post();

    assertThat(limited.stats().stuck()).isEqualTo(1);
    assertThat(state(stuck)).isEqualTo(JobState.SCHEDULED);
    never.complete(null);
  }

  @Test
  @Guarantee("JP11")
  void a_job_that_stays_held_does_not_keep_idle_workers_busy() {
    context().guardIn(connection);
    time.advance(LEASE);
    FaultyJobStore other = faulty();
    home = openHome(other);
    recording().poll(Duration.ofSeconds(1)).start();

    for (int i = 0; i < 1_000; i++) {
      pass(Duration.ofMillis(10));
    }

    assertThat(other.count("reserve")).as("in ten seconds").isBetween(8, 40);
    assertThat(ran).isEmpty();
  }
}
