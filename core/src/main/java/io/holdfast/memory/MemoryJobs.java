package io.holdfast.memory;

import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;

/**
 * Jobs in memory, as one process sees them. Every call is one transition under the lock of {@link
 * MemoryJobData}, so it is safe for use by many threads.
 */
record MemoryJobs(MemoryJobData data, Hints hints, Time time) implements JobBackend {
  @Override
  public JobStore store() {
    return new MemoryJobStore(data);
  }

  @Override
  public JobParts reader() {
    return new MemoryJobReader(data);
  }

  @Override
  public JobAdmin admin() {
    return new MemoryJobAdmin(data);
  }

  @Override
  public JobLimits limits() {
    return new MemoryJobLimits(data);
  }

  @Override
  public JobSchedules schedules() {
    return new MemoryJobSchedules(data);
  }

  @Override
  public JobUpkeep upkeep() {
    return new MemoryJobUpkeep(data);
  }

  @Override
  public JobTransactions transactions() {
    return JobTransactions.none();
  }
}
