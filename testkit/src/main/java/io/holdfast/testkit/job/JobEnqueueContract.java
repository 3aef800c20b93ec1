package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobService;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of a job that is enqueued, and of many at once. */
public abstract class JobEnqueueContract extends JobSuite {
  private static final byte[] BYTES = {0, 1, -1, 127, -128, '\'', '"', '\\', 0};

  @Test
  @Guarantee("J6")
  void a_new_job_is_reservable_at_once_with_the_same_bytes_and_fields() {
    NewJob draft =
        draft()
            .id("id-1")
            .payload(BYTES)
            .timeout(Duration.ofNanos(1_234_567_891))
            .maxAttempts(7)
            .priority(-3)
            .once("key")
            .traced("trace");

    assertThat(jobs.enqueue(draft)).isEqualTo(new Enqueued("id-1", false));

    Job job = reserve().job();
    assertThat(job.id()).isEqualTo("id-1");
    JobSpec.Keys keys = new JobSpec.Keys("key", null, "trace");
    assertThat(job.spec())
        .usingRecursiveComparison()
        .isEqualTo(
            new JobSpec(TYPE, QUEUE, BYTES, null, Duration.ofNanos(1_234_567_891), 7, -3, keys));
    assertThat(job.createdAt()).isEqualTo(instant());
  }

