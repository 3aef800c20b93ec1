package io.holdfast.benchmarks;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.postgres.PostgresHoldfast;
import java.time.Duration;

/** Ours beside many jobs in the same queue that wait for a key that is taken. */
final class BlockedKey extends HoldfastDrain {
  private final BenchJobs jobs;
  private final long gated;

  BlockedKey(BenchJobs jobs, long gated) {
    super(
        jobs,
        Targets.text("Holdfast beside %,d blocked jobs", gated),
        Duration.ZERO,
        Places.LIKE_PEERS);
    this.jobs = jobs;
    this.gated = gated;
  }

  @Override
  public void setUp() throws Exception {
    super.setUp();
    try (PostgresHoldfast opened = jobs.open()) {
      opened.jobs().queues().configure(JobQueueConfig.of(BenchJobs.QUEUE).limit(BenchJobs.KEY, 1));
    }
    jobs.loadGated(gated);
  }

  /** The blocked ones stay. */
  @Override
  public String clearing() {
    return "VACUUM " + table();
  }

  @Override
  public String unfinished() {
    return "limit_key IS NULL";
  }
}
