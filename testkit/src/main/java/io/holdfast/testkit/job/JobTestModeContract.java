package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.NewJob;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The modes for users' own tests. */
public abstract class JobTestModeContract extends JobSuite {
  private final List<String> ran = new ArrayList<>();

  private void recording(JobWorker.Builder worker) {
    worker.queue(QUEUE).action(TYPE, String.class, (text, context) -> ran.add(text));
  }

  private void failing(JobWorker.Builder worker) {
    worker
        .queue(QUEUE)
        .action(
            TYPE,
            String.class,
            (text, context) -> {
              ran.add(text + context.attempt());
              throw new IllegalStateException("no");
            });
  }

  @Test
  @Guarantee("W28")
  void inline_a_job_has_run_when_enqueue_returns() {
    try (JobsTest test = JobsTest.inline(jobs, time).worker(this::recording)) {
      String id = test.jobs().enqueue(draft("a")).id();

      assertThat(ran).containsExactly("a");
      assertThat(test.jobs().inspect(id).state()).isEqualTo(JobState.DONE);
    }
  }

  @Test
  @Guarantee("W28")
  void inline_retries_happen_in_virtual_time() {
    try (JobsTest test = JobsTest.inline(jobs, time).worker(this::failing)) {
      String id = test.jobs().enqueue(draft("a").maxAttempts(4)).id();

      assertThat(ran).containsExactly("a1", "a2", "a3", "a4");
      assertThat(test.jobs().inspect(id).state()).isEqualTo(JobState.DLQ);
    }
  }

  @Test
  @Guarantee("W28")
  void inline_a_job_that_a_handler_enqueues_runs_after_it() {
    try (JobsTest test = JobsTest.inline(jobs, time)) {
      test.worker(
          worker ->
              worker
                  .queue(QUEUE)
                  .action(
                      "parent",
                      String.class,
                      (text, context) -> {
                        context.enqueue(draft("child"));
                        ran.add("parent");
                      })
                  .action(TYPE, String.class, (text, context) -> ran.add(text)));

      test.jobs().enqueue(NewJob.of("parent").queue(QUEUE));

      assertThat(ran).containsExactly("parent", "child");
    }
  }

  @Test
  @Guarantee("W28")
  void inline_a_scheduled_job_waits_for_the_clock() {
    try (JobsTest test = JobsTest.inline(jobs, time).worker(this::recording)) {
      test.jobs().enqueue(draft("later").runIn(Duration.ofMinutes(5)));
      assertThat(ran).isEmpty();

      test.advance(Duration.ofMinutes(5));

      assertThat(ran).containsExactly("later");
    }
  }

  @Test
  @Guarantee("W29")
  void manual_jobs_run_one_by_one() {
    try (JobsTest test = JobsTest.manual(jobs, time).worker(this::recording)) {
      test.jobs().enqueue(List.of(draft("a"), draft("b"), draft("c")));
      assertThat(ran).isEmpty();

      assertThat(test.runNext()).isTrue();
      assertThat(ran).containsExactly("a");

      assertThat(test.drain()).isEqualTo(2);
      assertThat(ran).containsExactly("a", "b", "c");
      assertThat(test.runNext()).isFalse();
    }
  }

  @Test
  @Guarantee("W29")
  void manual_time_brings_schedules_retries_and_due_jobs_in_order() {
    try (JobsTest test = JobsTest.manual(jobs, time).worker(this::recording)) {
      test.jobs().schedules().put(ScheduleSpec.of("s", "@every 20s", draft("slot")));
      test.jobs().enqueue(draft("due").runIn(Duration.ofSeconds(30)));

      test.advance(Duration.ofSeconds(45));

      assertThat(ran).containsExactly("slot", "due", "slot");
    }
  }

  @Test
  @Guarantee("W29")
  void manual_a_crash_after_the_handler_brings_the_job_again() {
    try (JobsTest test = JobsTest.manual(jobs, time).worker(this::recording)) {
      String id = test.jobs().enqueue(draft("a")).id();
      test.crashAfterHandler();

      test.runNext();
      assertThat(test.jobs().inspect(id).state()).isEqualTo(JobState.INFLIGHT);
      test.drain();

      assertThat(ran).containsExactly("a", "a");
      Job job = test.jobs().inspect(id);
      assertThat(job.state()).isEqualTo(JobState.DONE);
      assertThat(job.history().deliveries()).isEqualTo(2);
    }
  }

  @Test
  @Guarantee("W29")
  void manual_a_lost_lease_discards_the_run() {
    try (JobsTest test = JobsTest.manual(jobs, time)) {
      List<Boolean> asked = new ArrayList<>();
      test.worker(
          worker ->
              worker
                  .queue(QUEUE)
                  .action(
                      TYPE,
                      String.class,
                      (text, context) -> asked.add(context.cancellation().isCancelled())));
      String id = test.jobs().enqueue(draft("a")).id();
      test.loseLease();

      test.runNext();
      assertThat(test.jobs().inspect(id).state()).isEqualTo(JobState.INFLIGHT);
      test.drain();

      assertThat(asked).containsExactly(true, false);
      assertThat(test.jobs().inspect(id).state()).isEqualTo(JobState.DONE);
    }
  }

  @Test
  @Guarantee("W29")
  void what_was_enqueued_can_be_asserted_and_refuted() {
    try (JobsTest test = JobsTest.manual(jobs, time).worker(this::recording)) {
      test.jobs().enqueue(draft("a"));

      test.assertEnqueued(TYPE, job -> text(job).equals("a"));
      test.refuteEnqueued(TYPE, job -> text(job).equals("b"));
      assertThatThrownBy(() -> test.assertEnqueued("other", job -> true))
          .isInstanceOf(AssertionError.class);
      assertThatThrownBy(() -> test.refuteEnqueued(TYPE, job -> true))
          .isInstanceOf(AssertionError.class);
    }
  }
}
