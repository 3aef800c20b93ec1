package io.holdfast.testkit.job;

import io.holdfast.job.Cancelled;
import io.holdfast.job.DeadJobs;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Explanation;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueues;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Schedules;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Jobs that run inside their enqueue; everything else is as it was. */
record InlineJobs(Jobs jobs, Consumer<List<String>> run) implements Jobs {
  @Override
  public Enqueued enqueue(NewJob job) {
    return enqueue(List.of(job)).get(0);
  }

  @Override
  public List<Enqueued> enqueue(List<NewJob> drafts) {
    List<Enqueued> enqueued = jobs.enqueue(drafts);
    run.accept(enqueued.stream().filter(one -> !one.existed()).map(Enqueued::id).toList());
    return enqueued;
  }

  @Override
  public CompletableFuture<List<Enqueued>> enqueueAsync(List<NewJob> drafts) {
    return CompletableFuture.completedFuture(enqueue(drafts));
  }

  @Override
  public Reserved reserve(ReserveRequest request) {
    return jobs.reserve(request);
  }

  @Override
  public CompletableFuture<Reserved> reserveAsync(ReserveRequest request, Duration wait) {
    return jobs.reserveAsync(request, wait);
  }

  @Override
  public List<Settled> settle(List<? extends Settlement> items) {
    return jobs.settle(items);
  }

  @Override
  public CompletableFuture<List<Settled>> settleAsync(List<? extends Settlement> items) {
    return jobs.settleAsync(items);
  }

  @Override
  public List<Extended> extend(List<Held> items, Duration leaseFor) {
    return jobs.extend(items, leaseFor);
  }

  @Override
  public List<JobStore.Beat> heartbeat(JobStore.Heartbeat heartbeat) {
    return jobs.heartbeat(heartbeat);
  }

  @Override
  public List<Cancelled> cancel(List<String> ids) {
    return jobs.cancel(ids);
  }

  @Override
  public List<Requeued> requeue(List<String> ids, Requeue how) {
    return jobs.requeue(ids, how);
  }

  @Override
  public Job inspect(String id) {
    return jobs.inspect(id);
  }

  @Override
  public Job inspect(String id, boolean withPayload) {
    return jobs.inspect(id, withPayload);
  }

  @Override
  public JobPage list(JobQuery query) {
    return jobs.list(query);
  }

  @Override
  public List<Job> trace(String traceId) {
    return jobs.trace(traceId);
  }

  @Override
  public Explanation explain(String id) {
    return jobs.explain(id);
  }

  @Override
  public JobQueues queues() {
    return jobs.queues();
  }

  @Override
  public DeadJobs dead() {
    return jobs.dead();
  }

  @Override
  public Schedules schedules() {
    return jobs.schedules();
  }

  @Override
  public JobWorker.Builder worker() {
    return jobs.worker();
  }

  @Override
  public String defaultQueue() {
    return jobs.defaultQueue();
  }

  @Override
  public void ping() {
    jobs.ping();
  }

  @Override
  public void start() {
    jobs.start();
  }

  @Override
  public int runDuty(DutyName duty) {
    return jobs.runDuty(duty);
  }

  @Override
  public void close() {
    jobs.close();
  }
}
