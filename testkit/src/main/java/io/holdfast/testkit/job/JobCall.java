package io.holdfast.testkit.job;

import io.holdfast.job.DeadQuery;
import io.holdfast.job.Held;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.Jobs;
import io.holdfast.job.Requeue;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** Everything that asks the store, with arguments that are fine. */
enum JobCall {
  ENQUEUE((jobs, held) -> jobs.enqueue(JobSuite.draft())),
  ENQUEUE_ASYNC((jobs, held) -> JobSuite.now(jobs.enqueueAsync(List.of(JobSuite.draft())))),
  RESERVE((jobs, held) -> jobs.reserve(JobSuite.request(1))),
  RESERVE_ASYNC(
      (jobs, held) -> JobSuite.now(jobs.reserveAsync(JobSuite.request(1), Duration.ZERO))),
  SETTLE((jobs, held) -> jobs.settle(List.of(Settlement.Ack.of(held)))),
  SETTLE_ASYNC((jobs, held) -> JobSuite.now(jobs.settleAsync(List.of(Settlement.Ack.of(held))))),
  EXTEND((jobs, held) -> jobs.extend(List.of(held), JobSuite.LEASE.multipliedBy(2))),
  CANCEL((jobs, held) -> jobs.cancel(List.of(held.id()))),
  REQUEUE((jobs, held) -> jobs.requeue(List.of(held.id()), Requeue.NOW)),
  INSPECT((jobs, held) -> jobs.inspect(held.id())),
  LIST((jobs, held) -> jobs.list(JobQuery.of(JobSuite.QUEUE))),
  TRACE((jobs, held) -> jobs.trace("trace")),
  EXPLAIN((jobs, held) -> jobs.explain(held.id())),
  CONFIGURE(
      (jobs, held) -> jobs.queues().configure(JobQueueConfig.of(JobSuite.QUEUE).deliveryLimit(7))),
  PAUSE((jobs, held) -> jobs.queues().pause(JobSuite.QUEUE)),
  RESUME((jobs, held) -> jobs.queues().resume(JobSuite.QUEUE)),
  QUEUES((jobs, held) -> jobs.queues().list()),
  QUEUE((jobs, held) -> jobs.queues().get(JobSuite.QUEUE)),
  STATS((jobs, held) -> jobs.queues().stats(JobSuite.QUEUE)),
  WORKERS((jobs, held) -> jobs.queues().workers()),
  REQUEUE_DEAD((jobs, held) -> jobs.dead().requeue(DeadQuery.of(JobSuite.QUEUE))),
  PURGE_DEAD((jobs, held) -> jobs.dead().purge(DeadQuery.of(JobSuite.QUEUE))),
  PUT_SCHEDULE(
      (jobs, held) -> jobs.schedules().put(ScheduleSpec.of("hourly", "@hourly", JobSuite.draft()))),
  SCHEDULES((jobs, held) -> jobs.schedules().list()),
  PING((jobs, held) -> jobs.ping());

  private final BiConsumer<Jobs, Held> call;

  JobCall(BiConsumer<Jobs, Held> call) {
    this.call = call;
  }

  /** Does it, about this run where it is about one. */
  void on(Jobs jobs, Held held) {
    call.accept(jobs, held);
  }
}
