package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.LEASE;
import static io.holdfast.memory.MemoryJobScene.MICROSECOND;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.ids;
import static io.holdfast.memory.MemoryJobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryJobReserveTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MemoryJobScene scene = new MemoryJobScene();

  @Test
  void a_job_is_due_exactly_then_and_not_a_microsecond_before() {
    Instant due = scene.now().plusMillis(1);
    scene.enqueue(
        job("exact").runAt(due),
        job("late").runAt(due.plus(MICROSECOND)),
        job("cut").runAt(due.plusNanos(999)));

    Reserved early = scene.reserve(9);
    scene.pass(Duration.ofMillis(1));
    Reserved then = scene.reserve(9);

    assertThat(ids(early)).isEmpty();
    assertThat(early.nextAt()).isEqualTo(due);
    assertThat(ids(then)).containsExactly("cut", "exact");
    assertThat(then.nextAt()).isEqualTo(due.plus(MICROSECOND));
  }

  @Test
  void immediate_due_and_expired_jobs_come_oldest_eligibility_first() {
    scene.enqueue(job("expired"));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(Duration.ofMillis(2)));
    scene.enqueue(job("due").runAt(scene.now().plusMillis(1)));
    scene.pass(Duration.ofMillis(3));
    scene.enqueue(job("new"), job("newer"));

    Reserved reserved = scene.reserve(3);

    assertThat(ids(reserved)).containsExactly("due", "expired", "new");
  }

  @Test
  void a_past_due_time_gives_no_head_start() {
    scene.enqueue(job("first"));
    scene.pass(Duration.ofMillis(1));
    scene.enqueue(job("second").runAt(scene.now().minusSeconds(99)));

    assertThat(ids(scene.reserve(2))).containsExactly("first", "second");
  }

  @Test
  void each_point_of_priority_is_a_head_start_of_a_minute_in_all_three_ways_to_wait() {
    scene.enqueue(job("expired").priority(1));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(SECOND));
    scene.enqueue(job("due").priority(2).runAt(scene.now().plus(SECOND)), job("low").priority(-1));
    scene.pass(SECOND);
    scene.enqueue(job("high").priority(3));
    scene.pass(Duration.ofMillis(59_999));
    scene.enqueue(job("plain"));

    Reserved reserved = scene.reserve(9);

    assertThat(ids(reserved)).containsExactly("high", "due", "expired", "low", "plain");
  }

  @Test
  void equal_eligibility_goes_by_id() {
    scene.enqueue(job("b"));
    scene.enqueue(job("a"));

    assertThat(ids(scene.reserve(2))).containsExactly("a", "b");
  }

  @Test
  void a_lease_ends_exactly_at_its_expiry() {
    scene.enqueue(job("a"));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(SECOND.plus(MICROSECOND)));
    scene.enqueue(job("b"));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(SECOND.plusNanos(999)));

    scene.pass(SECOND);

    assertThat(ids(scene.reserve(9))).containsExactly("b");
  }

  @Test
  void a_due_time_lasts_through_the_first_lease_and_is_over_when_that_expires() {
    scene.enqueue(job("a").runAt(scene.now()));
    Instant due = scene.now();

    LeasedJob first = scene.lease();
    scene.pass(LEASE);
    LeasedJob second = scene.lease();

    assertThat(first.job().spec().runAt()).isEqualTo(due);
    assertThat(second.job().spec().runAt()).isNull();
    assertThat(second.token()).isNotEqualTo(first.token());
    assertThat(second.fence()).isEqualTo(first.fence() + 1);
    assertThat(second.job().history().attempts()).isZero();
  }

  @Test
  void the_owner_is_the_worker_and_the_beginning_of_the_token() {
    scene.enqueue(job("a"));

    LeasedJob leased = scene.reserve(ReserveRequest.of(QUEUE, 1).by("w1")).jobs().get(0);

    assertThat(scene.find("a").lease())
        .isEqualTo(new Job.Lease(leased.leaseExpiresAt(), "w1#" + leased.token().substring(0, 8)));
  }

  @Test
  void after_the_delivery_limit_a_job_is_dead_and_another_may_be_had() {
    scene.configure(JobQueueConfig.of(QUEUE).deliveryLimit(2));
    scene.enqueue(job("a"));
    for (int i = 0; i < 2; i++) {
      scene.lease();
      scene.pass(LEASE);
    }
    scene.enqueue(job("b"));

    Reserved reserved = scene.reserve(1);

    assertThat(ids(reserved)).isEmpty();
    assertThat(reserved.more()).isTrue();
    Job dead = scene.find("a");
    assertThat(dead.state()).isEqualTo(JobState.DLQ);
    assertThat(dead.history())
        .isEqualTo(
            new Job.History(
                0,
                "delivery limit: 2 deliveries without an outcome",
                scene.now(),
                2,
                0,
                dead.history().end(),
                new Job.Dead("delivery limit", scene.now(), 0, 1)));
    assertThat(ids(scene.reserve(1))).containsExactly("b");
  }

  @Test
  void released_and_failed_deliveries_do_not_count_against_the_limit() {
    scene.configure(JobQueueConfig.of(QUEUE).deliveryLimit(1));
    scene.enqueue(job("a"));
    scene.settle(new Settlement.Release(scene.lease().held(), null));
    scene.retry(scene.lease(), null);
    scene.lease();

    scene.pass(LEASE);

    assertThat(scene.reserve(1).more()).isTrue();
    assertThat(scene.find("a").history().lastError())
        .isEqualTo("delivery limit: 2 deliveries without an outcome");
  }

  @Test
  void a_cancelled_run_is_not_taken_over_and_a_cancel_wins_over_the_delivery_limit() {
    scene.configure(JobQueueConfig.of(QUEUE).deliveryLimit(1));
    scene.enqueue(job("a"));
    scene.lease();
    scene.jobs.store().cancel(List.of("a"), CALL);

    scene.pass(LEASE);
    Reserved reserved = scene.reserve(1);

    assertThat(reserved.jobs()).isEmpty();
    assertThat(reserved.more()).isTrue();
    assertThat(scene.state("a")).isEqualTo(JobState.CANCELLED);
    assertThat(scene.find("a").isCancelRequested()).isFalse();
  }

  @Test
  void shares_and_the_limit_bound_what_comes_and_a_used_up_share_is_asked_again_soon() {
    scene.enqueue(job("a1"), job("a2"), job("b1").queue("b"), job("b2").queue("b"));
    List<Share> shares = List.of(Share.of(QUEUE, 1), Share.of("b", 9), Share.of("c", 0));

    Reserved three = scene.reserve(new ReserveRequest(shares, 4, LEASE, null));
    Reserved one = scene.reserve(new ReserveRequest(shares, 1, LEASE, null));

    assertThat(ids(three)).containsExactly("a1", "b1", "b2");
    assertThat(three.nextAt()).isEqualTo(scene.now().plusMillis(10));
    assertThat(ids(one)).containsExactly("a2");
    assertThat(one.nextAt()).isNull();
  }

  @Test
  void an_answer_that_is_short_because_of_jobs_put_away_is_followed_by_another_soon() {
    scene.enqueue(job("a"));
    scene.lease();
    scene.jobs.store().cancel(List.of("a"), CALL);
    scene.pass(LEASE);
    scene.enqueue(job("b"), job("c"));
    List<Share> shares = List.of(Share.of(QUEUE, 9));

    Reserved reserved = scene.reserve(new ReserveRequest(shares, 1, LEASE, null));

    assertThat(ids(reserved)).isEmpty();
    assertThat(reserved.more()).isTrue();
    assertThat(reserved.nextAt()).isEqualTo(scene.now().plusMillis(10));
  }

  @Test
  void the_floor_hides_older_due_and_expired_jobs_but_no_immediate_ones() {
    scene.enqueue(job("expired"));
    scene.reserve(ReserveRequest.of(QUEUE, 1).leaseFor(MICROSECOND));
    scene.enqueue(job("due").runAt(scene.now()), job("ready"));
    scene.pass(Duration.ofMillis(1));
    scene.enqueue(job("on the floor").runAt(scene.now()));
    List<Share> shares = List.of(new Share(QUEUE, 9, scene.now()));

    Reserved reserved = scene.reserve(new ReserveRequest(shares, 9, LEASE, null));

    assertThat(ids(reserved)).containsExactly("ready", "on the floor");
  }

  @Test
  void a_paused_queue_gives_nothing_and_is_named() {
    scene.enqueue(job("a"));
    scene.jobs.admin().pause(QUEUE, "me", CALL);

    Reserved paused = scene.reserve(1);
    scene.jobs.admin().resume(QUEUE, CALL);

    assertThat(paused.jobs()).isEmpty();
    assertThat(paused.paused()).containsExactly(QUEUE);
    assertThat(ids(scene.reserve(1))).containsExactly("a");
  }

  @Test
  void the_next_instant_of_interest_is_a_due_time_or_an_expiry() {
    scene.enqueue(job("a"), job("b").runIn(Duration.ofHours(1)), job("c").limitedBy("k"));

    Reserved none = scene.reserve(2);
    Reserved held = scene.reserve(2);

    assertThat(none.nextAt()).isEqualTo(scene.now().plusSeconds(3_600));
    assertThat(held.nextAt()).isEqualTo(scene.now().plus(LEASE));
  }
}
