package io.holdfast.server.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.job.JobWire;
import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobException;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.Jobs;
import io.holdfast.job.Requeue;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What operators do to jobs and queues. */
final class OperatorVerbs {
  private static final JobWire.JobNothing NOTHING = new JobWire.JobNothing();

  private final Jobs jobs;

  OperatorVerbs(Jobs jobs) {
    this.jobs = jobs;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("cancel", Role.ADMIN, "Ends jobs that wait, asks running ones to end")
            .typed(JobWire.JobCancel.class, JobWire.JobCancelReply.class),
        this::cancel);
    routes.add(
        JobsApi.route("requeue", Role.ADMIN, "Returns dead, cancelled or scheduled jobs")
            .typed(JobWire.JobRequeue.class, JobWire.JobRequeueReply.class),
        this::requeue);
    routes.add(
        JobsApi.route("dlq.requeue", Role.ADMIN, "Returns many dead letters")
            .typed(JobWire.JobDead.class, JobWire.JobRequeuedReply.class),
        this::requeueDead);
    routes.add(
        JobsApi.route("dlq.purge", Role.ADMIN, "Deletes many dead letters")
            .typed(JobWire.JobDead.class, JobWire.JobPurgedReply.class),
        this::purgeDead);
    routes.add(
        JobsApi.route("queue.configure", Role.ADMIN, "Changes the settings of a queue")
            .typed(JobWire.JobConfigure.class, JobWire.JobNothing.class),
        this::configure);
    routes.add(
        JobsApi.route("queue.pause", Role.ADMIN, "From now on the queue gives nothing")
            .typed(JobWire.JobOfQueue.class, JobWire.JobNothing.class),
        exchange -> onQueue(exchange, jobs.queues()::pause));
    routes.add(
        JobsApi.route("queue.resume", Role.ADMIN, "Ends a pause")
            .typed(JobWire.JobOfQueue.class, JobWire.JobNothing.class),
        exchange -> onQueue(exchange, jobs.queues()::resume));
  }

  private CompletableFuture<Answer> cancel(Exchange exchange) {
    JobWire.JobCancel body = WireJson.read(exchange, JobWire.JobCancel.class);
    List<String> ids = Fields.items("ids", body.ids());
    return exchange.blocking(
        () -> {
          Fields.checkJobs(exchange, jobs, ids);
          return WireJson.answer(
              new JobWire.JobCancelReply(
                  jobs.cancel(ids).stream()
                      .map(one -> new JobWire.JobCancelled(one.id(), one.result().text()))
                      .toList()));
        });
  }

  private CompletableFuture<Answer> requeue(Exchange exchange) {
    JobWire.JobRequeue body = WireJson.read(exchange, JobWire.JobRequeue.class);
    List<String> ids = Fields.items("ids", body.ids());
    Requeue how = new Requeue(body.queue(), body.runAt(), Fields.or(body.resetAttempts(), true));
    return exchange.blocking(
        () -> {
          Fields.checkJobs(exchange, jobs, ids);
          return WireJson.answer(
              new JobWire.JobRequeueReply(
                  jobs.requeue(ids, how).stream()
                      .map(
                          one ->
                              new JobWire.JobRequeued(
                                  one.id(),
                                  one.error() == null,
                                  one.error() == null ? null : one.error().text()))
                      .toList()));
        });
  }

  private CompletableFuture<Answer> requeueDead(Exchange exchange) {
    JobWire.JobDead body = WireJson.read(exchange, JobWire.JobDead.class);
    DeadQuery query = query(exchange, body);
    Duration spread = Fields.time("spreadMs", body.spreadMs(), Duration.ZERO);
    boolean isResetting = Fields.or(body.resetAttempts(), true);
    return exchange.blocking(
        () -> {
          Bulk bulk = jobs.dead().requeue(query, isResetting, spread);
          return WireJson.answer(new JobWire.JobRequeuedReply(bulk.count(), bulk.more()));
        });
  }

  private CompletableFuture<Answer> purgeDead(Exchange exchange) {
    JobWire.JobDead body = WireJson.read(exchange, JobWire.JobDead.class);
    if (body.resetAttempts() != null || body.spreadMs() != null) {
      throw Refusal.malformed("'resetAttempts' and 'spreadMs' make no sense here");
    }
    DeadQuery query = query(exchange, body);
    return exchange.blocking(
        () -> {
          Bulk bulk = jobs.dead().purge(query);
          return WireJson.answer(new JobWire.JobPurgedReply(bulk.count(), bulk.more()));
        });
  }

  private static DeadQuery query(Exchange exchange, JobWire.JobDead body) {
    String queue = Fields.or(body.queue(), "");
    exchange.caller().require(queue);
    DeadQuery all = DeadQuery.of(queue);
    return all.type(body.type())
        .reason(body.reasonPrefix())
        .died(body.failedAfter(), body.failedBefore())
        .limit(Fields.or(body.limit(), all.limit()));
  }

  private CompletableFuture<Answer> configure(Exchange exchange) {
    JobWire.JobConfigure body = WireJson.read(exchange, JobWire.JobConfigure.class);
    String queue = Fields.or(body.queue(), "");
    exchange.caller().require(queue);
    JobQueueConfig config =
        new JobQueueConfig(
            queue,
            Fields.time("doneKeepMs", body.doneKeepMs()),
            deadKeep(body.dlqKeepMs()),
            body.deliveryLimit(),
            body.defaultLimitKey(),
            limits(body.limits()));
    return exchange.blocking(
        () -> {
          jobs.queues().configure(config);
          return WireJson.answer(NOTHING);
        });
  }

  private static @Nullable Duration deadKeep(@Nullable JsonNode millis) {
    if (millis == null) {
      return null;
    }
    if (!millis.isNull() && !millis.isNumber()) {
      throw Refusal.malformed("'dlqKeepMs' must be a number or null");
    }
    if (millis.isNumber() && !Double.isFinite(millis.doubleValue())) {
      throw Refusal.malformed("'dlqKeepMs' is out of range");
    }
    return millis.isNull()
        ? JobQueueConfig.FOR_EVER
        : Fields.time("dlqKeepMs", millis.decimalValue());
  }

  private static List<JobQueueConfig.KeyLimit> limits(@Nullable List<JobWire.JobKeyLimit> given) {
    List<JobQueueConfig.KeyLimit> limits = new ArrayList<>();
    for (JobWire.JobKeyLimit limit : Fields.whole("limits", given)) {
      if (limit.rate() != null || limit.perMs() != null || limit.burst() != null) {
        throw JobException.invalid("rate, perMs and burst are not supported yet");
      }
      limits.add(new JobQueueConfig.KeyLimit(Fields.or(limit.key(), ""), limit.maxRunning()));
    }
    return limits;
  }

  private CompletableFuture<Answer> onQueue(Exchange exchange, Consumer<String> action) {
    String queue = Fields.or(WireJson.read(exchange, JobWire.JobOfQueue.class).queue(), "");
    exchange.caller().require(queue);
    return exchange.blocking(
        () -> {
          action.accept(queue);
          return WireJson.answer(NOTHING);
        });
  }
}
