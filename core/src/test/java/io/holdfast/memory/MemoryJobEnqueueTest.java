package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.MICROSECOND;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.ids;
import static io.holdfast.memory.MemoryJobScene.job;
import static io.holdfast.memory.MemoryJobScene.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.job.Effects;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.NewJob;
import io.holdfast.job.QueueKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryJobEnqueueTest {
  private final MemoryJobScene scene = new MemoryJobScene();

  @Test
  void a_batch_keeps_its_order_a_microsecond_apart() {
    scene.enqueue(job("c"), job("b"), job("a"));

    assertThat(scene.find("a").createdAt())
        .isEqualTo(scene.now().plus(MICROSECOND.multipliedBy(2)));
    assertThat(ids(scene.reserve(3))).containsExactly("c", "b", "a");
  }

  @Test
  void a_key_answers_the_job_that_holds_it_whatever_became_of_it() {
    scene.enqueue(job("a").once("k"));
    scene.ack(scene.lease());

    List<Enqueued> again =
        scene.enqueued(job("b").once("k"), job("a").once("k"), job("c").once("k").queue("other"));

    assertThat(again)
        .containsExactly(
            new Enqueued("a", true), new Enqueued("a", true), new Enqueued("c", false));
    assertThat(scene.state("a")).isEqualTo(JobState.DONE);
  }

  @Test
  void a_taken_id_refuses_the_whole_batch() {
    scene.enqueue(job("a").once("k"));

    assertThatThrownBy(() -> scene.enqueue(job("b"), job("a")))
        .isInstanceOfSatisfying(
            JobException.class,
            e -> {
              assertThat(e.error()).isEqualTo(JobError.DUPLICATE_JOB_ID);
              assertThat(e.id()).isEqualTo("a");
            });
    assertThatThrownBy(() -> scene.enqueue(job("b"), job("b"))).isInstanceOf(JobException.class);
    assertThat(ids(scene.reserve(9))).containsExactly("a");
  }

  @Test
  void others_are_told_of_keys_with_waiters_and_of_queues_with_work_within_a_second() {
    Duration second = Duration.ofSeconds(1);

    Effects effects =
        scene.enqueue(
            job("soon").runIn(second),
            job("late").runIn(second.plus(MICROSECOND)).queue("late"),
            job("keyed").limitedBy("k").queue("keyed"));

    assertThat(effects.runnable()).containsExactly(QUEUE);
    assertThat(effects.keys()).extracting(QueueKey::queue).containsExactly("keyed");
  }

  @Test
  void a_queue_may_give_its_jobs_a_limit_key() {
    scene.configure(JobQueueConfig.of(QUEUE).defaultLimitKey("k"));

    Effects effects = scene.enqueue(job("a"));

    assertThat(effects.keys()).containsExactly(key("k"));
    assertThat(scene.state("a")).isEqualTo(JobState.GATED);
    assertThat(scene.find("a").spec().keys().limit()).isEqualTo("k");
  }

  @Test
  void an_imported_job_brings_its_past() {
    NewJob.Import past =
        new NewJob.Import(3, "old", scene.now().minusNanos(1), scene.now().minusSeconds(60));
    scene.enqueue(job("new").priority(1), job("old").imported(past));

    Job.History history = scene.find("old").history();
    assertThat(history.attempts()).isEqualTo(3);
    assertThat(history.lastError()).isEqualTo("old");
    assertThat(history.failedAt()).isEqualTo(scene.now().minus(MICROSECOND));
    assertThat(ids(scene.reserve(2))).containsExactly("new", "old");
  }

  @Test
  void nobody_shares_a_payload() {
    scene.enqueue(job("a").payload("x"));

    scene.find("a").spec().payload()[0] = 'y';

    assertThat(scene.lease().job().spec().payload()).containsExactly('x');
  }
}
