package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Explanation;
import io.holdfast.job.Explanation.Code;
import io.holdfast.job.Explanation.Reason;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Why a job stands where it stands. */
public abstract class JobExplainContract extends JobOperatorSuite {
  @ParameterizedTest
  @EnumSource
  @Guarantee("J87")
  void explain_names_a_reason_in_every_state(JobState state) {
    String id = in(state);

    Explanation explanation = jobs.explain(id);

    assertThat(explanation.state()).isEqualTo(state);
    assertThat(explanation.reasons()).isNotEmpty();
    assertThat(explanation.reasons())
        .allSatisfy(
            reason -> {
              assertThat(reason.text()).isNotBlank();
              assertThat(reason.action()).isNotBlank();
            });
    assertThat(explanation.reasons()).extracting(Reason::code).doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("J87")
  void an_eligible_job_has_a_reason_even_when_nothing_is_in_its_way() {
    worker(QUEUE, TYPE);
    String id = enqueue(draft());

    assertThat(codes(id)).containsExactly(Code.BEHIND);
  }

  @Test
  @Guarantee("J87")
  void a_finished_job_says_how_and_since_when() {
    String done = in(JobState.DONE);
    Instant doneAt = instant();
    time.advanceMs(1);
    String cancelled = in(JobState.CANCELLED);
    Instant cancelledAt = instant();
    time.advanceMs(1);
    String dead = in(JobState.DLQ);
    Instant diedAt = instant();
    time.advanceMs(1);

    assertThat(codes(done)).containsExactly(Code.DONE);
    assertThat(first(done).since()).isEqualTo(doneAt);
    assertThat(codes(cancelled)).containsExactly(Code.CANCELLED);
    assertThat(first(cancelled).since()).isEqualTo(cancelledAt);
    assertThat(codes(dead)).containsExactly(Code.DEAD);
    assertThat(first(dead).since()).isEqualTo(diedAt);
    assertThat(first(dead).text()).contains("broken");
    assertThat(first(dead).action()).contains(dead);
  }

  @Test
  @Guarantee("J87")
  void a_running_job_says_who_runs_it_and_until_when() {
    enqueue(draft());
    LeasedJob leased = jobs.reserve(request(1).by("worker-7")).jobs().get(0);

    assertThat(codes(leased.id())).containsExactly(Code.RUNNING);
    assertThat(first(leased.id()).until()).isEqualTo(leased.leaseExpiresAt());
    assertThat(first(leased.id()).holder()).startsWith("worker-7");

    cancel(leased.id());
    assertThat(codes(leased.id())).containsExactly(Code.RUNNING, Code.CANCEL_REQUESTED);
  }

  @Test
  @Guarantee("J87")
  void a_run_has_expired_at_the_very_instant() {
    enqueue(draft());
    LeasedJob leased = jobs.reserve(request(1).leaseFor(LEASE.plus(MICRO))).jobs().get(0);
    worker(QUEUE, TYPE);

    time.advance(LEASE);
    assertThat(first(leased.id()).code()).isEqualTo(Code.RUNNING);

    assertThat(extend(leased.held(), Duration.ofMillis(1)).isOk()).isTrue();
    time.advanceMs(1);
    assertThat(first(leased.id()).code()).isEqualTo(Code.LEASE_EXPIRED);
    assertThat(first(leased.id()).since()).isEqualTo(instant());
  }

  @Test
  @Guarantee("J87")
  void a_job_that_is_not_due_says_until_when() {
    worker(QUEUE, TYPE);
    Instant due = instant().plusSeconds(1).plus(MICRO);
    String id = enqueue(draft().runAt(due));
    time.advance(Duration.ofSeconds(1));

    assertThat(codes(id)).containsExactly(Code.NOT_DUE);
    assertThat(first(id).until()).isEqualTo(due);
    assertThat(first(id).action()).contains(id);

    time.advanceMs(1);
    assertThat(codes(id)).containsExactly(Code.BEHIND);
  }

  @Test
  @Guarantee("J87")
  void a_job_of_a_paused_queue_says_since_when() {
    worker(QUEUE, TYPE);
    String id = enqueue(draft());
    Instant pausedAt = instant();
    jobs.queues().pause(QUEUE);
    time.advanceMs(1);

    assertThat(first(id).code()).isEqualTo(Code.QUEUE_PAUSED);
    assertThat(first(id).since()).isEqualTo(pausedAt);
    assertThat(first(id).action()).contains("resume").contains(QUEUE);

    jobs.queues().resume(QUEUE);
    assertThat(codes(id)).doesNotContain(Code.QUEUE_PAUSED);
  }

  @Test
  @Guarantee("J87")
  void a_job_at_the_gate_says_who_is_in_the_slots() {
    worker(QUEUE, TYPE);
    configure(JobQueueConfig.of(QUEUE).limit("key", 2));
    String first = enqueue(draft().limitedBy("key"));
    String second = enqueue(draft().limitedBy("key"));
    reserve(1);
    String third = enqueue(draft().limitedBy("key"));

    assertThat(first(third).code()).isEqualTo(Code.KEY_AT_LIMIT);
    assertThat(first(third).holder()).contains(first).contains(second).doesNotContain(third);
    assertThat(first(third).text()).contains("'key'").contains("2");
  }

  @Test
  @Guarantee("J87")
  void a_job_at_the_gate_that_is_not_due_says_so_first() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    String id = enqueue(draft().limitedBy("key").runIn(HOUR));

    assertThat(first(id).code()).isEqualTo(Code.NOT_DUE);
    assertThat(first(id).until()).isEqualTo(instant().plus(HOUR));
  }

