package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker with nothing else to do, on the machine's clock. */
@Timeout(60)
class IdleWorkerTest {
  @Test
  @Guarantee("W1")
  void it_settles_at_once_and_not_at_its_next_look() {
    try (Holdfast holdfast = Holdfast.inMemory()) {
      Jobs jobs = holdfast.jobs();
      jobs.worker()
          .poll(Duration.ofHours(1))
          .action("send", String.class, (text, context) -> {})
          .start();

      for (int i = 0; i < 20; i++) {
        String id = jobs.enqueue(NewJob.of("send").payload("a")).id();
        awaitDone(jobs, id);
      }
    }
  }

  private static void awaitDone(Jobs jobs, String id) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (jobs.inspect(id).state() != JobState.DONE) {
      assertThat(System.nanoTime()).as("it is settled").isLessThan(until);
      LockSupport.parkNanos(100_000);
    }
  }
}
