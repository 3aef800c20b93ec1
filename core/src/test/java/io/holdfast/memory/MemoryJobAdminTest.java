package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.LEASE;
import static io.holdfast.memory.MemoryJobScene.MICROSECOND;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.ids;
import static io.holdfast.memory.MemoryJobScene.job;
import static io.holdfast.memory.MemoryJobScene.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Job;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MemoryJobAdminTest {
  private final MemoryJobScene scene = new MemoryJobScene();

  private void dead(NewJob draft, String reason) {
    scene.enqueue(draft);
    scene.jobs.upkeep().sweep(CALL);
    scene.settle(Settlement.Fail.of(scene.lease().held(), reason));
  }

  private JobError requeue(String id, Requeue how) {
    return scene.jobs.admin().requeue(List.of(id), how, CALL).requeued().get(0).error();
  }

  @Test
  void a_dead_job_returns_with_a_clean_record_but_for_how_often_it_died() {
    scene.configure(JobQueueConfig.of(QUEUE).deliveryLimit(1));
    dead(job("a"), "no");
    scene.enqueue(job("b"));
    scene.pass(LEASE);

    requeue("a", Requeue.NOW);

    assertThat(scene.find("a").history())
        .isEqualTo(new Job.History(0, "", null, 1, 1, null, new Job.Dead(null, null, 1, 1)));
    assertThat(ids(scene.reserve(2))).containsExactly("b", "a");
  }

  @Test
  void a_dead_job_may_keep_its_failures_and_wait() {
    dead(job("a"), "no");
    Instant runAt = scene.now().plus(MICROSECOND);

    requeue("a", new Requeue(QUEUE, runAt.plusNanos(1), false));

    Job.History history = scene.find("a").history();
    assertThat(history.attempts()).isEqualTo(1);
    assertThat(history.lastError()).isEqualTo("no");
    assertThat(history.excused()).isZero();
    assertThat(scene.find("a").spec().runAt()).isEqualTo(runAt);
  }

  @Test
  void a_scheduled_job_is_made_runnable_and_nothing_else_of_it_changes() {
    scene.enqueue(job("a").runIn(Duration.ofHours(1)));
    scene.pass(Duration.ofSeconds(1));
    scene.enqueue(job("b"));

    requeue("a", new Requeue(null, scene.now().minusSeconds(1), true));

    assertThat(scene.find("a").spec().runAt()).isNull();
    assertThat(scene.find("a").history().excused()).isZero();
    assertThat(ids(scene.reserve(2))).containsExactly("a", "b");
  }

  @Test
  void only_dead_cancelled_and_scheduled_jobs_return_and_only_to_their_own_queue() {
    dead(job("dead"), "no");
    scene.enqueue(job("done"));
    scene.ack(scene.lease());
    scene.enqueue(job("runs"));
    scene.lease();
    scene.enqueue(job("due").runAt(scene.now()), job("gated").limitedBy("k"), job("cancelled"));
    scene.jobs.store().cancel(List.of("cancelled"), CALL);
    List<String> ids = List.of("none", "dead", "done", "runs", "due", "gated", "cancelled");

    List<Requeued> elsewhere =
        scene.jobs.admin().requeue(ids, new Requeue("other", null, true), CALL).requeued();
    List<Requeued> here = scene.jobs.admin().requeue(ids, Requeue.NOW, CALL).requeued();

    assertThat(elsewhere.get(0).error()).isEqualTo(JobError.JOB_NOT_FOUND);
    assertThat(elsewhere.subList(1, 7))
        .allMatch(answer -> answer.error() == JobError.QUEUE_MISMATCH);
    assertThat(here)
        .extracting(Requeued::error)
        .containsExactly(
            JobError.JOB_NOT_FOUND,
            null,
            JobError.JOB_NOT_REQUEUEABLE,
            JobError.JOB_NOT_REQUEUEABLE,
            JobError.JOB_NOT_REQUEUEABLE,
            JobError.JOB_NOT_REQUEUEABLE,
            null);
  }

  @Test
  void a_keyed_job_returns_by_way_of_the_gate() {
    dead(job("a").limitedBy("k"), "no");

    JobAdmin.Requeues answer = scene.jobs.admin().requeue(List.of("a"), Requeue.NOW, CALL);

    assertThat(answer.effects().keys()).containsExactly(key("k"));
    assertThat(answer.effects().runnable()).isEmpty();
    assertThat(scene.state("a")).isEqualTo(JobState.GATED);
  }

  @Test
  void many_dead_jobs_return_spread_over_a_time() {
    dead(job("a"), "timeout after 1 s");
    dead(job("b"), "other");
    dead(job("c"), "timeout");
    dead(job("d"), "timeout");
    DeadQuery query = DeadQuery.of(QUEUE).reason("timeout").limit(2);

    JobAdmin.Revived revived =
        scene.jobs.admin().requeueDead(query, true, Duration.ofNanos(3_000), CALL);

    assertThat(revived.bulk()).isEqualTo(new Bulk(2, true));
    assertThat(scene.find("a").spec().runAt()).isNull();
    assertThat(scene.find("c").spec().runAt()).isEqualTo(scene.now().plus(MICROSECOND));
    assertThat(scene.state("b")).isEqualTo(JobState.DLQ);
    assertThat(scene.state("d")).isEqualTo(JobState.DLQ);
  }

  @Test
  void dead_jobs_are_purged_by_type_and_time() {
    dead(job("a"), "no");
    scene.pass(Duration.ofMillis(1));
    dead(job("b"), "no");
    scene.pass(Duration.ofMillis(1));
    dead(job("c"), "no");
    DeadQuery query =
        DeadQuery.of(QUEUE).died(scene.now().minusMillis(1), scene.now()).type("send");

    assertThat(scene.jobs.admin().purgeDead(query.type("other"), CALL))
        .isEqualTo(new Bulk(0, false));
    assertThat(scene.jobs.admin().purgeDead(query, CALL)).isEqualTo(new Bulk(1, false));
    assertThat(scene.jobs.reader().find("b", false, CALL)).isEmpty();
  }

  @Test
  void queues_are_listed_that_are_set_up_or_have_jobs() {
    scene.jobs.admin().resume("unknown", CALL);
    scene.enqueue(job("a").queue("with jobs"));
    scene.jobs.admin().pause("paused", null, CALL);
    scene.pass(Duration.ofSeconds(1));
    scene.jobs.admin().pause("paused", null, CALL);
    scene.limit("k", 3);

    List<JobQueueInfo> queues = scene.jobs.admin().queues(null, CALL);

    assertThat(queues)
        .extracting(JobQueueInfo::queue)
        .containsExactly(QUEUE, "paused", "with jobs");
    assertThat(queues.get(1).pausedAt()).isEqualTo(scene.now().minusSeconds(1));
    assertThat(scene.jobs.admin().queues("unknown", CALL)).hasSize(1);
  }

  @Test
  void retention_removes_what_has_been_kept_for_long_enough_and_frees_its_key() {
    scene.configure(
        JobQueueConfig.of(QUEUE)
            .keepDone(Duration.ofSeconds(10))
            .keepDead(JobQueueConfig.FOR_EVER));
    dead(job("dead"), "no");
    scene.enqueue(job("done").once("k"));
    scene.ack(scene.lease());
    scene.pass(Duration.ofMillis(9_999));

    int early = scene.jobs.upkeep().retain(CALL);
    scene.pass(Duration.ofMillis(1));
    int then = scene.jobs.upkeep().retain(CALL);

    assertThat(early).isZero();
    assertThat(then).isEqualTo(1);
    assertThat(scene.state("dead")).isEqualTo(JobState.DLQ);
    assertThat(scene.enqueued(job("again").once("k")).get(0).existed()).isFalse();
  }

  @Test
  void what_is_in_a_queue_is_counted_by_state() {
    dead(job("dead"), "no");
    scene.enqueue(job("done"));
    scene.ack(scene.lease());
    scene.enqueue(job("runs"));
    scene.lease();
    scene.enqueue(
        job("due").runAt(scene.now().minusSeconds(1)),
        job("ready").priority(1),
        job("scheduled").runIn(LEASE),
        job("gated").limitedBy("k"));

    var stats = scene.jobs.admin().stats(QUEUE, CALL);

    Map<JobState, Integer> counts =
        stats.counts().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().count()));
    assertThat(counts)
        .isEqualTo(
            Map.of(
                JobState.READY, 2,
                JobState.SCHEDULED, 1,
                JobState.GATED, 1,
                JobState.INFLIGHT, 1,
                JobState.DONE, 1,
                JobState.DLQ, 1));
    assertThat(stats.oldestReady()).isEqualTo(scene.find("ready").createdAt().minusSeconds(60));
    assertThat(stats.finishedLastMinute().count()).isEqualTo(1);
    assertThat(stats.diedLastMinute().count()).isEqualTo(1);
  }
}
