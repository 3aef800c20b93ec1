package io.holdfast.memory;

import io.holdfast.job.Effects;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobError;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.lease.HandClock;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One queue of jobs, and a clock moved by hand. */
final class MemoryJobScene {
  static final String QUEUE = "mail";
  static final StoreCall CALL = StoreCall.plain();
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration MICROSECOND = Duration.ofNanos(1_000);

  final HandClock clock = new HandClock();
  final MemoryStore store = new MemoryStore(clock);
  final JobBackend jobs = store.jobs();
  final JobParts parts = (JobParts) jobs.reader();
  private long ms = 1_000_000;

  MemoryJobScene() {
    clock.to(ms);
  }

  Instant now() {
    return Instant.ofEpochMilli(ms);
  }

  void pass(Duration time) {
    ms += time.toMillis();
    clock.to(ms);
  }

  static NewJob job(String id) {
    return NewJob.of("send").id(id);
  }

  private static JobRow row(NewJob draft) {
    JobSpec.Keys keys = new JobSpec.Keys(draft.idempotencyKey(), draft.limitKey(), draft.traceId());
    String queue = Objects.requireNonNullElse(draft.queue(), QUEUE);
    return new JobRow(Objects.requireNonNull(draft.id()), queue, keys, draft);
  }

  Effects enqueue(NewJob... drafts) {
    return stored(drafts).effects();
  }

  JobStore.Stored stored(NewJob... drafts) {
    return jobs.store().enqueue(Arrays.stream(drafts).map(MemoryJobScene::row).toList(), CALL);
  }

  List<Enqueued> enqueued(NewJob... drafts) {
    return stored(drafts).jobs();
  }

  Reserved reserve(ReserveRequest request) {
    return jobs.store().reserve(request, CALL);
  }

  Reserved reserve(int limit) {
    return reserve(ReserveRequest.of(QUEUE, limit).leaseFor(LEASE));
  }

  /** The one job that is there to be had. */
  LeasedJob lease() {
    return reserve(1).jobs().get(0);
  }

  static List<String> ids(Reserved reserved) {
    return reserved.jobs().stream().map(LeasedJob::id).toList();
  }

  Settled settle(Settlement item) {
    return jobs.store().settle(List.of(item), CALL).settled().get(0);
  }

  JobError refused(Settlement item) {
    return settle(item).error();
  }

  Effects effects(Settlement item) {
    return jobs.store().settle(List.of(item), CALL).effects();
  }

  Settled ack(LeasedJob job) {
    return settle(Settlement.Ack.of(job.held()));
  }

  Settled retry(LeasedJob job, Duration delay) {
    return settle(Settlement.Retry.in(job.held(), delay, "oops"));
  }

  static Held held(LeasedJob job, String token) {
    return new Held(job.id(), token);
  }

  Job find(String id) {
    return jobs.reader().find(id, true, CALL).orElseThrow();
  }

  JobState state(String id) {
    return find(id).state();
  }

  void limit(String key, Integer maxRunning) {
    configure(JobQueueConfig.of(QUEUE).limit(key, maxRunning));
  }

  void configure(JobQueueConfig config) {
    jobs.limits().configure(config, CALL);
  }

  Effects admit(String key) {
    return jobs.limits().admit(Set.of(key(key)), CALL);
  }

  static QueueKey key(String key) {
    return new QueueKey(QUEUE, key);
  }
}
