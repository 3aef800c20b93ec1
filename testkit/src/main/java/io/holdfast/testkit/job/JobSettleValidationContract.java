package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the holder of a lease may say. Whatever breaks a rule refuses the call as a whole. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobSettleValidationContract extends JobSuite {
  private static final int LARGEST = 64 << 10;
  private static final int NOTE_BYTES = 1024;

  private LeasedJob other;
  private Held held;

  @BeforeEach
  void leaseTwo() {
    enqueue(numbered(2));
    List<LeasedJob> both = reserve(2);
    other = both.get(0);
    held = both.get(1).held();
  }

  private void refused(JobError error, Settlement item) {
    unchanged(
        held.id(),
        () ->
            unchanged(
                other.id(),
                () -> {
                  Settlement fine = Settlement.Ack.of(other.held());
                  failing(error, () -> jobs.settle(List.of(fine, item)));
                  failing(error, () -> now(jobs.settleAsync(List.of(item, fine))));
                }));
  }

  private void refused(Settlement item) {
    refused(JobError.INVALID_ARGUMENT, item);
  }

  private Settlement.Retry retry(Instant runAt) {
    return new Settlement.Retry(held, runAt, null, "e", null, null);
  }

  @Test
  @Guarantee({"J2", "J46"})
  void negative_numbers_are_refused() {
    refused(JobError.NEGATIVE_ATTEMPTS, new Settlement.Retry(held, null, null, "e", -1, null));
    refused(JobError.NEGATIVE_ATTEMPTS, new Settlement.Fail(held, null, null, -1));
    refused(Settlement.Retry.in(held, Duration.ofNanos(-1), "e"));
    refused(new Settlement.Release(held, Duration.ofNanos(-1)));
    refused(new Settlement.Report(held, -1, null, null));
    refused(new Settlement.Report(held, 101, null, null));
  }

  @Test
  @Guarantee({"J46", "J54"})
  void a_retry_has_one_due_time_before_the_year_9999() {
    Instant now = instant();
    refused(new Settlement.Retry(held, now, Duration.ZERO, "e", null, null));
    refused(retry(Instant.parse("9999-01-01T00:00:00Z")));
    refused(retry(Instant.MAX));
    refused(new Settlement.Retry(held, null, null, "e", null, Instant.MAX));
    refused(Settlement.Retry.in(held, Duration.ofSeconds(Long.MAX_VALUE), "e"));
    refused(new Settlement.Release(held, Duration.ofSeconds(Long.MAX_VALUE)));

    Instant last = Instant.parse("9998-12-31T23:59:59.999999999Z");
    assertThat(settle(retry(last)).isOk()).isTrue();
    assertThat(jobs.inspect(held.id()).spec().runAt()).isEqualTo(last.minusNanos(999));
  }

  @Test
  @Guarantee({"J46", "J47"})
  void an_output_has_up_to_64_KiB() {
    refused(new Settlement.Ack(held, new byte[LARGEST + 1]));

    assertThat(settle(new Settlement.Ack(held, new byte[LARGEST])).isOk()).isTrue();
    assertThat(end(held.id()).output()).hasSize(LARGEST);
  }

  @Test
  @Guarantee({"J46", "J76"})
  void what_a_run_reports_is_bounded() {
    refused(new Settlement.Report(held, null, null, new byte[LARGEST + 1]));
    refused(new Settlement.Report(held, null, "x".repeat(NOTE_BYTES + 1), null));
    refused(new Settlement.Report(held, null, "\u00e9".repeat(NOTE_BYTES / 2) + "x", null));
    refused(new Settlement.Report(held, null, "a\0", null));
    refused(new Settlement.Report(held, null, "\ud83d", null));

    String note = "\u00e9".repeat(NOTE_BYTES / 2);
    byte[] checkpoint = new byte[LARGEST];
    assertThat(settle(new Settlement.Report(held, 100, note, checkpoint)).isOk()).isTrue();
    assertThat(jobs.inspect(held.id()).progress())
        .usingRecursiveComparison()
        .isEqualTo(new Job.Progress(100, note, checkpoint));
  }

  @Test
  @Guarantee("J76")
  void a_report_changes_what_it_tells_and_nothing_else() {
    byte[] checkpoint = {1, 0, 2};
    settle(new Settlement.Report(held, 10, "note", checkpoint));
    checkpoint[0] = 9;
    settle(new Settlement.Report(held, null, null, null));
    settle(new Settlement.Report(held, 0, null, null));
    settle(new Settlement.Report(held, null, "", null));

    assertThat(jobs.inspect(held.id()).progress())
        .usingRecursiveComparison()
        .isEqualTo(new Job.Progress(0, "", new byte[] {1, 0, 2}));
    assertThat(jobs.inspect(held.id()).lease()).isNotNull();
  }

  @Test
  @Guarantee("J45")
  void an_id_or_token_that_cannot_be_stored_is_refused() {
    refused(Settlement.Ack.of(new Held("a\0", held.token())));
    refused(Settlement.Ack.of(new Held(held.id(), "\ud83d")));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.extend(List.of(new Held("\0", "token")), LEASE));
  }

  @Test
  @Guarantee("J46")
  void a_call_settles_1000_runs_and_neither_none_nor_more() {
    Settlement ack = Settlement.Ack.of(held);
    failing(JobError.INVALID_ARGUMENT, () -> jobs.settle(List.of()));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.extend(List.of(), LEASE));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.settle(Collections.nCopies(1001, ack)));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.extend(Collections.nCopies(1001, held), LEASE));

    enqueue(numbered(1000));
    List<Held> runs = reserve(1000).stream().map(LeasedJob::held).toList();
    assertThat(jobs.extend(runs, LEASE)).hasSize(1000).allMatch(Extended::isOk);
    List<Settled> settled = jobs.settle(runs.stream().map(Settlement.Ack::of).toList());

    assertThat(settled).hasSize(1000).allMatch(Settled::isOk);
  }

  @Test
  @Guarantee({"J32", "J46"})
  void the_lease_is_checked_before_the_items() {
    failing(JobError.INVALID_LEASE_DURATION, () -> jobs.extend(List.of(), Duration.ZERO));
  }
}
