package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Effects;
import io.holdfast.job.Job;
import io.holdfast.job.JobSchedules.Triggered;
import io.holdfast.job.JobUpkeep.Ticked;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.ScheduleSpec.Missed;
import io.holdfast.job.ScheduleSpec.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryJobTickTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final NewJob JOB = NewJob.of("report").queue(QUEUE).payload("x").priority(1);
  private static final ScheduleSpec EVERY_MINUTE = ScheduleSpec.of("s", "* * * * *", JOB);

  private final MemoryJobScene scene = new MemoryJobScene();
  private Instant firstSlot = Instant.EPOCH;

  @BeforeEach
  void begin_on_a_full_minute() {
    scene.pass(Duration.ofSeconds(20));
    firstSlot = scene.now().plus(MINUTE);
  }

  private Schedule put(ScheduleSpec spec) {
    return scene.jobs.schedules().put(spec, CALL);
  }

  private Schedule schedule() {
    return scene.jobs.schedules().list(CALL).get(0);
  }

  private Ticked tick() {
    return scene.jobs.upkeep().tick(CALL);
  }

  private List<String> slotKeys() {
    return scene.reserve(100).jobs().stream()
        .map(LeasedJob::job)
        .map(job -> Objects.requireNonNull(job.spec().keys().idempotency()))
        .toList();
  }

  @Test
  void a_slot_fires_once_exactly_when_it_has_come() {
    put(EVERY_MINUTE);
    scene.pass(Duration.ofMillis(59_999));

    Ticked early = tick();
    scene.pass(Duration.ofMillis(1));
    Ticked then = tick();
    Ticked again = tick();

    assertThat(early).isEqualTo(new Ticked(0, Effects.NONE, Duration.ofMillis(1)));
    assertThat(then).isEqualTo(new Ticked(1, new Effects(Set.of(), Set.of(QUEUE)), MINUTE));
    assertThat(again).isEqualTo(new Ticked(0, Effects.NONE, MINUTE));
    LeasedJob leased = scene.lease();
    assertThat(leased.job().spec().keys().idempotency()).isEqualTo("schedule:s:" + firstSlot);
    assertThat(leased.job().spec().payload()).containsExactly('x');
    assertThat(schedule())
        .isEqualTo(
            new Schedule(schedule().spec(), true, firstSlot.plus(MINUTE), firstSlot, leased.id()));
  }

  @Test
  void of_missed_slots_the_newest_fires_before_those_in_time() {
    put(EVERY_MINUTE);
    scene.pass(MINUTE.multipliedBy(4).plusSeconds(10));

    tick();

    assertThat(slotKeys())
        .containsExactly(
            "schedule:s:" + firstSlot.plus(MINUTE.multipliedBy(2)),
            "schedule:s:" + firstSlot.plus(MINUTE.multipliedBy(3)));
  }

  @Test
  void missed_slots_may_be_skipped_and_the_next_one_is_ahead() {
    put(EVERY_MINUTE.missed(Missed.SKIP));
    scene.pass(MINUTE.multipliedBy(4).plusMillis(10_001));

    Ticked ticked = tick();

    assertThat(ticked.fired()).isZero();
    assertThat(schedule().nextAt()).isEqualTo(firstSlot.plus(MINUTE.multipliedBy(4)));
    assertThat(schedule().lastSlot()).isNull();
  }

  @Test
  void a_slot_does_not_overlap_an_unfinished_job_if_that_is_not_wanted() {
    put(EVERY_MINUTE.overlap(Overlap.SKIP));
    scene.pass(MINUTE.multipliedBy(2));

    int both = tick().fired();
    scene.pass(MINUTE);
    int waiting = tick().fired();
    LeasedJob running = scene.lease();
    scene.ack(running);
    scene.pass(MINUTE);
    int free = tick().fired();

    assertThat(both).isEqualTo(1);
    assertThat(waiting).isZero();
    assertThat(free).isEqualTo(1);
    assertThat(schedule().lastSlot()).isEqualTo(firstSlot.plus(MINUTE.multipliedBy(3)));
  }

  @Test
  void a_slot_whose_key_is_taken_does_not_fire() {
    String slotKey = "schedule:s:" + firstSlot;
    scene.enqueue(MemoryJobScene.job("a").once(slotKey));
    put(EVERY_MINUTE);
    scene.pass(MINUTE);

    Ticked ticked = tick();

    assertThat(ticked.fired()).isZero();
    assertThat(schedule().lastJobId()).isNull();
    assertThat(schedule().nextAt()).isEqualTo(firstSlot.plus(MINUTE));
  }

  @Test
  void a_keyed_schedule_makes_jobs_that_wait_at_the_gate() {
    put(ScheduleSpec.of("s", "* * * * *", JOB.limitedBy("k")));
    scene.pass(MINUTE);

    assertThat(tick().effects()).isEqualTo(new Effects(Set.of(key("k")), Set.of()));
  }

  @Test
  void a_paused_schedule_fires_nothing_and_resumes_with_the_next_slot() {
    put(EVERY_MINUTE);
    scene.jobs.schedules().enable("s", false, CALL);
    scene.pass(MINUTE.multipliedBy(3));

    Ticked paused = tick();
    Instant kept = schedule().nextAt();
    scene.jobs.schedules().enable("s", true, CALL);

    assertThat(paused).isEqualTo(new Ticked(0, Effects.NONE, null));
    assertThat(kept).isEqualTo(firstSlot);
    assertThat(schedule().nextAt()).isEqualTo(scene.now().plus(MINUTE));
  }

  @Test
  void a_changed_schedule_keeps_its_next_slot_while_its_times_are_the_same() {
    put(EVERY_MINUTE);
    scene.pass(Duration.ofSeconds(90));

    Schedule same = put(EVERY_MINUTE.missed(Missed.SKIP));
    Schedule other = put(EVERY_MINUTE.zone("Europe/Berlin"));

    assertThat(same.nextAt()).isEqualTo(firstSlot);
    assertThat(other.nextAt()).isEqualTo(firstSlot.plus(MINUTE));
  }

  @Test
  void a_schedule_can_be_triggered_out_of_turn() {
    put(EVERY_MINUTE);

    Triggered triggered = scene.jobs.schedules().trigger("s", CALL).orElseThrow();

    Job job = scene.find(triggered.jobId());
    assertThat(job.spec().keys().idempotency()).isNull();
    assertThat(triggered.effects().runnable()).containsExactly(QUEUE);
    assertThat(schedule().lastJobId()).isEqualTo(job.id());
    assertThat(schedule().lastSlot()).isNull();
    assertThat(scene.jobs.schedules().trigger("none", CALL)).isEmpty();
  }
}
