package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobService;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What is refused because jobs are closed, or because the caller is interrupted. */
public abstract class JobClosingContract extends JobSuite {
  @Test
  @Guarantee("J3")
  void arguments_are_checked_before_the_closed_state() {
    LeasedJob job = leased();
    JobService closed = process();
    closed.close();

    failing(JobError.JOB_TYPE_REQUIRED, () -> closed.enqueue(NewJob.of("")));
    failing(JobError.JOB_ID_REQUIRED, () -> now(closed.enqueueAsync(List.of(draft().id("")))));
    failing(
        JobError.INVALID_LEASE_DURATION, () -> closed.reserve(request(1).leaseFor(Duration.ZERO)));
    failing(JobError.INVALID_LIMIT, () -> closed.reserve(request(0)));
    failing(JobError.INVALID_ARGUMENT, () -> closed.settle(List.of()));
    failing(
        JobError.NEGATIVE_ATTEMPTS,
        () -> closed.settle(List.of(new Settlement.Fail(job.held(), null, null, -1))));
    failing(
        JobError.INVALID_LEASE_DURATION,
        () -> closed.extend(List.of(job.held()), Duration.ofNanos(999)));
  }

  @Test
  @Guarantee("J3")
  void arguments_of_operators_are_checked_before_the_closed_state() {
    JobService closed = process();
    closed.close();

    failing(JobError.JOB_ID_REQUIRED, () -> closed.cancel(List.of("")));
    failing(JobError.JOB_ID_REQUIRED, () -> closed.requeue(List.of(""), Requeue.NOW));
    failing(JobError.JOB_ID_REQUIRED, () -> closed.inspect(" "));
    failing(JobError.QUEUE_REQUIRED, () -> closed.list(JobQuery.of("")));
    failing(JobError.INVALID_CURSOR, () -> closed.list(JobQuery.of(QUEUE).after("?")));
    failing(JobError.QUEUE_REQUIRED, () -> closed.queues().pause(""));
    failing(JobError.INVALID_LIMIT, () -> closed.dead().purge(DeadQuery.of(QUEUE).limit(0)));
  }

  @ParameterizedTest
  @Guarantee("J4")
  @EnumSource
  void later_calls_report_closed_and_change_nothing(JobCall call) {
    LeasedJob job = leased();
    JobQueueInfo queue = jobs.queues().get(QUEUE);
    JobService closed = process();
    closed.close();

    unchanged(job.id(), () -> failing(JobError.STORE_CLOSED, () -> call.on(closed, job.held())));

    assertThat(stored()).isEqualTo(1);
    assertThat(jobs.queues().get(QUEUE)).isEqualTo(queue);
    assertThat(jobs.schedules().list()).isEmpty();
  }

  @Test
  @Guarantee("J4")
  void close_is_idempotent_and_closes_this_process_only() {
    JobService there = process();

    jobs.close();
    jobs.close();

    failing(JobError.STORE_CLOSED, () -> jobs.enqueue(draft()));
    there.enqueue(draft("a"));
    assertThat(texts(there.reserve(request(1)).jobs())).containsExactly("a");
    there.close();
    there.close();
  }

  @Test
  @Guarantee("J4")
  void a_lease_outlives_the_process_that_took_it() {
    LeasedJob job = leased();
    JobService there = process();

    jobs.close();

    assertThat(there.reserve(request(1)).jobs()).isEmpty();
    assertThat(there.ack(job.held()).isRepeated()).isFalse();
  }

  @ParameterizedTest
  @Guarantee("J5")
  @EnumSource(mode = Mode.MATCH_NONE, names = ".*_ASYNC")
  void an_interrupted_caller_changes_nothing_and_stays_interrupted(JobCall call) {
    LeasedJob job = leased();
    JobQueueInfo queue = jobs.queues().get(QUEUE);

    unchanged(job.id(), () -> interrupted(() -> call.on(jobs, job.held())));

    assertThat(stored()).isEqualTo(1);
    assertThat(jobs.queues().get(QUEUE)).isEqualTo(queue);
    assertThat(jobs.schedules().list()).isEmpty();
  }

  private static void interrupted(Runnable call) {
    Thread.currentThread().interrupt();
    try {
      failing(JobError.ABORTED, call::run);
    } finally {
      assertThat(Thread.interrupted()).as("the caller is still interrupted").isTrue();
    }
  }

  @Test
  @Guarantee("J5")
  void an_interrupt_is_noticed_before_anything_else() {
    JobService closed = process();
    closed.close();

    interrupted(() -> jobs.enqueue(NewJob.of("")));
    interrupted(() -> closed.enqueue(NewJob.of("")));
    interrupted(() -> jobs.reserve(request(0)));
    interrupted(() -> jobs.settle(List.of()));
    interrupted(() -> jobs.extend(List.of(), Duration.ZERO));
    interrupted(() -> jobs.inspect(""));
  }

  @Test
  @Guarantee("J5")
  void a_caller_that_was_interrupted_can_go_on() {
    interrupted(() -> jobs.enqueue(draft()));

    jobs.ack(leased().held());

    assertThat(stored()).isEqualTo(1);
  }
}
