package io.holdfast.job;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The {@link Jobs} over a store: checks arguments, and sends calls where they are served. */
public final class JobService implements Jobs {
  private final JobEngine jobs;
  private final EnqueueDesk enqueues;
  private final SettleDesk settles;
  private final Rota rota;
  private volatile Runnable afterSpread = () -> {};

  private JobService(JobEngine jobs) {
    this.jobs = jobs;
    this.enqueues = new EnqueueDesk(jobs);
    this.settles = new SettleDesk(jobs);
    this.rota = new Rota(jobs);
  }

  /** Jobs over {@code backend}; close them to end their duties. */
  public static JobService over(JobBackend backend, JobOptions options) {
    JobRules.checkQueue(options.defaultQueue());
    JobRules.checkRange("maxPayload", options.maxPayload(), 0, 64 << 20);
    return new JobService(new JobEngine(backend, options));
  }

  @Override
  public Enqueued enqueue(NewJob job) {
    return enqueue(List.of(job)).get(0);
  }

  @Override
  public List<Enqueued> enqueue(List<NewJob> drafts) {
    return JobEngine.join(enqueues.enqueue(drafts, true));
  }

  @Override
  public CompletableFuture<List<Enqueued>> enqueueAsync(List<NewJob> drafts) {
    return enqueues.enqueue(drafts, false);
  }

  @Override
  public Reserved reserve(ReserveRequest request) {
    JobRules.checkThread();
    JobRules.checkReserve(request);
    return jobs.call(() -> jobs.backend.store().reserve(request, jobs.storeCall()));
  }

  @Override
  public CompletableFuture<Reserved> reserveAsync(ReserveRequest request, Duration wait) {
    JobRules.checkThread();
    JobRules.checkReserve(request);
    JobRules.checkDelay("wait", wait);
    jobs.start();
    return jobs.backend.store() instanceof PatientJobStore patient
        ? DelegatedReserve.begin(jobs, patient, request, wait)
        : WaitingReserve.begin(jobs, request, wait);
  }

  @Override
  public List<Settled> settle(List<? extends Settlement> items) {
    return JobEngine.join(settles.settle(items, true));
  }

  @Override
  public CompletableFuture<List<Settled>> settleAsync(List<? extends Settlement> items) {
    return settles.settle(items, false);
  }

  @Override
  public List<Extended> extend(List<Held> items, Duration leaseFor) {
    JobRules.checkThread();
    JobRules.checkLease(leaseFor);
    JobRules.checkHeld(items);
    return jobs.call(() -> jobs.backend.store().extend(items, leaseFor, jobs.storeCall()));
  }

  @Override
  public List<JobStore.Beat> heartbeat(JobStore.Heartbeat heartbeat) {
    JobRules.checkThread();
    JobRules.checkHeartbeat(heartbeat);
    return jobs.call(() -> jobs.backend.store().beat(heartbeat, jobs.storeCall()));
  }

  @Override
  public List<Cancelled> cancel(List<String> ids) {
    JobRules.checkThread();
    JobRules.checkIds(ids);
    JobStore.Cancellations answer =
        jobs.call(() -> jobs.backend.store().cancel(ids, jobs.storeCall()));
    jobs.spread(answer.effects());
    jobs.becameUnwanted(
        answer.cancelled().stream()
            .filter(one -> one.result() == Cancelled.Result.REQUESTED)
            .map(Cancelled::id)
            .toList());
    return answer.cancelled();
  }

  @Override
  public List<Requeued> requeue(List<String> ids, Requeue how) {
    JobRules.checkThread();
    AdminRules.checkRequeue(ids, how);
    JobAdmin.Requeues answer =
        jobs.call(() -> jobs.backend.admin().requeue(ids, how, jobs.storeCall()));
    jobs.spread(answer.effects());
    return answer.requeued();
  }

  @Override
  public Job inspect(String id) {
    return inspect(id, true);
  }

  @Override
  public Job inspect(String id, boolean withPayload) {
    JobRules.checkThread();
    JobRules.checkId(id);
    return jobs.call(() -> jobs.backend.reader().find(id, withPayload, jobs.storeCall()))
        .orElseThrow(() -> JobException.notFound(id));
  }

  @Override
  public JobPage list(JobQuery query) {
    JobRules.checkThread();
    JobRules.checkQueue(query.queue());
    if (query.type() != null) {
      JobRules.checkText("type", query.type(), JobRules.MAX_NAME);
    }
    JobRules.checkLimit("limit", query.limit(), JobRules.MAX_PAGE);
    Lister.checkCursor(query);
    return jobs.call(() -> jobs.backend.reader().page(query, jobs.storeCall()));
  }

  @Override
  public List<Job> trace(String traceId) {
    JobRules.checkThread();
    String trace = JobRules.key("traceId", traceId, JobRules.MAX_TRACE);
    if (trace == null) {
      throw JobException.invalid("traceId must not be blank");
    }
    return jobs.call(() -> jobs.backend.reader().trace(trace, jobs.storeCall()));
  }

  @Override
  public Explanation explain(String id) {
    JobRules.checkThread();
    JobRules.checkId(id);
    return jobs.call(() -> jobs.backend.reader().explain(id, jobs.storeCall()))
        .orElseThrow(() -> JobException.notFound(id));
  }

  @Override
  public JobQueues queues() {
    return new QueuesHandle(jobs);
  }

  @Override
  public DeadJobs dead() {
    return new DeadHandle(jobs);
  }

  @Override
  public Schedules schedules() {
    return new SchedulesHandle(jobs);
  }

  @Override
  public JobWorker.Builder worker() {
    return new WorkerBuilder(jobs, this);
  }

  @Override
  public String defaultQueue() {
    return jobs.options.defaultQueue();
  }

  @Override
  public void ping() {
    JobRules.checkThread();
    jobs.call(() -> jobs.backend.admin().workers(jobs.storeCall()));
  }

  @Override
  public void start() {
    jobs.start();
  }

  @Override
  public int runDuty(DutyName duty) {
    JobRules.checkThread();
    return rota.run(duty);
  }

  /** Steps each duty once and says how much was done; for tests of stepped jobs. */
  public int step() {
    jobs.start();
    return jobs.engine.step();
  }

  /** How these jobs behave. */
  public JobOptions options() {
    return jobs.options;
  }

  /** What makes ids for these jobs. */
  public JobIds ids() {
    return jobs.ids;
  }

  /** Tells whom it concerns what a transaction meant that has been committed elsewhere. */
  public void spread(Effects effects) {
    jobs.spread(effects);
    afterSpread.run();
  }

  /** Runs {@code action} after each {@link #spread}, on its thread; for tests. */
  public void afterSpread(Runnable action) {
    afterSpread = action;
  }

  @Override
  public void close() {
    jobs.close();
    enqueues.close();
    settles.close();
  }
}
