package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobError;
import io.holdfast.job.JobService;
import io.holdfast.job.NewJob;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job has to look like to be taken; what is refused leaves nothing behind. */
public abstract class JobValidationContract extends JobSuite {
  private static final NewJob.Import NEVER_TRIED = new NewJob.Import(0, "", null, null);

  private void refused(JobError error, NewJob job) {
    int before = stored();
    failing(error, () -> jobs.enqueue(job));
    failing(error, () -> now(jobs.enqueueAsync(List.of(draft("fine"), job))));
    assertThat(stored()).isEqualTo(before);
  }

  private void accepted(NewJob job) {
    assertThat(state(enqueue(job))).isNotNull();
  }

  private static NewJob tried(int attempts) {
    return draft().imported(new NewJob.Import(attempts, "", null, null));
  }

  @ParameterizedTest
  @Guarantee("J1")
  @ValueSource(strings = {"", " ", "\t\n", "\u2003", "\u00a0", "\u0085", "\u3000"})
  void a_blank_id_type_or_queue_is_rejected(String blank) {
    refused(JobError.JOB_ID_REQUIRED, draft().id(blank));
    refused(JobError.JOB_TYPE_REQUIRED, NewJob.of(blank).queue(QUEUE));
    refused(JobError.QUEUE_REQUIRED, draft().queue(blank));
  }

  @Test
  @Guarantee("J1")
  void white_space_around_an_id_type_or_queue_is_kept() {
    String id = enqueue(NewJob.of(" send ").queue(" mail ").id("\u2003id "));

    assertThat(id).isEqualTo("\u2003id ");
    assertThat(jobs.inspect(id).type()).isEqualTo(" send ");
    assertThat(jobs.inspect(id).queue()).isEqualTo(" mail ");
    assertThat(reserve(1)).isEmpty();
  }

  @Test
  @Guarantee("J2")
  void negative_numbers_are_rejected() {
    refused(JobError.NEGATIVE_TIMEOUT, draft().timeout(Duration.ofNanos(-1)));
    refused(JobError.NEGATIVE_ATTEMPTS, tried(-1));
    refused(JobError.NEGATIVE_MAX_ATTEMPTS, draft().maxAttempts(-1));
    refused(JobError.INVALID_ARGUMENT, draft().runIn(Duration.ofNanos(-1)));
  }

  @Test
  @Guarantee("J2")
  void attempts_above_their_maximum_are_rejected_unless_the_policy_decides() {
    refused(JobError.ATTEMPTS_EXCEED_MAX_ATTEMPTS, tried(4).maxAttempts(3));

    accepted(tried(3).maxAttempts(3));
    accepted(tried(4).maxAttempts(0));
  }

  @Test
  @Guarantee({"J1", "J2"})
  void mistakes_are_named_in_the_order_of_the_checks() {
    NewJob wrong =
        NewJob.of(" ")
            .id("")
            .queue("")
            .timeout(Duration.ofSeconds(-1))
            .maxAttempts(-1)
            .priority(101)
            .imported(new NewJob.Import(-1, "", null, null));

    refused(JobError.JOB_ID_REQUIRED, wrong);
    refused(JobError.JOB_TYPE_REQUIRED, wrong.id("x".repeat(256)));
    NewJob typed = with(wrong, NewJob.of("x".repeat(256)).id("id"));
    refused(JobError.QUEUE_REQUIRED, typed.queue(""));
    refused(JobError.NEGATIVE_TIMEOUT, typed);
    refused(JobError.NEGATIVE_ATTEMPTS, typed.timeout(Duration.ZERO));
    NewJob untried = typed.timeout(Duration.ZERO).imported(NEVER_TRIED);
    refused(JobError.NEGATIVE_MAX_ATTEMPTS, untried);
    NewJob.Import twice = new NewJob.Import(2, "", null, null);
    NewJob often = untried.maxAttempts(1).imported(twice);
    refused(JobError.ATTEMPTS_EXCEED_MAX_ATTEMPTS, often);
    refused(JobError.INVALID_ARGUMENT, often.maxAttempts(2).priority(0));
    NewJob numbered = with(often.maxAttempts(2), NewJob.of(TYPE));
    refused(JobError.INVALID_ARGUMENT, numbered);
    accepted(numbered.priority(100));
  }

  /** The numbers of one job on another. */
  private static NewJob with(NewJob numbers, NewJob job) {
    return job.queue(QUEUE)
        .timeout(numbers.timeout())
        .maxAttempts(numbers.maxAttempts())
        .priority(numbers.priority())
        .imported(numbers.imported());
  }

  @Test
  @Guarantee("J2")
  void numbers_are_taken_up_to_their_bounds() {
    refused(JobError.INVALID_ARGUMENT, draft().priority(101));
    refused(JobError.INVALID_ARGUMENT, draft().priority(-101));
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    refused(JobError.INVALID_ARGUMENT, draft().timeout(longest.plusNanos(1)));

    accepted(draft().priority(100));
    accepted(draft().priority(-100));
    String id = enqueue(draft().timeout(longest).maxAttempts(Integer.MAX_VALUE));
    assertThat(jobs.inspect(id).spec().timeout()).isEqualTo(longest);
    assertThat(jobs.inspect(id).spec().maxAttempts()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  @Guarantee("J2")
  void a_due_time_is_given_in_one_form_and_before_the_year_9999() {
    refused(JobError.INVALID_ARGUMENT, draft().runAt(instant()).runIn(Duration.ZERO));
    refused(JobError.INVALID_ARGUMENT, draft().runAt(Instant.parse("9999-01-01T00:00:00Z")));
    refused(JobError.INVALID_ARGUMENT, draft().runAt(Instant.MAX));
    refused(JobError.INVALID_ARGUMENT, draft().runIn(Duration.ofDays(8_000L * 366)));
    refused(JobError.INVALID_ARGUMENT, draft().runIn(Duration.ofSeconds(Long.MAX_VALUE)));

    Instant last = Instant.parse("9998-12-31T23:59:59.999999Z");
    assertThat(jobs.inspect(enqueue(draft().runAt(last))).spec().runAt()).isEqualTo(last);
  }

  @Test
  @Guarantee("J2")
  void a_call_takes_10_000_jobs_and_neither_none_nor_more() {
    failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(List.of()));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(Collections.nCopies(10_001, draft())));
    assertThat(stored()).isZero();

    assertThat(jobs.enqueue(Collections.nCopies(10_000, draft()))).hasSize(10_000);
    assertThat(count()).isEqualTo(10_000);
  }

  @Test
  @Guarantee("J2")
  void a_payload_beyond_the_limit_is_refused() {
    int limit = OPTIONS.maxPayload();
    refused(JobError.PAYLOAD_TOO_LARGE, draft().payload(new byte[limit + 1]));
    accepted(draft().payload(new byte[limit]));

    JobService small = over(subject.process(), OPTIONS.withMaxPayload(3));
    failing(JobError.PAYLOAD_TOO_LARGE, () -> small.enqueue(draft("four")));
    assertThat(small.enqueue(draft("two")).existed()).isFalse();
  }
}
