package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.JobStore;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How queues are set up, and what is known of them. */
public abstract class JobQueueContract extends JobOperatorSuite {
  @Test
  void a_queue_that_nobody_configured_has_the_defaults() {
    assertThat(jobs.queues().get(QUEUE))
        .isEqualTo(new JobQueueInfo(QUEUE, null, JobQueueSettings.DEFAULTS, List.of()));
    assertThat(jobs.queues().list()).isEmpty();
  }

  @Test
  void what_a_change_leaves_out_stays() {
    jobs.queues()
        .configure(
            JobQueueConfig.of(QUEUE)
                .keepDone(Duration.ofMinutes(5))
                .keepDead(JobQueueConfig.FOR_EVER)
                .deliveryLimit(7)
                .defaultLimitKey(" key ")
                .limit("b", 2)
                .limit("*", 9)
                .limit("a", 1));

    JobQueueInfo changed =
        jobs.queues().configure(JobQueueConfig.of(QUEUE).deliveryLimit(8).limit("b", null));

    assertThat(changed.settings())
        .isEqualTo(new JobQueueSettings(Duration.ofMinutes(5), null, 8, "key"));
    assertThat(changed.limits())
        .containsExactly(new JobQueueConfig.KeyLimit("*", 9), new JobQueueConfig.KeyLimit("a", 1));
    assertThat(process().queues().get(QUEUE)).isEqualTo(changed);
    assertThat(jobs.queues().configure(JobQueueConfig.of(QUEUE).defaultLimitKey("")).settings())
        .isEqualTo(new JobQueueSettings(Duration.ofMinutes(5), null, 8, null));
  }

  @Test
  void a_change_with_a_mistake_changes_nothing() {
    failing(
        JobError.INVALID_ARGUMENT,
        () -> jobs.queues().configure(JobQueueConfig.of(QUEUE).deliveryLimit(0)));
    failing(JobError.QUEUE_REQUIRED, () -> jobs.queues().configure(JobQueueConfig.of(" ")));
    failing(JobError.QUEUE_REQUIRED, () -> jobs.queues().get(" "));
    failing(JobError.QUEUE_REQUIRED, () -> jobs.queues().stats(" "));
    failing(JobError.QUEUE_REQUIRED, () -> jobs.queues().pause(" "));

    assertThat(jobs.queues().list()).isEmpty();
  }

  @Test
  void queues_are_listed_that_are_set_up_or_have_jobs() {
    enqueue(draft().queue("b"));
    enqueue(draft().queue("B"));
    enqueue(draft().queue("b"));
    jobs.queues().configure(JobQueueConfig.of("c").deliveryLimit(3));
    jobs.queues().pause("a");

    assertThat(jobs.queues().list())
        .extracting(JobQueueInfo::queue)
        .containsExactly("B", "a", "b", "c");
  }

  @Test
  void a_pause_counts_from_the_first_time_it_was_asked_for() {
    Instant pausedAt = instant();
    jobs.queues().pause(QUEUE);
    time.advanceMs(1);
    jobs.queues().pause(QUEUE);
    assertThat(jobs.queues().get(QUEUE).pausedAt()).isEqualTo(pausedAt);

    jobs.queues().resume(QUEUE);
    jobs.queues().resume(QUEUE);
    jobs.queues().resume("nobody");

    assertThat(jobs.queues().get(QUEUE).pausedAt()).isNull();
  }

  @Test
  void a_queue_knows_how_many_jobs_it_has_in_which_state() {
    in(JobState.DONE);
    in(JobState.CANCELLED);
    in(JobState.DLQ);
    in(JobState.INFLIGHT);
    in(JobState.SCHEDULED);
    in(JobState.SCHEDULED);
    in(JobState.GATED);
    enqueue(draft().runIn(Duration.ofMillis(1)));
    in(JobState.READY);
    time.advanceMs(1);

    JobStats stats = jobs.queues().stats(QUEUE);

    assertThat(stats.queue()).isEqualTo(QUEUE);
    assertThat(stats.counts())
        .isEqualTo(
            Map.of(
                JobState.READY, JobStats.Count.of(2),
                JobState.SCHEDULED, JobStats.Count.of(2),
                JobState.GATED, JobStats.Count.of(1),
                JobState.INFLIGHT, JobStats.Count.of(1),
                JobState.DONE, JobStats.Count.of(2),
                JobState.DLQ, JobStats.Count.of(1)));
  }