  @Test
  @Guarantee("J87")
  void a_job_that_nobody_serves_says_what_is_missing() {
    String id = enqueue(draft());
    assertThat(codes(id)).contains(Code.NO_WORKER_FOR_QUEUE).endsWith(Code.BEHIND);

    worker("other", TYPE);
    assertThat(codes(id)).contains(Code.NO_WORKER_FOR_QUEUE);

    worker(QUEUE, "other");
    assertThat(codes(id))
        .contains(Code.NO_WORKER_FOR_TYPE)
        .doesNotContain(Code.NO_WORKER_FOR_QUEUE);

    worker(QUEUE, TYPE);
    assertThat(codes(id)).containsExactly(Code.BEHIND);
  }

  @Test
  @Guarantee("J87")
  void a_worker_counts_for_a_minute() {
    String id = enqueue(draft());
    worker(QUEUE, TYPE);

    time.advanceMs(59_999);
    assertThat(codes(id)).containsExactly(Code.BEHIND);
    time.advanceMs(1);
    assertThat(codes(id)).contains(Code.NO_WORKER_FOR_QUEUE);
  }

  @Test
  @Guarantee("J87")
  void a_job_in_line_says_how_many_are_ahead() {
    worker(QUEUE, TYPE);
    LeasedJob expired = leased();
    reserve(1);
    enqueue(draft().runIn(HOUR));
    String due = enqueue(draft().runIn(Duration.ofSeconds(1)));
    String urgent = enqueue(draft().priority(1));
    String plain = enqueue(draft());
    time.advance(LEASE);

    assertThat(ahead(urgent)).startsWith("it is next");
    assertThat(ahead(plain)).startsWith("1 ");
    assertThat(ahead(due)).startsWith("2 ");
    assertThat(first(expired.id()).code()).isEqualTo(Code.LEASE_EXPIRED);
    String last = enqueue(draft().priority(-1));
    assertThat(ahead(last)).startsWith("4 ");
  }

  @Test
  @Guarantee("J87")
  void jobs_ahead_are_counted_to_a_thousand() {
    jobs.enqueue(Collections.nCopies(1_100, draft()));
    String last = enqueue(draft().priority(-1));

    assertThat(ahead(last)).startsWith("at least 1000 ");
  }

  @Test
  @Guarantee("J87")
  void several_reasons_come_in_the_order_of_their_weight() {
    jobs.queues().pause(QUEUE);
    String id = in(JobState.SCHEDULED);

    assertThat(codes(id))
        .containsExactly(Code.NOT_DUE, Code.QUEUE_PAUSED, Code.NO_WORKER_FOR_QUEUE);
  }

  @Test
  @Guarantee("J87")
  void there_is_nothing_to_explain_about_a_job_that_is_not_there() {
    failing(JobError.JOB_NOT_FOUND, () -> jobs.explain("nobody"));
    failing(JobError.JOB_ID_REQUIRED, () -> jobs.explain(" "));
  }

  @Test
  @Guarantee("J87")
  void explaining_changes_nothing() {
    LeasedJob leased = leased();
    time.advance(LEASE);

    unchanged(leased.id(), () -> jobs.explain(leased.id()));
  }

  private List<Code> codes(String id) {
    return jobs.explain(id).reasons().stream().map(Reason::code).toList();
  }

  private Reason first(String id) {
    return jobs.explain(id).reasons().get(0);
  }

  private String ahead(String id) {
    return jobs.explain(id).reasons().stream()
        .filter(reason -> reason.code() == Code.BEHIND)
        .findAny()
        .orElseThrow(() -> new AssertionError("it is not in line"))
        .text();
  }

  /** Lets a worker be seen that serves this queue and knows this type. */
  private void worker(String queue, String type) {
    WorkerInfo worker =
        new WorkerInfo(
            "worker-" + queue + "-" + type, "host", List.of(queue), List.of(type), 4, null, null);
    subject
        .process()
        .store()
        .beat(new JobStore.Heartbeat(worker, List.of(), LEASE), StoreCall.plain());
  }
}
