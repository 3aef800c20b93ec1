package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobError;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long jobs stay that have ended. */
public abstract class JobRetentionContract extends JobOperatorSuite {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @ParameterizedTest
  @EnumSource(names = {"DONE", "CANCELLED"})
  @Guarantee("J75")
  void finished_jobs_are_removed_a_day_after_their_end(JobState finished) {
    String id = in(finished, draft().once("key"));
    time.advance(Duration.ofHours(24).minusMillis(1));

    assertThat(retain()).isZero();
    assertThat(state(id)).isEqualTo(finished);

    time.advanceMs(1);
    assertThat(retain()).isEqualTo(1);
    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(id));
    assertThat(jobs.enqueue(draft().once("key")).existed()).isFalse();
  }

  @Test
  @Guarantee("J75")
  void dead_letters_are_removed_thirty_days_after_their_death() {
    String id = in(JobState.DLQ);
    time.advance(Duration.ofDays(30).minusMillis(1));

    assertThat(retain()).isZero();
    assertThat(state(id)).isEqualTo(JobState.DLQ);

    time.advanceMs(1);
    assertThat(retain()).isEqualTo(1);
    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(id));
  }

  @Test
  @Guarantee("J75")
  void jobs_that_have_not_ended_are_never_removed() {
    String inflight = in(JobState.INFLIGHT);
    String scheduled = enqueue(draft().runIn(Duration.ofDays(2_000)));
    String gated = enqueue(draft().limitedBy("key").runIn(Duration.ofDays(2_000)));
    String ready = in(JobState.READY);
    time.advance(Duration.ofDays(1_000));

    assertThat(retain()).isZero();

    assertThat(state(inflight)).isEqualTo(JobState.INFLIGHT);
    assertThat(state(scheduled)).isEqualTo(JobState.SCHEDULED);
    assertThat(state(gated)).isEqualTo(JobState.GATED);
    assertThat(state(ready)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J75")
  void a_queue_has_its_own_times() {
    configure(JobQueueConfig.of(QUEUE).keepDone(MINUTE).keepDead(MINUTE.multipliedBy(2)));
    String done = in(JobState.DONE);
    String dead = in(JobState.DLQ);
    String other = jobs.enqueue(draft().queue("other")).id();
    cancel(other);

    time.advance(MINUTE);
    assertThat(retain()).isEqualTo(1);
    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(done));
    assertThat(state(dead)).isEqualTo(JobState.DLQ);

    time.advance(MINUTE);
    assertThat(retain()).isEqualTo(1);
    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(dead));
    assertThat(state(other)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  @Guarantee("J75")
  void dead_letters_can_stay_for_ever() {
    configure(JobQueueConfig.of(QUEUE).keepDead(JobQueueConfig.FOR_EVER));
    assertThat(jobs.queues().get(QUEUE).settings().deadKeep()).isNull();
    String id = in(JobState.DLQ);
    time.advance(Duration.ofDays(3_000));

    assertThat(retain()).isZero();
    assertThat(state(id)).isEqualTo(JobState.DLQ);
  }

  @Test
  @Guarantee("J75")
  void success_deletes_a_job_that_is_not_to_be_kept() {
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    LeasedJob leased = leased(draft().once("key"));

    assertThat(settle(Settlement.Ack.of(leased.held())).isOk()).isTrue();

    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(leased.id()));
    assertThat(settle(Settlement.Ack.of(leased.held())).error())
        .isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(jobs.enqueue(draft().once("key")).existed()).isFalse();
  }

  @Test
  @Guarantee("J75")
  void with_nothing_to_be_kept_failures_stay_and_the_cancelled_go_with_the_next_round() {
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    String dead = in(JobState.DLQ);
    String cancelled = in(JobState.CANCELLED);
    assertThat(state(cancelled)).isEqualTo(JobState.CANCELLED);

    assertThat(retain()).isEqualTo(1);

    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(cancelled));
    assertThat(state(dead)).isEqualTo(JobState.DLQ);
  }

  @Test
  @Guarantee("J75")
  void a_requeued_job_is_counted_from_its_next_end() {
    String id = in(JobState.DLQ);
    time.advance(Duration.ofDays(29));
    requeue(id, Requeue.NOW);
    time.advance(Duration.ofDays(2));

    assertThat(retain()).isZero();
    jobs.ack(reserve().held());
    time.advance(Duration.ofHours(24).minusMillis(1));
    assertThat(retain()).isZero();
    time.advanceMs(1);
    assertThat(retain()).isEqualTo(1);
  }

  @Test
  @Guarantee("J75")
  void a_round_removes_all_that_is_old_and_nothing_else() {
    List<String> old = new ArrayList<>();
    jobs.enqueue(Collections.nCopies(2_300, draft())).forEach(one -> old.add(one.id()));
    for (int from = 0; from < old.size(); from += 1_000) {
      jobs.cancel(old.subList(from, Math.min(from + 1_000, old.size())));
    }
    time.advanceMs(1);
    String young = in(JobState.CANCELLED);
    time.advance(Duration.ofHours(24).minusMillis(1));

    assertThat(retain()).isEqualTo(2_300);

    assertThat(all(JobQuery.of(QUEUE))).containsExactly(young);
    assertThat(retain()).isZero();
  }

  @Test
  @Guarantee("J75")
  void processes_that_clean_up_at_once_remove_each_job_once() {
    jobs.cancel(enqueue(numbered(1_000)));
    time.advance(Duration.ofHours(24));

    List<Integer> removed = atOnce(3, i -> () -> process().runDuty(Jobs.DutyName.RETAIN));

    int all = removed.stream().mapToInt(Integer::intValue).sum() + retain();
    assertThat(all).isEqualTo(1_000);
    assertThat(count()).isZero();
  }

  @Test
  @Guarantee("J75")
  void old_jobs_are_removed_without_anybody_asking() {
    in(JobState.CANCELLED);
    time.advance(Duration.ofHours(24));

    for (int second = 0; second < 61; second++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(count()).isZero();
  }

  @Test
  @Guarantee("J75")
  void times_that_make_no_sense_are_refused_and_change_nothing() {
    Duration negative = Duration.ofMillis(-1);
    failing(
        JobError.INVALID_ARGUMENT,
        () -> jobs.queues().configure(JobQueueConfig.of(QUEUE).keepDone(negative)));
    failing(
        JobError.INVALID_ARGUMENT,
        () -> jobs.queues().configure(JobQueueConfig.of(QUEUE).keepDead(negative)));

    assertThat(jobs.queues().get(QUEUE).settings()).isEqualTo(JobQueueSettings.DEFAULTS);
    assertThat(jobs.queues().list()).isEmpty();
  }

  private int retain() {
    return jobs.runDuty(Jobs.DutyName.RETAIN);
  }
}