  @Test
  @Guarantee("J6")
  void a_new_job_has_no_past() {
    String id = enqueue(draft());

    Job job = jobs.inspect(id);

    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.history()).isEqualTo(new Job.History(0, "", null, 0, 0, null, Job.Dead.NEVER));
    assertThat(job.progress()).isEqualTo(Job.Progress.NONE);
    assertThat(job.lease()).isNull();
    assertThat(job.isCancelRequested()).isFalse();
    assertThat(job.spec().keys()).isEqualTo(JobSpec.NO_KEYS);
    assertThat(job.spec().timeout()).isZero();
    assertThat(job.spec().maxAttempts()).isZero();
    assertThat(job.spec().priority()).isZero();
  }

  @Test
  @Guarantee("J6")
  void what_is_leased_is_what_is_stored() {
    LeasedJob leased = leased(draft("a").once("key").traced("trace").priority(2));

    same(leased.job(), jobs.inspect(leased.id()));
  }

  @Test
  @Guarantee("J6")
  void a_job_can_bring_its_past_along() {
    Instant failedAt = instant().minusSeconds(60);
    Instant createdAt = instant().minusSeconds(3600);
    NewJob.Import past = new NewJob.Import(3, "it broke", failedAt, createdAt);

    Job job = jobs.inspect(enqueue(draft().imported(past)));

    assertThat(job.createdAt()).isEqualTo(createdAt);
    assertThat(job.history())
        .isEqualTo(new Job.History(3, "it broke", failedAt, 0, 0, null, Job.Dead.NEVER));
  }

  @Test
  @Guarantee("J6")
  void a_job_without_a_queue_goes_to_the_default_one() {
    JobService there = over(subject.process(), OPTIONS.withDefaultQueue(QUEUE));

    String here = jobs.enqueue(NewJob.of(TYPE)).id();
    String elsewhere = there.enqueue(NewJob.of(TYPE)).id();

    assertThat(jobs.inspect(here).queue()).isEqualTo("default");
    assertThat(jobs.inspect(elsewhere).queue()).isEqualTo(QUEUE);
  }

  @Test
  @Guarantee("J6")
  void ids_that_are_made_rise() {
    List<String> ids = new ArrayList<>(enqueue(numbered(100)));
    ids.add(enqueue(draft()));
    time.advance(Duration.ofSeconds(1));
    ids.add(enqueue(draft()));

    assertThat(ids).isSorted().doesNotHaveDuplicates();
    assertThat(ids).allMatch(id -> id.matches("[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}"));
  }

  @Test
  @Guarantee("J7")
  void a_null_payload_comes_back_empty() {
    byte[] nothing = null;

    LeasedJob job = leased(draft().payload(nothing));

    assertThat(job.job().spec().payload()).isEmpty();
    assertThat(jobs.inspect(job.id()).spec().payload()).isEmpty();
  }

  @Test
  @Guarantee("J6")
  void a_payload_is_shown_on_request() {
    String id = enqueue("a").get(0);

    assertThat(text(jobs.inspect(id, true))).isEqualTo("a");
    assertThat(text(jobs.inspect(id, false))).isEmpty();
  }

  @Test
  @Guarantee("J8")
  void a_stored_payload_does_not_follow_the_callers_array() {
    byte[] bytes = "before".getBytes(StandardCharsets.UTF_8);
    NewJob draft = draft().payload(bytes);
    bytes[0] = 'B';
    String id = enqueue(draft);
    bytes[1] = 'E';
    draft.payload()[2] = 'F';

    assertThat(text(jobs.inspect(id))).isEqualTo("before");
    assertThat(texts(reserve(1))).containsExactly("before");
  }

  @Test
  @Guarantee("J8")
  void a_stored_payload_does_not_follow_what_was_read() {
    String id = enqueue("before").get(0);

    jobs.inspect(id).spec().payload()[0] = 'B';
    LeasedJob leased = reserve();
    assertThat(text(leased.job())).isEqualTo("before");
    leased.job().spec().payload()[0] = 'B';

    assertThat(text(jobs.inspect(id))).isEqualTo("before");
    jobs.release(leased.held(), null);
    assertThat(texts(reserve(1))).containsExactly("before");
  }

  @Test
  @Guarantee("J9")
  void a_duplicate_id_is_a_typed_error_and_changes_nothing() {
    String id = enqueue(draft("first").id("id-1"));

    for (NewJob again :
        List.of(
            draft("second").id(id),
            draft().id(id).once("key"),
            draft().id(id).queue("other"),
            NewJob.of("other").id(id).runAt(instant().plusSeconds(9)))) {
      unchanged(id, () -> duplicate(id, List.of(again)));
    }

    assertThat(stored()).isEqualTo(1);
    assertThat(texts(reserve(9))).containsExactly("first");
  }

  private void duplicate(String id, List<NewJob> batch) {
    JobException refusal = failing(JobError.DUPLICATE_JOB_ID, () -> jobs.enqueue(batch));
    assertThat(refusal.id()).isEqualTo(id);
    assertThat(refusal.isOutcomeUnknown()).isFalse();
  }

  @Test
  @Guarantee("J9")
  void an_id_stays_taken_whatever_became_of_its_job() {
    String leased = leased(draft().id("leased")).id();
    String done = done().id();
    String dead = dead("why").id();

    for (String id : List.of(leased, done, dead)) {
      unchanged(id, () -> duplicate(id, List.of(draft().id(id))));
    }
  }

  @Test
  @Guarantee({"J9", "J15"})
  void a_batch_with_a_duplicate_id_stores_nothing() {
    String id = enqueue(draft("first").id("id-1"));

    duplicate(id, List.of(draft(), draft().id(id), draft().once("key")));
    duplicate("id-2", List.of(draft(), draft().id("id-2"), draft().id("id-2").once("key")));
    duplicate("id-2", List.of(draft().id("id-2").once("k1"), draft().id("id-2").once("k2")));

    assertThat(stored()).isEqualTo(1);
    assertThat(jobs.enqueue(draft().once("key")).existed()).isFalse();
  }

  @Test
  @Guarantee("J15")
  void a_batch_with_one_mistake_stores_nothing() {
    for (int place = 0; place < 3; place++) {
      List<NewJob> batch = new ArrayList<>(List.of(draft(), draft()));
      batch.add(place, draft().priority(1000));

      failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(batch));
      failing(JobError.INVALID_ARGUMENT, () -> now(jobs.enqueueAsync(batch)));
    }

    assertThat(stored()).isZero();
  }

  @Test
  @Guarantee("J15")
  void of_two_mistakes_the_first_job_is_named() {
    List<NewJob> batch = List.of(draft(), draft().priority(1000), draft().id(""));

    failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(batch));
  }

  @Test
  @Guarantee("J16")
  void a_batch_keeps_its_order() {
    List<NewJob> batch =
        IntStream.range(0, 100).mapToObj(i -> draft("j" + i).id("id-" + (900 - i))).toList();

    List<Enqueued> enqueued = jobs.enqueue(batch);

    assertThat(enqueued)
        .extracting(Enqueued::id)
        .isEqualTo(batch.stream().map(NewJob::id).toList());
    List<LeasedJob> got = reserve(1000);
    assertThat(texts(got)).isEqualTo(IntStream.range(0, 100).mapToObj(i -> "j" + i).toList());
    assertThat(got)
        .extracting(leased -> Duration.between(instant(), leased.job().createdAt()))
        .isEqualTo(IntStream.range(0, 100).mapToObj(MICRO::multipliedBy).toList());
  }

  @Test
  @Guarantee("J16")
  void later_batches_come_after_earlier_ones() {
    enqueue("a1", "a2");
    time.advanceMs(1);
    enqueue("b1", "b2");
    time.advanceMs(1);
    now(jobs.enqueueAsync(List.of(draft("c1"), draft("c2"))));

    assertThat(texts(reserve(3))).containsExactly("a1", "a2", "b1");
    assertThat(texts(reserve(9))).containsExactly("b2", "c1", "c2");
  }
}
