package io.holdfast.testkit.job;

import io.holdfast.job.JobOptions;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.lease.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Workers with threads of their own, whose process has the machine's clock. The store stays on the
 * manual one: leases expire and jobs become due when the test says so.
 */
public abstract class JobThreadedSuite extends JobWorkerSuite {
  protected static final JobOptions THREADED = JobOptions.DEFAULTS.withDuties(false);

  final BlockingHandler blocking = new BlockingHandler();

  @Override
  protected JobService openHome(FaultyJobStore behind) {
    behind.ticking(Time.system());
    return over(behind, THREADED);
  }

  @AfterEach
  void openGates() {
    blocking.openAll();
  }

  /** Producers have the machine's clock too: hints that follow each other are held back by it. */
  @BeforeEach
  void openProducer() {
    FaultyJobStore own = faulty();
    own.ticking(Time.system());
    jobs = over(own, THREADED);
  }

  /** One whose handlers block until the test lets them go. */
  JobWorker.Builder blocked() {
    return worker().handler(TYPE, String.class, blocking);
  }

  void awaitBegun(String text) {
    eventually(() -> blocking.begun().contains(text));
  }

  void awaitState(String id, JobState state) {
    eventually(() -> state(id) == state);
  }
}
