package io.holdfast.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Effects;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobStats;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What operators ask of a server. Safe for use by many threads. */
record HttpJobAdmin(JobVerbs verbs) implements JobAdmin, JobLimits {
  @Override
  public Requeues requeue(List<String> ids, Requeue how, StoreCall call) {
    JobWire.JobRequeue body =
        new JobWire.JobRequeue(ids, how.queue(), how.runAt(), how.isResetting());
    List<Requeued> requeued =
        verbs.change("requeue", body, JobWire.JobRequeueReply.class, call).results().stream()
            .map(one -> new Requeued(one.id(), JobFailures.refusal(one.ok(), one.code())))
            .toList();
    return new Requeues(requeued, Effects.NONE);
  }

  @Override
  public Revived requeueDead(
      DeadQuery query, boolean isResetting, Duration spread, StoreCall call) {
    JobWire.JobRequeuedReply reply =
        verbs.change(
            "dlq.requeue", body(query, isResetting, spread), JobWire.JobRequeuedReply.class, call);
    return new Revived(new Bulk(reply.requeued(), reply.more()), Effects.NONE);
  }

  @Override
  public Bulk purgeDead(DeadQuery query, StoreCall call) {
    JobWire.JobPurgedReply reply =
        verbs.change("dlq.purge", body(query, null, null), JobWire.JobPurgedReply.class, call);
    return new Bulk(reply.purged(), reply.more());
  }

  private static JobWire.JobDead body(
      DeadQuery query, @Nullable Boolean isResetting, @Nullable Duration spread) {
    return new JobWire.JobDead(
        query.queue(),
        query.type(),
        query.reasonPrefix(),
        query.failedBefore(),
        query.failedAfter(),
        query.limit(),
        isResetting,
        JobForms.millis(spread));
  }

  @Override
  public void pause(String queue, @Nullable String by, StoreCall call) {
    verbs.look("queue.pause", new JobWire.JobOfQueue(queue), JobWire.JobNothing.class, call);
  }

  @Override
  public void resume(String queue, StoreCall call) {
    verbs.look("queue.resume", new JobWire.JobOfQueue(queue), JobWire.JobNothing.class, call);
  }

  @Override
  public List<JobQueueInfo> queues(@Nullable String queue, StoreCall call) {
    return verbs
        .look("queues", new JobWire.JobOfQueue(queue), JobWire.JobQueuesReply.class, call)
        .queues()
        .stream()
        .map(JobForms::queue)
        .toList();
  }

  @Override
  public JobStats stats(String queue, StoreCall call) {
    return JobForms.stats(
        verbs
            .look("stats", new JobWire.JobOfQueue(queue), JobWire.JobStatsReply.class, call)
            .queues()
            .get(0));
  }

  @Override
  public List<WorkerInfo> workers(StoreCall call) {
    return verbs
        .look("workers", new JobWire.JobOfQueue(null), JobWire.JobWorkersReply.class, call)
        .workers()
        .stream()
        .map(JobForms::worker)
        .toList();
  }

  @Override
  public JobQueueInfo configure(JobQueueConfig config, StoreCall call) {
    JobWire.JobConfigure body =
        new JobWire.JobConfigure(
            config.queue(),
            JobForms.millis(config.doneKeep()),
            deadKeep(config.deadKeep()),
            config.deliveryLimit(),
            config.defaultLimitKey(),
            config.limits().stream()
                .map(l -> new JobWire.JobKeyLimit(l.key(), l.maxRunning(), null, null, null))
                .toList());
    verbs.look("queue.configure", body, JobWire.JobNothing.class, call);
    return queues(config.queue(), call).get(0);
  }

  private static @Nullable JsonNode deadKeep(@Nullable Duration keep) {
    if (keep == null) {
      return null;
    }
    return keep.equals(JobQueueConfig.FOR_EVER)
        ? NullNode.getInstance()
        : DecimalNode.valueOf(Millis.of(keep));
  }

  /** The server admits by itself. */
  @Override
  public Effects admit(Set<QueueKey> keys, StoreCall call) {
    return Effects.NONE;
  }
}
