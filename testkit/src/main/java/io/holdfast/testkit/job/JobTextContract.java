package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobSpec;
import io.holdfast.job.NewJob;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The texts that a job is enqueued with: how long they may be, and of which characters. */
public abstract class JobTextContract extends JobSuite {
  private static final String EMOJI = "\ud83d\ude00";
  private static final String REPLACED = "\ufffd";
  private static final int ERROR_BYTES = 8 << 10;

  private static final List<String> UNSTORABLE =
      List.of("\0", "a\0b", "\ud83d", "a\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00");

  /** The texts of a job, and how many bytes of UTF-8 each may have. */
  enum Field {
    ID(255),
    TYPE(255),
    QUEUE(255),
    IDEMPOTENCY_KEY(1024),
    LIMIT_KEY(255),
    TRACE_ID(64);

    private final int bytes;

    Field(int bytes) {
      this.bytes = bytes;
    }

    NewJob job(String text) {
      return switch (this) {
        case ID -> draft().id(text);
        case TYPE -> NewJob.of(text).queue(JobSuite.QUEUE);
        case QUEUE -> draft().queue(text);
        case IDEMPOTENCY_KEY -> draft().once(text);
        case LIMIT_KEY -> draft().limitedBy(text);
        case TRACE_ID -> draft().traced(text);
      };
    }

    String of(Job job) {
      JobSpec spec = job.spec();
      String text =
          switch (this) {
            case ID -> job.id();
            case TYPE -> spec.type();
            case QUEUE -> spec.queue();
            case IDEMPOTENCY_KEY -> spec.keys().idempotency();
            case LIMIT_KEY -> spec.keys().limit();
            case TRACE_ID -> spec.keys().trace();
          };
      return Objects.requireNonNull(text, () -> name().toLowerCase(Locale.ROOT));
    }
  }

  private void refused(NewJob job) {
    failing(JobError.INVALID_ARGUMENT, () -> jobs.enqueue(List.of(draft(), job)));
    assertThat(stored()).isZero();
  }

  @ParameterizedTest
  @Guarantee("J2")
  @EnumSource
  void a_text_that_is_too_long_in_utf_8_is_refused(Field field) {
    refused(field.job("x".repeat(field.bytes + 1)));
    refused(field.job("\u00e9".repeat(field.bytes / 2 + 1)));
    refused(field.job(EMOJI.repeat(field.bytes / 4 + 1)));
    refused(field.job("x".repeat(1 << 20)));
  }

  @ParameterizedTest
  @Guarantee({"J2", "J6"})
  @EnumSource
  void a_text_of_the_greatest_length_in_utf_8_comes_back(Field field) {
    String odd = field.bytes % 2 == 0 ? "" : "x";
    String wide = odd + "\u00e9".repeat(field.bytes / 2);
    String emoji = "x".repeat(field.bytes % 4) + EMOJI.repeat(field.bytes / 4);

    for (String text : List.of("x".repeat(field.bytes), wide, emoji)) {
      assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSize(field.bytes);
      assertThat(field.of(jobs.inspect(enqueue(field.job(text))))).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @Guarantee("J2")
  @EnumSource
  void a_text_that_cannot_be_stored_is_refused(Field field) {
    UNSTORABLE.forEach(text -> refused(field.job(text)));
  }

  @ParameterizedTest
  @Guarantee({"J6", "JF21"})
  @EnumSource
  void a_text_comes_back_character_by_character(Field field) {
    List<String> texts =
        List.of(
            "a", "A", "e\u0301", "\u00e9", "%", "_", "'\";--", "\\'", "$1", "{x}", EMOJI, "\ud7ff");

    for (String text : texts) {
      assertThat(field.of(jobs.inspect(enqueue(field.job(text))))).isEqualTo(text);
    }
    assertThat(stored()).isEqualTo(texts.size());
  }

  private String error(String text) {
    NewJob.Import imported = new NewJob.Import(1, text, instant(), null);
    return history(enqueue(draft().imported(imported))).lastError();
  }

  @Test
  @Guarantee("J6")
  void an_imported_error_is_cut_at_a_character() {
    assertThat(error("x".repeat(ERROR_BYTES))).hasSize(ERROR_BYTES);
    assertThat(error("x".repeat(ERROR_BYTES + 1))).isEqualTo("x".repeat(ERROR_BYTES));
    assertThat(error("x" + EMOJI.repeat(ERROR_BYTES / 4)))
        .isEqualTo("x" + EMOJI.repeat(ERROR_BYTES / 4 - 1));
  }

  @Test
  @Guarantee("J6")
  void what_cannot_be_stored_is_replaced_in_an_imported_error() {
    assertThat(error("a\0b\ud83dc\ude00"))
        .isEqualTo("a" + REPLACED + "b" + REPLACED + "c" + REPLACED);
    String replaced = error("\0".repeat(ERROR_BYTES));
    assertThat(replaced).isEqualTo(REPLACED.repeat(ERROR_BYTES / 3));
  }
}