  @Test
  void a_queue_without_jobs_has_figures_too() {
    JobStats stats = jobs.queues().stats(QUEUE);

    assertThat(stats.counts().values()).allMatch(count -> count.equals(JobStats.Count.of(0)));
    assertThat(stats.oldestReady()).isNull();
    assertThat(stats.oldestDead()).isNull();
    assertThat(stats.finishedLastMinute()).isEqualTo(JobStats.Count.of(0));
    assertThat(stats.diedLastMinute()).isEqualTo(JobStats.Count.of(0));
  }

  @Test
  void a_queue_knows_the_age_of_its_oldest_jobs() {
    String dead = in(JobState.DLQ);
    Instant diedAt = instant();
    time.advanceMs(1);
    in(JobState.DLQ);
    Instant created = instant();
    enqueue(draft());
    Instant due = instant().plusMillis(1);
    enqueue(draft().runAt(due));
    time.advanceMs(5);

    assertThat(jobs.queues().stats(QUEUE).oldestDead()).isEqualTo(diedAt);
    assertThat(jobs.queues().stats(QUEUE).oldestReady()).isEqualTo(created);
    reserve();
    assertThat(jobs.queues().stats(QUEUE).oldestReady()).isEqualTo(due);
    requeue(dead, Requeue.NOW);
    assertThat(jobs.queues().stats(QUEUE).oldestDead()).isEqualTo(diedAt.plusMillis(1));
  }

  @Test
  void a_queue_knows_what_ended_in_the_last_minute() {
    in(JobState.DONE);
    in(JobState.CANCELLED);
    in(JobState.DLQ);
    time.advanceMs(59_999);
    in(JobState.DONE);
    assertThat(jobs.queues().stats(QUEUE).finishedLastMinute()).isEqualTo(JobStats.Count.of(2));
    assertThat(jobs.queues().stats(QUEUE).diedLastMinute()).isEqualTo(JobStats.Count.of(1));

    time.advanceMs(1);

    assertThat(jobs.queues().stats(QUEUE).finishedLastMinute()).isEqualTo(JobStats.Count.of(1));
    assertThat(jobs.queues().stats(QUEUE).diedLastMinute()).isEqualTo(JobStats.Count.of(0));
  }

  @Test
  void workers_are_known_while_they_are_seen() {
    Instant first = instant();
    seen("b", 1);
    seen("a", 2);
    time.advanceMs(1);
    seen("b", 3);
    Instant second = instant();

    assertThat(jobs.queues().workers())
        .containsExactly(
            new WorkerInfo("a", "host", List.of(QUEUE), List.of(TYPE), 2, first, first),
            new WorkerInfo("b", "host", List.of(QUEUE), List.of(TYPE), 3, first, second));
  }

  @Test
  void workers_are_forgotten_that_have_not_been_seen_for_ten_minutes() {
    seen("a", 1);
    time.advanceMs(1);
    seen("b", 1);
    time.advance(Duration.ofMinutes(10));

    assertThat(jobs.runDuty(Jobs.DutyName.FORGET_WORKERS)).isEqualTo(1);
    assertThat(jobs.queues().workers()).extracting(WorkerInfo::id).containsExactly("b");
  }

  @Test
  void an_owner_is_shown_while_the_job_runs() {
    enqueue(draft());
    LeasedJob leased = jobs.reserve(request(1).by("worker-7")).jobs().get(0);

    assertThat(jobs.inspect(leased.id()).lease())
        .isEqualTo(
            new Job.Lease(leased.leaseExpiresAt(), "worker-7#" + leased.token().substring(0, 8)));
    jobs.release(leased.held(), null);
    assertThat(jobs.inspect(leased.id()).lease()).isNull();
  }

  private void seen(String id, int slots) {
    WorkerInfo worker =
        new WorkerInfo(id, "host", List.of(QUEUE), List.of(TYPE), slots, null, null);
    subject
        .process()
        .store()
        .beat(new JobStore.Heartbeat(worker, List.of(), LEASE), StoreCall.plain());
  }
}
