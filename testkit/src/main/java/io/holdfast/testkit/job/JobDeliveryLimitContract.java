package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that kills its workers is given up after so many runs without an outcome. */
public abstract class JobDeliveryLimitContract extends JobSuite {
  private static final int LIMIT = 3;

  @BeforeEach
  void setLimit() {
    configure(JobQueueConfig.of(QUEUE).deliveryLimit(LIMIT));
  }

  /** Leases the only job so often, and lets each lease end without an outcome. */
  private LeasedJob lose(int times) {
    LeasedJob last = reserve();
    for (int i = 1; i < times; i++) {
      time.advance(LEASE);
      last = reserve();
    }
    time.advance(LEASE);
    return last;
  }

  /** Asks for jobs where there is none but one to be disposed of. */
  private void disposes() {
    Reserved reserved = jobs.reserve(request(5));
    assertThat(reserved.jobs()).isEmpty();
    assertThat(reserved.more()).isTrue();
    assertThat(jobs.reserve(request(5)).more()).as("more of nothing").isFalse();
  }

  @Test
  @Guarantee("J30")
  void the_delivery_limit_dead_letters_a_job() {
    String id = enqueue(draft());
    lose(LIMIT);
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);

    disposes();

    Job job = jobs.inspect(id);
    assertThat(job.state()).isEqualTo(JobState.DLQ);
    assertThat(job.lease()).isNull();
    assertThat(job.history())
        .isEqualTo(
            new Job.History(
                0,
                "delivery limit: 3 deliveries without an outcome",
                instant(),
                LIMIT,
                0,
                new Job.End(Job.Outcome.FAILED, instant(), null),
                new Job.Dead("delivery limit", instant(), 0, 1)));
  }

  @Test
  @Guarantee("J30")
  void by_default_a_job_is_dead_after_twenty_deliveries() {
    String id = enqueue(draft().queue("other"));
    for (int i = 1; i <= 20; i++) {
      List<LeasedJob> got = jobs.reserve(request("other")).jobs();
      assertThat(got).extracting(LeasedJob::fence).containsExactly(i);
      time.advance(LEASE);
    }

    assertThat(jobs.reserve(request("other")).jobs()).isEmpty();

    assertThat(history(id).dead().reason()).isEqualTo("delivery limit");
    assertThat(history(id).deliveries()).isEqualTo(20);
  }

  private static ReserveRequest request(String queue) {
    return ReserveRequest.of(queue, 1);
  }

  @Test
  @Guarantee("J30")
  void the_last_holder_of_a_job_that_was_given_up_is_refused() {
    enqueue(draft());
    LeasedJob last = lose(LIMIT);
    disposes();

    unchanged(
        last.id(),
        () -> {
          for (RunCall call : RunCall.values()) {
            assertThat(call.on(jobs, last.held())).isEqualTo(JobError.JOB_NOT_INFLIGHT);
          }
        });
  }

  @Test
  @Guarantee("J30")
  void the_limit_is_about_expired_leases_only() {
    String id = enqueue(draft());
    LeasedJob last = lose(LIMIT - 1);
    time.advance(Duration.ofDays(1));

    LeasedJob third = reserve();

    assertThat(third.id()).isEqualTo(last.id());
    jobs.ack(third.held());
    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("J30")
  void failures_on_record_do_not_count() {
    String id = enqueue(draft());
    for (int i = 0; i < 10; i++) {
      jobs.retry(reserve().held(), null, "broke");
    }

    lose(LIMIT);
    disposes();

    assertThat(history(id).attempts()).isEqualTo(10);
    assertThat(history(id).deliveries()).isEqualTo(10 + LIMIT);
    assertThat(history(id).lastError())
        .isEqualTo("delivery limit: 13 deliveries without an outcome");
    assertThat(history(id).dead()).isEqualTo(new Job.Dead("delivery limit", instant(), 10, 1));
  }

  @Test
  @Guarantee("J30")
  void a_job_in_the_way_does_not_keep_others_back_for_longer_than_a_call() {
    enqueue(draft("bad"));
    lose(LIMIT);
    enqueue("good");

    Reserved first = jobs.reserve(request(1));

    assertThat(first.jobs()).isEmpty();
    assertThat(first.more()).isTrue();
    assertThat(texts(reserve(1))).containsExactly("good");
  }

  @Test
  @Guarantee("J30")
  void a_cancel_request_wins_over_the_limit() {
    String id = enqueue(draft());
    lose(LIMIT);
    jobs.cancel(List.of(id));

    disposes();

    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(history(id).dead()).isEqualTo(Job.Dead.NEVER);
    assertThat(jobs.inspect(id).isCancelRequested()).isFalse();
  }

  @Test
  @Guarantee("J31")
  void released_deliveries_do_not_count_against_the_limit() {
    String id = enqueue(draft());
    for (int i = 0; i < 10; i++) {
      jobs.release(reserve().held(), null);
    }
    assertThat(history(id).excused()).isEqualTo(10);

    lose(LIMIT - 1);
    jobs.release(reserve().held(), null);
    lose(1);

    disposes();
    assertThat(history(id).deliveries()).isEqualTo(10 + LIMIT + 1);
    assertThat(history(id).excused()).isEqualTo(11);
    assertThat(history(id).lastError())
        .isEqualTo("delivery limit: 3 deliveries without an outcome");
  }

  @Test
  @Guarantee("J31")
  void a_release_with_a_delay_does_not_count_either() {
    String id = enqueue(draft());
    for (int i = 0; i < 5; i++) {
      settle(new Settlement.Release(reserve().held(), Duration.ofSeconds(1)));
      time.advance(Duration.ofSeconds(1));
    }

    lose(LIMIT);
    disposes();

    assertThat(history(id).deliveries()).isEqualTo(5 + LIMIT);
  }
}
