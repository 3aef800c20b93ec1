package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Slots that come, are shared by many nodes, are missed, and overlap. */
public abstract class JobTickContract extends JobScheduleSuite {
  private static final String EACH_MINUTE = "* * * * *";
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  @Guarantee("J83")
  void a_slot_fires_at_its_instant_and_once() {
    Instant slot = put("s", EACH_MINUTE).nextAt();
    moveTo(slot.minusMillis(1));
    assertThat(tick()).isZero();

    moveTo(slot);
    assertThat(tick()).isEqualTo(1);
    assertThat(tick()).isZero();

    Schedule fired = schedule("s");
    assertThat(fired.lastSlot()).isEqualTo(slot);
    assertThat(fired.nextAt()).isEqualTo(slot.plus(MINUTE));
    Job made = lastJob("s");
    assertThat(made.spec().keys().idempotency()).isEqualTo("schedule:s:" + slot);
    assertThat(made.createdAt()).isEqualTo(instant());
    assertThat(idsOf(reserve(10))).containsExactly(made.id());
  }

  @Test
  @Guarantee("J83")
  void a_slot_fires_once_however_many_nodes_tick_in_turn() {
    put("s", EACH_MINUTE);
    List<JobService> nodes = List.of(process(), process(), process());
    List<Instant> slots = new ArrayList<>();

    for (int round = 0; round < 5; round++) {
      slots.add(schedule("s").nextAt());
      moveTo(schedule("s").nextAt());
      int fired = nodes.stream().mapToInt(node -> node.runDuty(Jobs.DutyName.TICK)).sum();
      assertThat(fired).isEqualTo(1);
    }

    assertThat(fired()).containsExactlyElementsOf(slots);
  }

  @Test
  @Guarantee("J83")
  void a_slot_fires_once_however_many_nodes_tick_at_once() {
    put("a", EACH_MINUTE);
    put("b", "30 * * * * *");
    List<JobService> nodes = List.of(process(), process(), process(), process());
    int slots = 10;

    for (int round = 0; round < slots; round++) {
      moveTo(next());
      atOnce(nodes.size(), i -> () -> nodes.get(i).runDuty(Jobs.DutyName.TICK));
      tick();
    }

    assertThat(fired()).hasSize(slots).doesNotHaveDuplicates();
  }

  private Instant next() {
    return jobs.schedules().list().stream()
        .map(Schedule::nextAt)
        .min(Instant::compareTo)
        .orElseThrow();
  }

  @Test
  @Guarantee("J83")
  void a_slot_whose_job_is_there_already_does_not_fire() {
    Schedule put = put("s", EACH_MINUTE);
    String there = enqueue(draft("theirs").once("schedule:s:" + put.nextAt()));
    moveTo(put.nextAt());

    assertThat(tick()).isZero();

    assertThat(schedule("s").nextAt()).isEqualTo(put.nextAt().plus(MINUTE));
    assertThat(schedule("s").lastSlot()).isNull();
    assertThat(schedule("s").lastJobId()).isNull();
    assertThat(idsOf(reserve(10))).containsExactly(there);
  }

  @Test
  @Guarantee("J83")
  void a_slot_does_not_fire_again_when_its_job_is_gone() {
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    put("s", EACH_MINUTE);
    moveTo(schedule("s").nextAt());
    tick();
    jobs.ack(reserve().held());

    assertThat(tick()).isZero();
    assertThat(count()).isZero();
  }

  @Test
  @Guarantee("J83")
  void many_schedules_fire_in_one_round() {
    IntStream.range(0, 150).forEach(i -> put("s" + i, EACH_MINUTE));
    moveTo(schedule("s0").nextAt());

    assertThat(tick()).isEqualTo(150);

    assertThat(count()).isEqualTo(150);
    assertThat(tick()).isZero();
  }

