package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Enqueued;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs.DutyName;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Enqueueing what may exist once. */
public abstract class JobKeyContract extends JobSuite {
  private static final NewJob KEYED = draft("first").once("key");

  private void existed(String id, NewJob again) {
    unchanged(id, () -> assertThat(jobs.enqueue(again)).isEqualTo(new Enqueued(id, true)));
  }

  private void isNew(NewJob job) {
    assertThat(jobs.enqueue(job).existed()).isFalse();
  }

  @Test
  @Guarantee("J10")
  void a_key_enqueued_twice_answers_the_first_id_and_leaves_the_stored_job_alone() {
    String id = enqueue(KEYED);
    time.advanceMs(5);

    NewJob other =
        NewJob.of("other").queue(QUEUE).payload("second").runIn(LEASE).priority(9).once("key");
    existed(id, other);
    existed(id, other.id("other-id"));
    existed(id, other.limitedBy("limit").traced("trace").timeout(LEASE).maxAttempts(3));

    assertThat(stored()).isEqualTo(1);
    assertThat(texts(reserve(9))).containsExactly("first");
  }

  @Test
  @Guarantee("J10")
  void a_key_is_known_while_its_job_waits_for_its_due_time_or_runs() {
    String id = enqueue(KEYED.runIn(LEASE));
    existed(id, KEYED);
    assertThat(reserve(1)).isEmpty();

    time.advance(LEASE);
    LeasedJob leased = reserve();
    existed(id, KEYED);

    jobs.retry(leased.held(), LEASE, "again");
    existed(id, KEYED);
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  @Guarantee("J10")
  void a_job_with_a_known_key_is_checked_like_any_other() {
    String id = enqueue(KEYED);

    unchanged(
        id, () -> failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(KEYED.priority(1000))));
  }

  @Test
  @Guarantee("J11")
  void one_key_in_two_queues_makes_two_jobs() {
    String id = enqueue(KEYED);

    String other = enqueue(KEYED.queue("other"));

    assertThat(other).isNotEqualTo(id);
    existed(id, KEYED);
    existed(other, KEYED.queue("other"));
    assertThat(stored()).isEqualTo(2);
  }

  @ParameterizedTest
  @Guarantee("J12")
  @ValueSource(strings = {"", " ", "\t\n", "\u2003", "\u00a0"})
  void a_blank_key_never_dedupes(String blank) {
    String id = enqueue(draft().once(blank));
    isNew(draft().once(blank));
    jobs.enqueue(List.of(draft().once(blank), draft().once(blank)));

    assertThat(stored()).isEqualTo(4);
    assertThat(jobs.inspect(id).spec().keys().idempotency()).isNull();
  }

  @ParameterizedTest
  @Guarantee("J13")
  @ValueSource(strings = {" key", "key ", "\t key\n", "\u2003key\u2003", "\u00a0key"})
  void keys_are_compared_trimmed(String padded) {
    String id = enqueue(draft().once(padded));

    assertThat(jobs.inspect(id).spec().keys().idempotency()).isEqualTo("key");
    existed(id, KEYED);
    existed(id, draft().once("  key  "));
  }

  @Test
  @Guarantee("J13")
  void keys_are_told_apart_by_every_character_within() {
    for (String key :
        List.of("key", "Key", "k ey", "k  ey", "key%", "k_y", "ke\u0301y", "k\u00e9y")) {
      isNew(draft().once(key));
    }

    assertThat(stored()).isEqualTo(8);
  }

