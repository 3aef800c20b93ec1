package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a run tells about itself while it lasts. */
public abstract class JobProgressContract extends JobOperatorSuite {
  private static final byte[] CHECKPOINT = {0, -1, 'c'};

  @Test
  @Guarantee("J76")
  void progress_and_checkpoint_survive_a_retry() {
    LeasedJob leased = leased();
    report(leased, 40, "page 4", CHECKPOINT);

    jobs.retry(leased.held(), null, "it broke");

    told(jobs.inspect(leased.id()), 40, "page 4", CHECKPOINT);
    told(reserve().job(), 40, "page 4", CHECKPOINT);
  }

  @Test
  @Guarantee("J76")
  void progress_and_checkpoint_survive_a_lost_worker() {
    LeasedJob leased = leased();
    report(leased, 40, "page 4", CHECKPOINT);
    time.advance(LEASE);

    told(reserve().job(), 40, "page 4", CHECKPOINT);
  }

  @Test
  @Guarantee("J76")
  void progress_and_checkpoint_survive_release_death_and_return() {
    LeasedJob leased = leased();
    report(leased, 40, "page 4", CHECKPOINT);
    jobs.release(leased.held(), null);
    LeasedJob again = reserve();
    told(again.job(), 40, "page 4", CHECKPOINT);

    jobs.fail(again.held(), "broken");
    told(jobs.inspect(leased.id()), 40, "page 4", CHECKPOINT);
    requeue(leased.id(), Requeue.NOW);

    told(reserve().job(), 40, "page 4", CHECKPOINT);
  }

  @Test
  @Guarantee("J76")
  void what_a_report_leaves_out_stays() {
    LeasedJob leased = leased();
    report(leased, 10, "first", CHECKPOINT);

    report(leased, 20, null, null);
    told(jobs.inspect(leased.id()), 20, "first", CHECKPOINT);
    report(leased, null, "second", null);
    told(jobs.inspect(leased.id()), 20, "second", CHECKPOINT);
    report(leased, null, null, new byte[0]);
    told(jobs.inspect(leased.id()), 20, "second", new byte[0]);
    report(leased, 0, "", null);
    told(jobs.inspect(leased.id()), 0, "", new byte[0]);
  }

  @Test
  @Guarantee("J76")
  void a_report_changes_nothing_but_what_it_tells() {
    LeasedJob leased = leased();
    Job before = jobs.inspect(leased.id());
    time.advanceMs(1);

    assertThat(settle(new Settlement.Report(leased.held(), 100, "n", CHECKPOINT)))
        .isEqualTo(Settled.done(leased.id()));

    assertThat(jobs.inspect(leased.id()))
        .usingRecursiveComparison()
        .ignoringFields("progress")
        .isEqualTo(before);
  }

  @Test
  @Guarantee("J76")
  void a_checkpoint_does_not_follow_the_callers_array() {
    LeasedJob leased = leased();
    byte[] bytes = CHECKPOINT.clone();
    report(leased, null, null, bytes);

    Arrays.fill(bytes, (byte) 7);
    byte[] read = jobs.inspect(leased.id()).progress().checkpoint();
    assertThat(read).isEqualTo(CHECKPOINT);
    Arrays.fill(read, (byte) 7);

    assertThat(jobs.inspect(leased.id()).progress().checkpoint()).isEqualTo(CHECKPOINT);
  }

  @Test
  @Guarantee("J76")
  void the_largest_report_is_stored() {
    LeasedJob leased = leased();
    byte[] checkpoint = new byte[64 * 1024];
    String note = "ä".repeat(512);

    report(leased, 100, note, checkpoint);

    told(jobs.inspect(leased.id()), 100, note, checkpoint);
  }

  @Test
  @Guarantee("J76")
  void a_report_with_a_mistake_changes_nothing() {
    LeasedJob leased = leased();
    report(leased, 10, "note", CHECKPOINT);

    unchanged(
        leased.id(),
        () -> {
          refused(leased, -1, null, null);
          refused(leased, 101, null, null);
          refused(leased, null, "n".repeat(1_025), null);
          refused(leased, null, "a\0b", null);
          refused(leased, null, null, new byte[64 * 1024 + 1]);
        });
  }

  @Test
  @Guarantee("J76")
  void only_the_holder_reports() {
    LeasedJob leased = leased();
    report(leased, 10, "note", CHECKPOINT);

    unchanged(
        leased.id(),
        () ->
            assertThat(settle(new Settlement.Report(stranger(leased), 99, "lie", null)).error())
                .isEqualTo(JobError.LEASE_MISMATCH));
    time.advance(LEASE);
    unchanged(
        leased.id(),
        () ->
            assertThat(settle(new Settlement.Report(leased.held(), 99, "late", null)).error())
                .isEqualTo(JobError.LEASE_EXPIRED));
  }

  @Test
  @Guarantee("J76")
  void a_finished_job_still_tells_its_progress() {
    LeasedJob leased = leased();
    report(leased, 100, "all", CHECKPOINT);
    jobs.ack(leased.held());

    assertThat(state(leased.id())).isEqualTo(JobState.DONE);
    told(jobs.inspect(leased.id()), 100, "all", CHECKPOINT);
  }

  private void report(
      LeasedJob leased, @Nullable Integer percent, @Nullable String note, byte @Nullable [] bytes) {
    assertThat(settle(new Settlement.Report(leased.held(), percent, note, bytes)).isOk()).isTrue();
  }

  private void refused(
      LeasedJob leased, @Nullable Integer percent, @Nullable String note, byte @Nullable [] bytes) {
    failing(
        JobError.INVALID_ARGUMENT,
        () -> settle(new Settlement.Report(leased.held(), percent, note, bytes)));
  }

  private static void told(Job job, Integer percent, String note, byte[] checkpoint) {
    assertThat(job.progress().percent()).isEqualTo(percent);
    assertThat(job.progress().note()).isEqualTo(note);
    assertThat(job.progress().checkpoint()).isEqualTo(checkpoint);
  }
}
