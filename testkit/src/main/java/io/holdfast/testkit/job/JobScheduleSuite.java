package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobQuery;
import io.holdfast.job.Jobs;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the suites about recurring jobs have in common. */
abstract class JobScheduleSuite extends JobOperatorSuite {
  /** A schedule of {@link #TYPE} in {@link #QUEUE}. */
  protected static ScheduleSpec spec(String name, String cron) {
    return ScheduleSpec.of(name, cron, draft(name));
  }

  protected Schedule put(String name, String cron) {
    return jobs.schedules().put(spec(name, cron));
  }

  /** Fires what is due; answers how many slots that were. */
  protected int tick() {
    return jobs.runDuty(Jobs.DutyName.TICK);
  }

  protected Schedule schedule(String name) {
    return jobs.schedules().list().stream()
        .filter(one -> one.name().equals(name))
        .findAny()
        .orElseThrow(() -> new AssertionError("there is no schedule " + name));
  }

  /** Moves the clock to this instant, which lies ahead. */
  protected void moveTo(Instant at) {
    Duration by = Duration.between(instant(), at);
    assertThat(by.isNegative()).as("time goes on").isFalse();
    time.advance(by);
  }

  /** The slots that made a job in {@link #QUEUE}, in the order of their jobs. */
  protected List<Instant> fired() {
    return all(JobQuery.of(QUEUE).limit(500)).stream()
        .map(id -> jobs.inspect(id).spec().keys().idempotency())
        .map(JobScheduleSuite::slot)
        .sorted()
        .toList();
  }

  private static Instant slot(@Nullable String key) {
    assertThat(key).startsWith("schedule:");
    return Instant.parse(key.substring(key.indexOf(':', "schedule:".length()) + 1));
  }

  /** The job that a schedule made last. */
  protected Job lastJob(String name) {
    String id = schedule(name).lastJobId();
    assertThat(id).as("it has fired").isNotNull();
    return jobs.inspect(id);
  }
}
