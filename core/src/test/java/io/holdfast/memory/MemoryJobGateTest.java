package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.LEASE;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.ids;
import static io.holdfast.memory.MemoryJobScene.job;
import static io.holdfast.memory.MemoryJobScene.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Effects;
import io.holdfast.job.JobState;
import io.holdfast.job.JobUpkeep.Swept;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemoryJobGateTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MemoryJobScene scene = new MemoryJobScene();

  /** All of a batch are there: each was made a microsecond after the one before. */
  private void enqueue(NewJob... drafts) {
    scene.enqueue(drafts);
    scene.pass(Duration.ofMillis(1));
  }

  @Test
  void a_keyed_job_waits_at_the_gate_until_it_is_admitted() {
    scene.enqueue(job("a").limitedBy("k"));

    boolean isGivenBefore = !scene.reserve(1).jobs().isEmpty();
    Effects effects = scene.admit("k");

    assertThat(isGivenBefore).isFalse();
    assertThat(effects).isEqualTo(new Effects(Set.of(), Set.of(QUEUE)));
    assertThat(scene.admit("k")).isEqualTo(Effects.NONE);
    assertThat(scene.lease().job().spec().runAt()).isNull();
  }

  @Test
  void as_many_pass_as_there_are_slots_the_oldest_first() {
    scene.limit("k", 2);
    enqueue(job("c").limitedBy("k"), job("b").limitedBy("k"), job("a").limitedBy("k"));

    scene.admit("k");
    LeasedJob c = scene.lease();
    Effects none = scene.admit("k");
    scene.ack(c);
    scene.admit("k");

    assertThat(c.id()).isEqualTo("c");
    assertThat(none).isEqualTo(Effects.NONE);
    assertThat(ids(scene.reserve(9))).containsExactly("b", "a");
  }

  @Test
  void a_due_time_survives_the_gate_and_nobody_passes_before_it() {
    scene.enqueue(
        job("a").limitedBy("k").runIn(SECOND), job("past").limitedBy("k").runAt(Instant.EPOCH));
    Instant due = scene.now().plus(SECOND);

    scene.admit("k");
    JobState before = scene.state("a");
    scene.pass(SECOND);
    scene.admit("k");

    assertThat(before).isEqualTo(JobState.GATED);
    assertThat(scene.find("past").spec().runAt()).isNull();
    assertThat(scene.find("a").spec().runAt()).isEqualTo(due);
    assertThat(ids(scene.reserve(9))).containsExactly("past", "a");
  }

  @Test
  void an_expired_lease_keeps_its_slot() {
    scene.limit("k", 1);
    scene.enqueue(job("a").limitedBy("k"), job("b").limitedBy("k"));
    scene.admit("k");
    scene.lease();

    scene.pass(LEASE);
    scene.admit("k");

    assertThat(ids(scene.reserve(9))).containsExactly("a");
  }

  @Test
  void a_retry_and_a_release_that_waits_free_the_slot_and_a_plain_release_does_not() {
    scene.limit("k", 1);
    scene.enqueue(job("a").limitedBy("k"));
    scene.admit("k");

    Effects plain = scene.effects(new Settlement.Release(scene.lease().held(), null));
    JobState afterPlain = scene.state("a");
    Effects waiting = scene.effects(new Settlement.Release(scene.lease().held(), SECOND));
    JobState afterWaiting = scene.state("a");
    scene.pass(SECOND);
    scene.admit("k");
    Effects retried = scene.effects(Settlement.Retry.in(scene.lease().held(), null, "oops"));

    assertThat(plain).isEqualTo(new Effects(Set.of(), Set.of(QUEUE)));
    assertThat(afterPlain).isEqualTo(JobState.READY);
    assertThat(waiting).isEqualTo(new Effects(Set.of(key("k")), Set.of()));
    assertThat(afterWaiting).isEqualTo(JobState.GATED);
    assertThat(retried).isEqualTo(waiting);
    assertThat(scene.find("a").spec().runAt()).isEqualTo(scene.now());
  }

  @Test
  void a_key_without_a_limit_has_that_of_every_other_one_or_none() {
    scene.limit("*", 1);
    scene.limit("own", 2);
    for (String id : new String[] {"1", "2", "3"}) {
      enqueue(job("own" + id).limitedBy("own"), job("any" + id).limitedBy("any"));
    }

    int some = scene.jobs.upkeep().sweep(CALL).admitted();
    scene.limit("*", null);
    int rest = scene.jobs.upkeep().sweep(CALL).admitted();

    assertThat(some).isEqualTo(3);
    assertThat(rest).isEqualTo(2);
    assertThat(scene.state("own3")).isEqualTo(JobState.GATED);
  }

  @Test
  void a_lower_limit_preempts_nobody() {
    enqueue(job("a").limitedBy("k"), job("b").limitedBy("k"));
    scene.admit("k");
    scene.limit("k", 1);
    scene.enqueue(job("c").limitedBy("k"));

    scene.admit("k");

    assertThat(ids(scene.reserve(9))).containsExactly("a", "b");
  }

  @Test
  void sweeps_go_round_all_keys_that_have_somebody_who_may_pass() {
    IntStream.range(0, 300).forEach(i -> scene.enqueue(job("j" + i).limitedBy("k" + i)));
    scene.enqueue(job("later").limitedBy("k").runIn(SECOND));

    Swept first = scene.jobs.upkeep().sweep(CALL);
    Swept second = scene.jobs.upkeep().sweep(CALL);

    assertThat(first.admitted()).isEqualTo(200);
    assertThat(second.admitted()).isEqualTo(100);
    assertThat(scene.state("later")).isEqualTo(JobState.GATED);
  }

  @Test
  void keys_that_are_full_do_not_keep_a_sweep_from_the_others() {
    IntStream.range(0, 250).forEach(i -> scene.limit("k" + i, i < 200 ? 0 : 1));
    IntStream.range(0, 250).forEach(i -> scene.enqueue(job("j" + i).limitedBy("k" + i)));

    int admitted = 0;
    for (int i = 0; i < 2; i++) {
      admitted += scene.jobs.upkeep().sweep(CALL).admitted();
    }

    assertThat(admitted).isEqualTo(50);
  }
}
