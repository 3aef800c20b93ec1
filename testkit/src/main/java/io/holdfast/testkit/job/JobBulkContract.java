package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dead letters, many at a time. */
public abstract class JobBulkContract extends JobOperatorSuite {
  private static final DeadQuery ALL = DeadQuery.of(QUEUE);

  @Test
  @Guarantee("J70")
  void bulk_requeue_conserves_jobs() {
    List<String> ids = died(1_203);

    Bulk bulk = jobs.dead().requeue(ALL.limit(10_000));

    assertThat(bulk).isEqualTo(new Bulk(1_203, false));
    assertThat(count()).isEqualTo(1_203);
    assertThat(ids(JobState.DLQ)).isEmpty();
    List<LeasedJob> back = reserve(1_000);
    assertThat(back).hasSize(1_000);
    List<String> all = new ArrayList<>(idsOf(back));
    all.addAll(idsOf(reserve(1_000)));
    assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(back).allSatisfy(one -> assertThat(one.fence()).isEqualTo(2));
  }

  @Test
  @Guarantee("J70")
  void each_job_returns_as_if_it_had_been_requeued_alone() {
    List<String> clean = died(2);
    jobs.dead().requeue(ALL);
    assertThat(history(clean.get(1)))
        .isEqualTo(new Job.History(0, "", null, 1, 1, null, new Job.Dead(null, null, 1, 1)));
    assertThat(jobs.inspect(clean.get(1)).spec().runAt()).isNull();
    cancel(clean.get(0));
    cancel(clean.get(1));

    String marked = died(1).get(0);
    Instant failedAt = instant();
    time.advanceMs(1);
    jobs.dead().requeue(ALL, false, Duration.ZERO);
    assertThat(history(marked))
        .isEqualTo(
            new Job.History(1, "broken", failedAt, 1, 0, null, new Job.Dead(null, null, 1, 1)));
    assertThat(state(marked)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J70")
  void the_oldest_return_first_and_others_are_announced() {
    List<String> ids = died(5);
    Collections.reverse(ids);

    assertThat(jobs.dead().requeue(ALL.limit(2))).isEqualTo(new Bulk(2, true));
    assertThat(ids(JobState.READY)).containsExactlyInAnyOrder(ids.get(4), ids.get(3));

    assertThat(jobs.dead().requeue(ALL.limit(3))).isEqualTo(new Bulk(3, false));
    assertThat(jobs.dead().requeue(ALL)).isEqualTo(new Bulk(0, false));
  }

  @Test
  @Guarantee("J70")
  void only_those_asked_for_return() {
    String send = died(draft(), "timeout after 5s");
    String other = died(NewJob.of("other").queue(QUEUE), "timeout");
    String broken = died(draft(), "broken");
    String elsewhere = diedIn("elsewhere");

    assertThat(jobs.dead().requeue(ALL.type(TYPE).reason("timeout"))).isEqualTo(new Bulk(1, false));
    assertThat(state(send)).isEqualTo(JobState.READY);

    assertThat(jobs.dead().requeue(ALL.reason("time_ut"))).isEqualTo(new Bulk(0, false));
    assertThat(jobs.dead().requeue(ALL.reason("%"))).isEqualTo(new Bulk(0, false));
    assertThat(jobs.dead().requeue(ALL.type("other"))).isEqualTo(new Bulk(1, false));
    assertThat(state(other)).isEqualTo(JobState.READY);
    assertThat(state(broken)).isEqualTo(JobState.DLQ);
    assertThat(state(elsewhere)).isEqualTo(JobState.DLQ);
  }

  @Test
  @Guarantee("J70")
  void the_time_of_death_selects_from_an_instant_to_before_another() {
    List<String> ids = died(4);
    Instant second = diedAt(ids.get(1));
    Instant fourth = diedAt(ids.get(3));

    assertThat(jobs.dead().requeue(ALL.died(second, fourth))).isEqualTo(new Bulk(2, false));
    assertThat(ids(JobState.DLQ)).containsExactly(ids.get(0), ids.get(3));

    assertThat(jobs.dead().requeue(ALL.died(fourth.plus(MICRO), null)))
        .isEqualTo(new Bulk(0, false));
    assertThat(jobs.dead().requeue(ALL.died(null, second))).isEqualTo(new Bulk(1, false));
    assertThat(ids(JobState.DLQ)).containsExactly(ids.get(3));
  }

  @Test
  @Guarantee("J70")
  void bulk_requeue_can_spread_them_evenly() {
    List<String> ids = died(3);
    Instant now = instant();

    assertThat(jobs.dead().requeue(ALL, true, Duration.ofSeconds(1))).isEqualTo(new Bulk(3, false));

    assertThat(jobs.inspect(ids.get(0)).spec().runAt()).isNull();
    assertThat(jobs.inspect(ids.get(1)).spec().runAt()).isEqualTo(now.plusNanos(333_333_000));
    assertThat(jobs.inspect(ids.get(2)).spec().runAt()).isEqualTo(now.plusNanos(666_666_000));
    assertThat(idsOf(reserve(10))).containsExactly(ids.get(0));
    time.advanceMs(333);
    assertThat(reserve(10)).isEmpty();
    time.advanceMs(1);
    assertThat(idsOf(reserve(10))).containsExactly(ids.get(1));
    time.advanceMs(333);
    assertThat(idsOf(reserve(10))).containsExactly(ids.get(2));
  }

  @Test
  @Guarantee("J70")
  void spread_jobs_of_a_limit_key_come_to_its_gate_in_turn() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 10));
    String first = died(draft().limitedBy("key"), "broken");
    String second = died(draft().limitedBy("key"), "broken");