  @Test
  @Guarantee("J83")
  void slots_fire_without_anybody_asking() {
    put("s", "@every 2s");

    for (int second = 0; second < 7; second++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(count()).isEqualTo(3);
  }

  @Test
  @Guarantee("J84")
  void a_slot_up_to_ten_seconds_late_is_on_time() {
    Instant slot = skipping("s").nextAt();
    moveTo(slot.plusSeconds(10));

    assertThat(tick()).isEqualTo(1);
    assertThat(fired()).containsExactly(slot);
  }

  @Test
  @Guarantee("J84")
  void skip_fires_no_missed_slot() {
    Instant slot = skipping("s").nextAt();
    moveTo(slot.plusMillis(10_001));

    assertThat(tick()).isZero();

    assertThat(schedule("s").nextAt()).isEqualTo(slot.plus(MINUTE));
    assertThat(schedule("s").lastSlot()).isNull();
    assertThat(count()).isZero();
  }

  @Test
  @Guarantee("J84")
  void skip_fires_the_slot_that_is_on_time_after_missed_ones() {
    Instant slot = skipping("s").nextAt();
    Instant fourth = slot.plus(MINUTE.multipliedBy(3));
    moveTo(fourth.plusSeconds(5));

    assertThat(tick()).isEqualTo(1);

    assertThat(fired()).containsExactly(fourth);
    assertThat(schedule("s").lastSlot()).isEqualTo(fourth);
  }

  @Test
  @Guarantee("J84")
  void run_once_fires_the_newest_missed_slot() {
    Instant slot = put("s", EACH_MINUTE).nextAt();
    Instant newest = slot.plus(Duration.ofDays(3));
    moveTo(newest.plusMillis(10_001));

    assertThat(tick()).isEqualTo(1);

    assertThat(fired()).containsExactly(newest);
    assertThat(schedule("s").lastSlot()).isEqualTo(newest);
    assertThat(schedule("s").nextAt()).isEqualTo(newest.plus(MINUTE));
  }

  @Test
  @Guarantee("J84")
  void run_once_fires_the_newest_missed_slot_and_then_those_on_time() {
    Instant slot = put("s", "*/20 * * * * *").nextAt();
    moveTo(slot.plusSeconds(63));

    assertThat(tick()).isEqualTo(2);

    assertThat(fired()).containsExactly(slot.plusSeconds(40), slot.plusSeconds(60));
    Schedule after = schedule("s");
    assertThat(after.lastSlot()).isEqualTo(slot.plusSeconds(60));
    assertThat(after.nextAt()).isEqualTo(slot.plusSeconds(80));
    List<LeasedJob> made = reserve(10);
    assertThat(made).extracting(LeasedJob::id).last().isEqualTo(after.lastJobId());
  }

  @Test
  @Guarantee("J84")
  void a_long_absence_is_over_in_one_round() {
    put("s", "* * * * * *");
    put("every", "@every 1s");
    time.advance(Duration.ofDays(4_000));

    assertThat(tick()).as("eleven on time and one missed, of each").isEqualTo(24);
    assertThat(tick()).isZero();
  }

  @Test
  void slots_may_overlap_unless_told_otherwise() {
    put("s", EACH_MINUTE);
    moveTo(schedule("s").nextAt());
    tick();
    reserve();
    moveTo(schedule("s").nextAt());

    assertThat(tick()).isEqualTo(1);
  }

  @Test
  void a_slot_that_must_not_overlap_waits_for_nothing_and_is_left_out() {
    exclusive("s");
    Instant first = fire();
    assertThat(state(lastJob("s").id())).isEqualTo(JobState.READY);
    leftOut(first);

    LeasedJob running = reserve();
    leftOut(first);
    time.advance(LEASE);
    leftOut(first);
    assertThat(extend(running.held(), LEASE).isOk()).isFalse();
    LeasedJob again = reserve();
    jobs.retry(again.held(), Duration.ofDays(1), "it broke");
    leftOut(first);
    requeue(again.id(), Requeue.NOW);
    jobs.ack(reserve().held());

    assertThat(fire()).isAfter(first);
  }

  @Test
  void a_job_that_was_given_up_cancelled_or_deleted_lets_the_next_slot_fire() {
    exclusive("s");
    fire();
    jobs.fail(reserve().held(), "broken");
    fire();
    cancel(lastJob("s").id());
    fire();
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    jobs.ack(reserve().held());
    fire();
  }

  @Test
  void slots_of_one_round_do_not_overlap_either() {
    exclusive("s");
    Instant slot = schedule("s").nextAt();
    moveTo(slot.plus(MINUTE).plusSeconds(5));

    assertThat(tick()).isEqualTo(1);

    assertThat(fired()).containsExactly(slot);
    assertThat(schedule("s").nextAt()).isEqualTo(slot.plus(MINUTE.multipliedBy(2)));
  }

  @Test
  void a_triggered_job_counts_as_the_last_one() {
    exclusive("s");
    Instant before = schedule("s").nextAt();
    jobs.schedules().trigger("s");
    moveTo(before);

    assertThat(tick()).isZero();
    jobs.ack(reserve().held());
    fire();
  }

  private void exclusive(String name) {
    jobs.schedules().put(spec(name, EACH_MINUTE).overlap(ScheduleSpec.Overlap.SKIP));
  }

  private Schedule skipping(String name) {
    return jobs.schedules().put(spec(name, EACH_MINUTE).missed(ScheduleSpec.Missed.SKIP));
  }

  /** Fires the next slot of schedule s. */
  private Instant fire() {
    Instant slot = schedule("s").nextAt();
    moveTo(slot);
    assertThat(tick()).isEqualTo(1);
    assertThat(schedule("s").lastSlot()).isEqualTo(slot);
    return slot;
  }

  /** The next slot of schedule s does not fire, and the last one stays what it was. */
  private void leftOut(Instant last) {
    Schedule before = schedule("s");
    moveTo(before.nextAt());
    assertThat(tick()).isZero();
    assertThat(schedule("s").lastSlot()).isEqualTo(last);
    assertThat(schedule("s").lastJobId()).isEqualTo(before.lastJobId());
    assertThat(schedule("s").nextAt()).isEqualTo(before.nextAt().plus(MINUTE));
  }
}
