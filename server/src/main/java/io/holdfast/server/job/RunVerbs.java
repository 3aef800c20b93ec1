package io.holdfast.server.job;

import io.holdfast.client.job.JobWire;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobStore;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.job.WorkerInfo;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** How workers elsewhere get jobs and keep them. */
final class RunVerbs {
  private static final long LONGEST_WAIT_MS = 30_000;
  private static final int LONGEST_NAME = 64;

  private final Jobs jobs;
  private final HeldTimes held;
  private final Map<WaitName, CompletableFuture<Reserved>> waits = new ConcurrentHashMap<>();

  /** A wait, by the client's name for it; the names of others do not matter. */
  private record WaitName(String caller, String id) {}

  RunVerbs(Jobs jobs, HeldTimes held) {
    this.jobs = jobs;
    this.held = held;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("reserve", Role.WORK, "Leases jobs that may run now, or waits for one")
            .typed(JobWire.JobReserve.class, JobWire.JobReserveReply.class),
        this::reserve);
    routes.add(
        JobsApi.route("leave", Role.WORK, "Ends a reserve that waits, with what it has")
            .typed(JobWire.JobLeave.class, JobWire.JobLeaveReply.class),
        this::leave);
    routes.add(
        JobsApi.route("extend", Role.WORK, "Gives runs more, or less, time")
            .typed(JobWire.JobExtend.class, JobWire.JobExtendReply.class),
        this::extend);
    routes.add(
        JobsApi.route("heartbeat", Role.WORK, "Renews the leases of a worker, and shows it")
            .typed(JobWire.JobHeartbeat.class, JobWire.JobExtendReply.class),
        this::heartbeat);
  }

  private CompletableFuture<Answer> reserve(Exchange exchange) {
    JobWire.JobReserve body = WireJson.read(exchange, JobWire.JobReserve.class);
    ReserveRequest request = request(body);
    request.queues().forEach(share -> exchange.caller().require(share.queue()));
    long waitMs = Fields.or(body.waitMs(), 0L);
    if (waitMs < 0 || waitMs > LONGEST_WAIT_MS) {
      throw Refusal.malformed("'waitMs' must be 0 to " + LONGEST_WAIT_MS);
    }
    Documents.Payload form =
        Fields.is(body.json()) ? Documents.Payload.JSON : Documents.Payload.BYTES;
    CompletableFuture<Reserved> reserved;
    if (waitMs == 0) {
      reserved = exchange.blocking(() -> jobs.reserve(request), this::giveBack);
    } else {
      Duration wait = Duration.ofMillis(waitMs);
      exchange.mayTake(wait);
      reserved = exchange.awaited(named(exchange, body.waitId(), request, wait));
    }
    return reserved.thenApply(got -> answer(got, form));
  }

  /** A wait that its client can end by its name; that answers it as if it had been called off. */
  private CompletableFuture<Reserved> named(
      Exchange exchange, @Nullable String waitId, ReserveRequest request, Duration wait) {
    if (waitId == null) {
      return jobs.reserveAsync(request, wait);
    }
    WaitName name = name(exchange, waitId);
    CompletableFuture<Reserved> waiting = jobs.reserveAsync(request, wait);
    if (waits.putIfAbsent(name, waiting) != null) {
      waiting.cancel(true);
      throw JobException.invalid("waitId is in use");
    }
    waiting.whenComplete((done, failure) -> waits.remove(name, waiting));
    return waiting;
  }

  private static WaitName name(Exchange exchange, String waitId) {
    if (waitId.isEmpty() || waitId.length() > LONGEST_NAME) {
      throw Refusal.malformed("'waitId' must have 1 to " + LONGEST_NAME + " characters");
    }
    return new WaitName(exchange.caller().name(), waitId);
  }

  private CompletableFuture<Answer> leave(Exchange exchange) {
    JobWire.JobLeave body = WireJson.read(exchange, JobWire.JobLeave.class);
    CompletableFuture<Reserved> waiting =
        waits.get(name(exchange, Fields.given("waitId", body.waitId())));
    boolean isEnded = waiting != null && waiting.cancel(true);
    return CompletableFuture.completedFuture(WireJson.answer(new JobWire.JobLeaveReply(isEnded)));
  }

  private ReserveRequest request(JobWire.JobReserve body) {
    if (body.queue() != null && body.queues() != null) {
      throw JobException.invalid("queue and queues are two forms of one thing: give one");
    }
    int limit = Fields.or(body.limit(), 1);
    List<ReserveRequest.Share> shares;
    if (body.queues() == null) {
      String queue = Fields.or(body.queue(), jobs.defaultQueue());
      shares = List.of(ReserveRequest.Share.of(queue, limit));
    } else {
      shares =
          Fields.whole("queues", body.queues()).stream()
              .map(q -> ReserveRequest.Share.of(Fields.or(q.name(), ""), Fields.or(q.max(), limit)))
              .toList();
    }
    Duration lease = Fields.time("leaseMs", body.leaseMs(), ReserveRequest.DEFAULT_LEASE);
    return new ReserveRequest(shares, limit, lease, body.worker());
  }

  private Answer answer(Reserved reserved, Documents.Payload form) {
    if (!reserved.jobs().isEmpty()) {
      LeasedJob first = reserved.jobs().get(0);
      held.given(HeldTimes.Kind.JOB, first.job().queue(), first.held().token());
    }
    JobWire.JobReserveReply reply =
        new JobWire.JobReserveReply(
            reserved.jobs().stream().map(job -> Documents.leased(job, form)).toList(),
            reserved.paused().stream().sorted().toList(),
            Fields.flag(reserved.more()),
            reserved.at(),
            reserved.nextAt(),
            reserved.waited().isZero() ? null : reserved.waited().toMillis());
    return WireJson.answer(reply).orElse(() -> giveBack(reserved));
  }

  /** To their old places, free of charge. */
  private void giveBack(Reserved reserved) {
    if (!reserved.jobs().isEmpty()) {
      jobs.settle(
          reserved.jobs().stream().map(job -> new Settlement.Release(job.held(), null)).toList());
    }
  }

  private CompletableFuture<Answer> extend(Exchange exchange) {
    JobWire.JobExtend body = WireJson.read(exchange, JobWire.JobExtend.class);
    Duration lease = lease(body.leaseMs());
    List<Held> items = Fields.held(Fields.items("items", body.items()));
    return exchange.blocking(
        () -> {
          Fields.checkJobs(exchange, jobs, items.stream().map(Held::id).toList());
          List<Extended> extended = jobs.extend(items, lease);
          return WireJson.answer(
              new JobWire.JobExtendReply(
                  extended.stream().map(one -> extended(one, false)).toList()));
        });
  }

  private CompletableFuture<Answer> heartbeat(Exchange exchange) {
    JobWire.JobHeartbeat body = WireJson.read(exchange, JobWire.JobHeartbeat.class);
    JobStore.Heartbeat heartbeat =
        new JobStore.Heartbeat(
            worker(exchange, body.worker()), Fields.held(body.items()), lease(body.leaseMs()));
    return exchange.blocking(
        () -> {
          Fields.checkJobs(exchange, jobs, heartbeat.held().stream().map(Held::id).toList());
          List<JobStore.Beat> beats = jobs.heartbeat(heartbeat);
          return WireJson.answer(
              new JobWire.JobExtendReply(
                  beats.stream().map(beat -> extended(beat.extended(), beat.isBusy())).toList()));
        });
  }

  private static @Nullable WorkerInfo worker(
      Exchange exchange, JobWire.@Nullable JobWorkerDocument worker) {
    if (worker == null) {
      return null;
    }
    List<String> queues = Fields.whole("worker.queues", worker.queues());
    queues.forEach(queue -> exchange.caller().require(queue));
    return new WorkerInfo(
        Fields.or(worker.id(), ""),
        Fields.or(worker.host(), ""),
        queues,
        Fields.whole("worker.types", worker.types()),
        Fields.or(worker.slots(), 0),
        null,
        null);
  }

  private static Duration lease(java.math.@Nullable BigDecimal millis) {
    return Fields.time("leaseMs", Fields.given("leaseMs", millis), Duration.ZERO);
  }

  private static JobWire.JobExtended extended(Extended one, boolean isBusy) {
    JobError error = one.error();
    return new JobWire.JobExtended(
        one.id(),
        error == null && !isBusy,
        error == null ? one.token() : null,
        one.expiresAt(),
        Fields.flag(one.isCancelRequested()),
        Fields.flag(isBusy),
        error == null ? null : error.text());
  }
}