    jobs.dead().requeue(ALL, true, Duration.ofSeconds(10));

    assertThat(idsOf(reserve(10))).containsExactly(first);
    assertThat(state(second)).isEqualTo(JobState.GATED);
    time.advanceMs(4_999);
    sweep();
    assertThat(reserve(10)).isEmpty();
    time.advanceMs(1);
    sweep();
    assertThat(idsOf(reserve(10))).containsExactly(second);
  }

  @Test
  @Guarantee("J70")
  void a_call_with_a_mistake_moves_nothing() {
    String id = died(1).get(0);

    unchanged(
        id,
        () -> {
          failing(JobError.INVALID_LIMIT, () -> jobs.dead().requeue(ALL.limit(0)));
          failing(JobError.INVALID_LIMIT, () -> jobs.dead().requeue(ALL.limit(10_001)));
          failing(JobError.INVALID_LIMIT, () -> jobs.dead().purge(ALL.limit(0)));
          failing(JobError.QUEUE_REQUIRED, () -> jobs.dead().requeue(DeadQuery.of(" ")));
          failing(
              JobError.INVALID_ARGUMENT,
              () -> jobs.dead().requeue(ALL, true, Duration.ofSeconds(-1)));
        });
  }

  @Test
  @Guarantee("J70")
  void processes_that_requeue_at_once_share_the_jobs() {
    List<String> ids = died(300);

    List<Bulk> bulks = atOnce(3, i -> () -> process().dead().requeue(ALL.limit(10_000)));
    Bulk rest = jobs.dead().requeue(ALL);

    int moved = bulks.stream().mapToInt(Bulk::count).sum() + rest.count();
    assertThat(moved).isEqualTo(300);
    assertThat(ids(JobState.READY)).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(ids).allSatisfy(id -> assertThat(history(id).excused()).isEqualTo(1));
  }

  @Test
  void purging_deletes_the_oldest_that_were_asked_for() {
    List<String> ids = died(3);
    String kept = died(NewJob.of("other").queue(QUEUE).once("key"), "broken");

    assertThat(jobs.dead().purge(ALL.type(TYPE).limit(2))).isEqualTo(new Bulk(2, true));
    assertThat(ids(JobState.DLQ)).containsExactly(ids.get(2), kept);
    failing(JobError.JOB_NOT_FOUND, () -> jobs.inspect(ids.get(0)));

    assertThat(jobs.dead().purge(ALL)).isEqualTo(new Bulk(2, false));
    assertThat(count()).isZero();
    assertThat(jobs.enqueue(draft().once("key")).existed()).as("the key is free").isFalse();
  }

  @Test
  void purging_takes_dead_letters_only() {
    String done = in(JobState.DONE);
    String cancelled = in(JobState.CANCELLED);
    String ready = in(JobState.READY);

    assertThat(jobs.dead().purge(ALL)).isEqualTo(new Bulk(0, false));

    assertThat(List.of(done, cancelled, ready)).allSatisfy(id -> jobs.inspect(id));
  }

  /** Jobs that died one after the other, a millisecond apart, a batch of them at once. */
  private List<String> died(int count) {
    List<String> ids = new ArrayList<>();
    jobs.enqueue(Collections.nCopies(count, draft())).forEach(one -> ids.add(one.id()));
    int batch = count > 100 ? 1_000 : 1;
    for (int died = 0; died < count; died += batch) {
      time.advanceMs(1);
      jobs.settle(fails(reserve(batch)));
    }
    return ids;
  }

  private static List<Settlement> fails(List<LeasedJob> leased) {
    return leased.stream()
        .map(one -> (Settlement) Settlement.Fail.of(one.held(), "broken"))
        .toList();
  }

  /** This job, dead for this reason. */
  private String died(NewJob job, String reason) {
    time.advanceMs(1);
    LeasedJob leased = leased(job);
    jobs.fail(leased.held(), reason);
    return leased.id();
  }

  private String diedIn(String queue) {
    String id = enqueue(draft().queue(queue));
    LeasedJob leased = jobs.reserve(ReserveRequest.of(queue, 1)).jobs().get(0);
    jobs.fail(leased.held(), "timeout");
    return id;
  }

  private Instant diedAt(String id) {
    Instant at = history(id).dead().failedAt();
    assertThat(at).isNotNull();
    return at;
  }
}
