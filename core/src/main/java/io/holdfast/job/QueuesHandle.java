package io.holdfast.job;

import java.util.List;

/** The {@link JobQueues} of a service. */
record QueuesHandle(JobEngine jobs) implements JobQueues {
  @Override
  public JobQueueInfo configure(JobQueueConfig config) {
    JobRules.checkThread();
    JobQueueConfig checked = AdminRules.checked(config);
    JobQueueInfo info = jobs.call(() -> jobs.backend.limits().configure(checked, jobs.storeCall()));
    jobs.becameDifferent(config.queue());
    return info;
  }

  @Override
  public void pause(String queue) {
    JobRules.checkThread();
    JobRules.checkQueue(queue);
    jobs.call(
        () -> {
          jobs.backend.admin().pause(queue, null, jobs.storeCall());
          return true;
        });
    jobs.becameDifferent(queue);
  }

  @Override
  public void resume(String queue) {
    JobRules.checkThread();
    JobRules.checkQueue(queue);
    jobs.call(
        () -> {
          jobs.backend.admin().resume(queue, jobs.storeCall());
          return true;
        });
    jobs.becameDifferent(queue);
  }

  @Override
  public List<JobQueueInfo> list() {
    JobRules.checkThread();
    return jobs.call(() -> jobs.backend.admin().queues(null, jobs.storeCall()));
  }

  @Override
  public JobQueueInfo get(String queue) {
    JobRules.checkThread();
    JobRules.checkQueue(queue);
    return jobs.call(() -> jobs.backend.admin().queues(queue, jobs.storeCall())).get(0);
  }

  @Override
  public JobStats stats(String queue) {
    JobRules.checkThread();
    JobRules.checkQueue(queue);
    return jobs.call(() -> jobs.backend.admin().stats(queue, jobs.storeCall()));
  }

  @Override
  public List<WorkerInfo> workers() {
    JobRules.checkThread();
    return jobs.call(() -> jobs.backend.admin().workers(jobs.storeCall()));
  }
}
