package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that are given up, and the texts that tell why. */
public abstract class JobFailContract extends JobSuite {
  private static final int ERROR_BYTES = 8 << 10;
  private static final String EMOJI = "\ud83d\ude00";
  private static final String REPLACED = "\ufffd";

  private Job.History failed(@Nullable String reason, @Nullable String error) {
    LeasedJob job = leased();
    settle(new Settlement.Fail(job.held(), reason, error, null));
    return history(job.id());
  }

  private String retried(String error) {
    LeasedJob job = leased();
    jobs.retry(job.held(), LEASE, error);
    return history(job.id()).lastError();
  }

  @Test
  @Guarantee("J58")
  void fail_records_attempts_error_reason_and_time() {
    LeasedJob job = leased();
    time.advance(Duration.ofSeconds(3));

    Settled settled = settle(new Settlement.Fail(job.held(), "too often", "it broke", 7));

    assertThat(settled).isEqualTo(Settled.done(job.id()));
    Job dead = jobs.inspect(job.id());
    assertThat(dead.state()).isEqualTo(JobState.DLQ);
    assertThat(dead.lease()).isNull();
    assertThat(dead.history())
        .isEqualTo(
            new Job.History(
                7,
                "it broke",
                instant(),
                1,
                0,
                new Job.End(Job.Outcome.FAILED, instant(), null),
                new Job.Dead("too often", instant(), 7, 1)));
  }

  @Test
  @Guarantee("J58")
  void by_default_fail_counts_one_more_attempt_and_the_reason_is_the_error() {
    LeasedJob job = leased();
    jobs.retry(job.held(), null, "first");
    jobs.fail(reserve().held(), "second");

    Job.History history = history(job.id());
    assertThat(history.attempts()).isEqualTo(2);
    assertThat(history.lastError()).isEqualTo("second");
    assertThat(history.dead()).isEqualTo(new Job.Dead("second", instant(), 2, 1));
  }

  @Test
  @Guarantee("J58")
  void a_dead_job_keeps_what_it_was_enqueued_with() {
    String id = enqueue(draft("a").runAt(instant()).once("key").traced("trace").priority(4));
    Job before = jobs.inspect(id);

    jobs.fail(reserve().held(), "why");

    Job after = jobs.inspect(id);
    assertThat(after.spec()).usingRecursiveComparison().isEqualTo(before.spec());
    assertThat(after.createdAt()).isEqualTo(before.createdAt());
  }

  @ParameterizedTest
  @Guarantee("J59")
  @NullSource
  @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
  void a_blank_reason_becomes_failed(@Nullable String blank) {
    Job.History defaulted = failed(blank, null);
    assertThat(defaulted.dead().reason()).isEqualTo("failed");
    assertThat(defaulted.lastError()).isEqualTo("failed");

    Job.History told = failed(blank, "it broke");
    assertThat(told.dead().reason()).isEqualTo("failed");
    assertThat(told.lastError()).isEqualTo("it broke");
  }

  @Test
  @Guarantee("J59")
  void a_reason_is_kept_as_it_was_given() {
    assertThat(failed(" why ", null).dead().reason()).isEqualTo(" why ");
    assertThat(failed("why", "").lastError()).isEmpty();
  }

  @Test
  @Guarantee({"J54", "J58"})
  void a_long_error_or_reason_is_cut_at_a_character() {
    String wide = "x" + EMOJI.repeat(ERROR_BYTES / 4);
    String cut = "x" + EMOJI.repeat(ERROR_BYTES / 4 - 1);

    assertThat(retried("x".repeat(ERROR_BYTES))).hasSize(ERROR_BYTES);
    assertThat(retried("x".repeat(1 << 20))).isEqualTo("x".repeat(ERROR_BYTES));
    assertThat(retried(wide)).isEqualTo(cut);
    Job.History history = failed(wide, "y" + wide);
    assertThat(history.dead().reason()).isEqualTo(cut);
    assertThat(history.lastError()).isEqualTo("y" + cut);
  }

  @Test
  @Guarantee({"J54", "J58", "JF21"})
  void what_cannot_be_stored_is_replaced_in_an_error_or_reason() {
    String bad = "a\0b\ud83dc\ude00" + EMOJI;
    String good = "a" + REPLACED + "b" + REPLACED + "c" + REPLACED + EMOJI;

    assertThat(retried(bad)).isEqualTo(good);
    Job.History history = failed(bad, "\0" + bad);
    assertThat(history.dead().reason()).isEqualTo(good);
    assertThat(history.lastError()).isEqualTo(REPLACED + good);
    assertThat(retried("\0".repeat(ERROR_BYTES))).isEqualTo(REPLACED.repeat(ERROR_BYTES / 3));
  }

  @Test
  @Guarantee({"J54", "J58", "JF21"})
  void errors_and_reasons_come_back_character_by_character() {
    for (String text : List.of("'\";--", "\\", "$1 {0} %s", "e\u0301", EMOJI, "line\nline\r\n\t")) {
      assertThat(retried(text)).isEqualTo(text);
      assertThat(failed(text, null).dead().reason()).isEqualTo(text);
    }
  }
}
