package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs that end without an end of the job: it is tried again, or goes back unharmed. */
public abstract class JobRetryContract extends JobSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private @Nullable Instant runAt(String id) {
    return jobs.inspect(id).spec().runAt();
  }

  @Test
  @Guarantee("J54")
  void retry_stores_attempts_error_and_times_to_the_microsecond() {
    LeasedJob job = leased();
    Instant runAt = instant().plusSeconds(7).plus(MICRO);
    Instant failedAt = instant().minusSeconds(3).plus(MICRO);

    Settled settled =
        settle(new Settlement.Retry(job.held(), runAt, null, "it broke", 7, failedAt));

    assertThat(settled).isEqualTo(Settled.done(job.id()));
    Job stored = jobs.inspect(job.id());
    assertThat(stored.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(stored.spec().runAt()).isEqualTo(runAt);
    assertThat(stored.lease()).isNull();
    assertThat(stored.history())
        .isEqualTo(new Job.History(7, "it broke", failedAt, 1, 0, null, Job.Dead.NEVER));
  }

  @Test
  @Guarantee("J54")
  void by_default_retry_counts_one_more_attempt_and_fails_now() {
    LeasedJob job = leased();
    for (int i = 1; i <= 3; i++) {
      time.advance(SECOND);
      jobs.retry(job.held(), null, "error " + i);

      assertThat(history(job.id()))
          .isEqualTo(new Job.History(i, "error " + i, instant(), i, 0, null, Job.Dead.NEVER));
      job = reserve();
      assertThat(job.job().history().attempts()).isEqualTo(i);
    }
  }

  @Test
  @Guarantee("J54")
  void the_store_does_not_ask_whether_a_retry_is_one_too_many() {
    LeasedJob job = leased(draft().maxAttempts(1));

    settle(new Settlement.Retry(job.held(), null, null, "e", 5, null));
    jobs.retry(reserve().held(), null, "e");

    assertThat(history(job.id()).attempts()).isEqualTo(6);
    assertThat(reserve(1)).hasSize(1);
  }

  @Test
  @Guarantee("J54")
  void attempts_may_be_set_back() {
    LeasedJob job = leased();
    jobs.retry(job.held(), null, "e");

    settle(new Settlement.Retry(reserve().held(), null, null, "", 0, null));

    assertThat(history(job.id()).attempts()).isZero();
    assertThat(history(job.id()).lastError()).isEmpty();
  }

  @Test
  @Guarantee({"J54", "J58", "JF20"})
  void attempts_are_counted_as_long_as_they_can_be() {
    int most = Integer.MAX_VALUE;
    LeasedJob job = leased(draft().imported(new NewJob.Import(most - 1, "", null, null)));

    jobs.retry(job.held(), null, "e");
    assertThat(history(job.id()).attempts()).isEqualTo(most);
    jobs.retry(reserve().held(), null, "e");
    assertThat(history(job.id()).attempts()).isEqualTo(most);
    jobs.fail(reserve().held(), "why");

    assertThat(history(job.id()).attempts()).isEqualTo(most);
    assertThat(history(job.id()).dead().attempts()).isEqualTo(most);
  }

  @Test
  @Guarantee("J55")
  void retry_without_a_due_time_is_immediate() {
    LeasedJob job = leased(draft().runAt(instant()));

    jobs.retry(job.held(), null, "e");

    assertThat(state(job.id())).isEqualTo(JobState.READY);
    assertThat(runAt(job.id())).isNull();
    LeasedJob again = reserve();
    assertThat(again.id()).isEqualTo(job.id());
    assertThat(again.token()).isNotEqualTo(job.token());
  }

  @Test
  @Guarantee("J56")
  void a_retried_job_waits_for_its_due_time() {
    LeasedJob job = leased();

    jobs.retry(job.held(), SECOND.plus(MICRO), "e");

    assertThat(runAt(job.id())).isEqualTo(instant().plus(SECOND).plus(MICRO));
    assertThat(state(job.id())).isEqualTo(JobState.SCHEDULED);
    time.advance(SECOND);
    assertThat(reserve(9)).isEmpty();
    time.advanceMs(1);
    assertThat(reserve().id()).isEqualTo(job.id());
  }

  @Test
  @Guarantee("J56")
  void a_retried_job_runs_exactly_when_it_is_due() {
    LeasedJob job = leased();
    settle(new Settlement.Retry(job.held(), instant().plus(SECOND), null, "e", null, null));
    time.advance(SECOND.minusMillis(1));
    assertThat(reserve(9)).isEmpty();

    time.advanceMs(1);

    assertThat(reserve().id()).isEqualTo(job.id());
  }

  @Test
  @Guarantee("J56")
  void a_retry_due_in_the_past_is_immediate() {
    LeasedJob job = leased();
    Instant past = instant().minusSeconds(5);

    settle(new Settlement.Retry(job.held(), past, null, "e", null, null));

    assertThat(runAt(job.id())).isEqualTo(past);
    assertThat(reserve().id()).isEqualTo(job.id());
  }

  @Test
  @Guarantee("J57")
  void an_immediate_retry_queues_behind_waiting_jobs() {
    enqueue("a", "b", "c");
    LeasedJob a = reserve();
    time.advance(SECOND);
    jobs.retry(a.held(), null, "e");
    time.advance(SECOND);
    enqueue("d");

    assertThat(texts(reserve(9))).containsExactly("b", "c", "a", "d");
  }

  @Test
  @Guarantee("J57")
  void an_immediate_retry_keeps_its_head_start() {
    enqueue(draft("urgent").priority(1));
    LeasedJob urgent = extended(reserve());
    enqueue("plain");
    time.advance(MINUTE.minusMillis(1));
    jobs.retry(urgent.held(), null, "e");
    urgent = extended(reserve());
    assertThat(text(urgent.job())).isEqualTo("urgent");
    time.advanceMs(2);
    jobs.retry(urgent.held(), null, "e");

    assertThat(texts(reserve(9))).containsExactly("plain", "urgent");
  }

  private LeasedJob extended(LeasedJob job) {
    extend(job.held(), MINUTE.multipliedBy(2));
    return job;
  }

  @Test
  @Guarantee({"J53", "J57", "JF4"})
  void a_repeated_retry_is_refused_and_changes_nothing() {
    LeasedJob job = leased();
    jobs.retry(job.held(), SECOND, "e");

    unchanged(
        job.id(),
        () -> failing(JobError.JOB_NOT_INFLIGHT, () -> jobs.retry(job.held(), SECOND, "e")));
  }

  @Test
  @Guarantee("J61")
  void release_returns_a_job_to_its_place() {
    enqueue("a", "b");
    LeasedJob a = reserve();
    time.advance(SECOND);
    enqueue("c");

    assertThat(jobs.release(a.held(), null)).isEqualTo(Settled.done(a.id()));

    assertThat(texts(reserve(9))).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("J61")
  void release_leaves_nothing_behind_but_an_excuse() {
    String id = enqueue(draft("a").runAt(instant()).priority(3));
    Job before = jobs.inspect(id);
    LeasedJob job = jobs.reserve(request(1).by("me")).jobs().get(0);

    jobs.release(job.held(), null);

    Job after = jobs.inspect(id);
    assertThat(after)
        .usingRecursiveComparison()
        .ignoringFields("history.deliveries", "history.excused")
        .isEqualTo(before);
    assertThat(after.history().deliveries()).isEqualTo(1);
    assertThat(after.history().excused()).isEqualTo(1);
  }

  @Test
  @Guarantee("J61")
  void a_released_due_job_keeps_its_due_time() {
    Instant due = instant().plus(SECOND);
    String id = enqueue(draft("due").runAt(due));
    time.advance(SECOND.multipliedBy(2));
    enqueue("newer");
    LeasedJob job = reserve();

    jobs.release(job.held(), null);

    assertThat(runAt(id)).isEqualTo(due);
    assertThat(texts(reserve(9))).containsExactly("due", "newer");
  }

  @Test
  @Guarantee("J61")
  void a_job_released_after_a_retry_returns_to_its_place_behind_others() {
    enqueue("a", "b");
    time.advanceMs(1);
    jobs.retry(reserve().held(), null, "e");
    List<LeasedJob> held = reserve(9);
    assertThat(texts(held)).containsExactly("b", "a");

    held.forEach(job -> jobs.release(job.held(), null));

    assertThat(texts(reserve(9))).containsExactly("b", "a");
    assertThat(history(held.get(1).id()).attempts()).isEqualTo(1);
    assertThat(history(held.get(1).id()).lastError()).isEqualTo("e");
  }

  @Test
  @Guarantee("J61")
  void release_with_a_delay_lets_a_job_wait() {
    LeasedJob job = leased();
    time.advance(SECOND);

    jobs.release(job.held(), SECOND.plus(MICRO));

    assertThat(state(job.id())).isEqualTo(JobState.SCHEDULED);
    assertThat(runAt(job.id())).isEqualTo(instant().plus(SECOND).plus(MICRO));
    time.advance(SECOND);
    assertThat(reserve(9)).isEmpty();
    time.advanceMs(1);
    LeasedJob again = reserve();
    assertThat(again.job().history().attempts()).isZero();
    assertThat(again.job().history().excused()).isEqualTo(1);
  }

  @Test
  @Guarantee({"J45", "J61"})
  void a_repeated_release_is_refused_and_changes_nothing() {
    LeasedJob job = leased();
    jobs.release(job.held(), null);

    unchanged(
        job.id(), () -> failing(JobError.JOB_NOT_INFLIGHT, () -> jobs.release(job.held(), null)));
  }
}