  @Test
  @Guarantee("J14")
  void same_id_with_same_key_is_existed() {
    String id = enqueue(KEYED.id("id-1"));

    existed(id, KEYED.id("id-1"));
    existed(id, draft("second").id("id-1").once(" key "));
    unchanged(
        id,
        () -> failing(JobError.DUPLICATE_JOB_ID, () -> jobs.enqueue(KEYED.id("id-1").once("k"))));
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  @Guarantee({"J10", "J14"})
  void a_known_key_wins_over_a_taken_id() {
    String id = enqueue(KEYED);
    String other = enqueue(draft("other"));

    existed(id, KEYED.id(other));

    assertThat(text(jobs.inspect(other))).isEqualTo("other");
  }

  @Test
  @Guarantee("J17")
  void equal_keys_in_a_batch_share_one_job() {
    List<Enqueued> enqueued =
        jobs.enqueue(
            List.of(
                draft("a").once("k").id("id-a"),
                draft("b"),
                draft("c").once(" k "),
                draft("d").once("k").id("id-d"),
                draft("e").once("k").queue("other"),
                draft("f").once("k").id("id-a")));

    assertThat(enqueued)
        .extracting(Enqueued::existed)
        .containsExactly(false, false, true, true, false, true);
    assertThat(enqueued)
        .extracting(Enqueued::id)
        .startsWith("id-a")
        .containsSubsequence("id-a", "id-a", "id-a", "id-a");
    assertThat(enqueued.get(4).id()).isNotEqualTo("id-a");
    assertThat(texts(reserve(9))).containsExactly("a", "b");
    assertThat(stored()).isEqualTo(3);
  }

  @Test
  @Guarantee({"J10", "J17"})
  void a_batch_of_known_and_new_keys_stores_the_new_ones() {
    String id = enqueue(KEYED);

    List<Enqueued> enqueued =
        jobs.enqueue(List.of(draft("n1").once("n1"), KEYED, draft("n2"), KEYED.payload("x")));

    assertThat(enqueued).extracting(Enqueued::existed).containsExactly(false, true, false, true);
    assertThat(enqueued.get(1).id()).isEqualTo(id);
    assertThat(enqueued.get(3).id()).isEqualTo(id);
    assertThat(texts(reserve(9))).containsExactlyInAnyOrder("first", "n1", "n2");
  }

  @Test
  @Guarantee("J17")
  void a_job_that_was_not_stored_for_its_key_leaves_its_id_free() {
    jobs.enqueue(List.of(draft().once("k"), draft().once("k").id("id-1")));

    isNew(draft().id("id-1"));
  }

  @Test
  @Guarantee({"J9", "J15"})
  void two_jobs_of_a_batch_with_one_id_are_refused_even_if_the_key_of_one_is_known() {
    String id = enqueue(KEYED);
    List<NewJob> batch = List.of(KEYED.id("id-1"), draft().id("id-1"));

    unchanged(id, () -> failing(JobError.DUPLICATE_JOB_ID, () -> jobs.enqueue(batch)));

    assertThat(stored()).isEqualTo(1);
  }

  @Test
  @Guarantee("J18")
  void a_finished_job_still_holds_its_key() {
    String done = enqueue(draft().once("done"));
    jobs.ack(reserve().held());
    String dead = enqueue(draft().once("dead"));
    jobs.fail(reserve().held(), "why");
    String cancelled = enqueue(draft().once("cancelled"));
    assertThat(jobs.cancel(List.of(cancelled)).get(0).result())
        .isEqualTo(Cancelled.Result.CANCELLED);

    existed(done, draft().once("done"));
    existed(dead, draft().once("dead"));
    existed(cancelled, draft().once("cancelled"));
    assertThat(reserve(9)).isEmpty();
    assertThat(List.of(state(done), state(dead), state(cancelled)))
        .containsExactly(JobState.DONE, JobState.DLQ, JobState.CANCELLED);
  }

  @Test
  @Guarantee("J19")
  void retention_frees_the_key_of_a_finished_job_exactly_when_its_time_is_over() {
    String id = enqueue(KEYED);
    jobs.ack(reserve().held());
    time.advance(Duration.ofHours(24).minusMillis(1));
    assertThat(jobs.runDuty(DutyName.RETAIN)).isZero();
    existed(id, KEYED);

    time.advanceMs(1);
    assertThat(jobs.runDuty(DutyName.RETAIN)).isEqualTo(1);

    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(id));
    isNew(KEYED.id(id));
  }

  @Test
  @Guarantee("J19")
  void retention_frees_the_key_of_a_dead_job_exactly_when_its_time_is_over() {
    String id = enqueue(KEYED);
    jobs.fail(reserve().held(), "why");
    time.advance(Duration.ofDays(30).minusMillis(1));
    assertThat(jobs.runDuty(DutyName.RETAIN)).isZero();
    existed(id, KEYED);

    time.advanceMs(1);
    assertThat(jobs.runDuty(DutyName.RETAIN)).isEqualTo(1);

    isNew(KEYED.id(id));
  }

  @Test
  @Guarantee("J19")
  void retention_runs_by_itself() {
    enqueue(KEYED);
    jobs.ack(reserve().held());

    time.advance(Duration.ofHours(24));
    for (int second = 0; second <= 60; second++) {
      pass(Duration.ofSeconds(1));
    }

    isNew(KEYED);
  }

  @Test
  @Guarantee({"J19", "J47"})
  void where_success_deletes_it_frees_the_key() {
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    String id = enqueue(KEYED);
    existed(id, KEYED);

    jobs.ack(reserve().held());

    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(id));
    isNew(KEYED.id(id));
  }
}
