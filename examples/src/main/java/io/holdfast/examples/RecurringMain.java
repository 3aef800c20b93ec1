package io.holdfast.examples;

import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.postgres.PostgresHoldfast;
import java.util.concurrent.CountDownLatch;

/** A schedule makes a job per slot: one, however many processes look after it. */
public final class RecurringMain {
  private static final CountDownLatch REPORTED = new CountDownLatch(2);

  private RecurringMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Jobs jobs = holdfast.jobs();
      jobs.worker()
          .queue("reports")
          .action(
              "report",
              String.class,
              (text, context) -> {
                System.out.println(
                    context.slot().isPresent() ? "a slot's report" : "an extra report");
                REPORTED.countDown();
              })
          .start();
      // tag::recurring[]
      NewJob report = NewJob.of("report").queue("reports");
      jobs.schedules()
          .put(ScheduleSpec.of("daily", "0 7 * * MON-FRI", report).zone("Europe/Berlin"));
      jobs.schedules().put(ScheduleSpec.of("often", "@every 1s", report));
      jobs.schedules().trigger("daily"); // now, whatever its slots
      // end::recurring[]
      REPORTED.await();
      for (Schedule schedule : jobs.schedules().list()) {
        System.out.println(schedule.name() + ", " + schedule.spec().cron());
        jobs.schedules().delete(schedule.name());
      }
    }
  }
}
