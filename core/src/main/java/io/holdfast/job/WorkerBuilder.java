package io.holdfast.job;

import io.holdfast.lease.LeaseKeeper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Describes a worker. */
final class WorkerBuilder implements JobWorker.Builder {
  private static final int MAX_WEIGHT = 1_000;
  private static final int MAX_PLACES = 10_000;
  private static final int DEFAULT_SLOTS = 4;

  private final JobEngine jobs;
  private final Jobs door;
  private final Map<String, Integer> weights = new LinkedHashMap<>();
  private final Map<String, Function<JobCodec, Registration>> handlers = new LinkedHashMap<>();
  private final Map<String, Duration> timeouts = new LinkedHashMap<>();
  private final List<Middleware> middleware = new ArrayList<>();
  private int slots = DEFAULT_SLOTS;
  private int prefetch = -1;
  private Duration lease = ReserveRequest.DEFAULT_LEASE;
  private Duration poll = Duration.ofSeconds(1);
  private Duration timeoutGrace = Duration.ofSeconds(30);
  private Duration stop = Duration.ofSeconds(30);
  private RetryPolicy policy = RetryPolicy.DEFAULT;
  private JobCodec codec = JobCodec.plain();

  WorkerBuilder(JobEngine jobs, Jobs door) {
    this.jobs = jobs;
    this.door = door;
  }

  @Override
  public JobWorker.Builder queue(String name, int weight) {
    JobRules.checkQueue(name);
    JobRules.checkRange("weight", weight, 1, MAX_WEIGHT);
    weights.put(name, weight);
    return this;
  }

  @Override
  public <P> JobWorker.Builder handler(
      String type, Class<P> payload, JobHandler<? super P> handler) {
    if (JobTexts.isBlank(type)) {
      throw JobException.invalid("type must not be blank");
    }
    given("payload of '" + type + "'", payload);
    given("handler of '" + type + "'", handler);
    handlers.put(type, by -> Registration.of(by, payload, handler));
    return this;
  }

  @Override
  public <P> JobWorker.Builder action(
      String type, Class<P> payload, JobHandler.Action<? super P> action) {
    given("action of '" + type + "'", action);
    return this.<P>handler(
        type,
        payload,
        (value, context) -> {
          action.run(value, context);
          return null;
        });
  }

  @Override
  public <P> JobWorker.Builder async(
      String type, Class<P> payload, JobHandler.Async<? super P> handler) {
    given("handler of '" + type + "'", handler);
    return this.<P>handler(type, payload, handler::run);
  }

  @Override
  public JobWorker.Builder timeout(String type, Duration value) {
    timeouts.put(type, positive("timeout", value));
    return this;
  }

  @Override
  public JobWorker.Builder concurrency(int value) {
    JobRules.checkRange("concurrency", value, 1, MAX_PLACES);
    slots = value;
    return this;
  }

  @Override
  public JobWorker.Builder prefetch(int value) {
    JobRules.checkRange("prefetch", value, 0, MAX_PLACES);
    prefetch = value;
    return this;
  }

  @Override
  public JobWorker.Builder lease(Duration value) {
    JobRules.checkLease(value);
    if (value.toMillis() < LeaseKeeper.MIN_TTL_MS) {
      throw new JobException(
          JobError.INVALID_LEASE_DURATION, "a worker's lease must be at least 100 ms", null);
    }
    lease = value;
    return this;
  }

  @Override
  public JobWorker.Builder poll(Duration value) {
    poll = positive("poll", value);
    return this;
  }

  @Override
  public JobWorker.Builder retry(RetryPolicy value) {
    policy = given("retry", value);
    return this;
  }

  @Override
  public JobWorker.Builder middleware(Middleware value) {
    middleware.add(given("middleware", value));
    return this;
  }

  @Override
  public JobWorker.Builder codec(JobCodec value) {
    codec = given("codec", value);
    return this;
  }

  @Override
  public JobWorker.Builder timeoutGrace(Duration value) {
    timeoutGrace = notNegative("timeoutGrace", value);
    return this;
  }

  @Override
  public JobWorker.Builder stopTimeout(Duration value) {
    stop = notNegative("stopTimeout", value);
    return this;
  }

  private static <T> T given(String what, T value) {
    if (value == null) {
      throw JobException.invalid(what + " must not be null");
    }
    return value;
  }

  private static Duration positive(String what, Duration value) {
    if (notNegative(what, value).isZero()) {
      throw JobException.invalid(what + " must be longer than nothing");
    }
    return value;
  }

  private static Duration notNegative(String what, Duration value) {
    if (given(what, value).isNegative()) {
      throw JobException.invalid(what + " must not be negative");
    }
    return value;
  }

  @Override
  public JobWorker start() {
    if (handlers.isEmpty()) {
      throw JobException.invalid("handler: a worker needs at least one");
    }
    if (weights.isEmpty()) {
      weights.put(jobs.options.defaultQueue(), 1);
    }
    JobRules.checkRange("queues", weights.size(), 1, JobRules.MAX_QUEUES);
    jobs.start();
    return new WorkerRuntime(jobs, door, plan()).started();
  }

  private WorkerPlan plan() {
    Map<String, Registration> registered = new LinkedHashMap<>();
    handlers.forEach(
        (type, by) -> {
          Duration timeout = timeouts.getOrDefault(type, Duration.ZERO);
          registered.put(type, by.apply(codec).timeout(timeout));
        });
    return new WorkerPlan(
        WorkerId.make(),
        new LinkedHashMap<>(weights),
        registered,
        List.copyOf(middleware),
        new WorkerPlan.Places(slots, prefetch < 0 ? slots : prefetch),
        new WorkerPlan.Timing(lease, poll, timeoutGrace, stop),
        policy,
        codec);
  }
}
