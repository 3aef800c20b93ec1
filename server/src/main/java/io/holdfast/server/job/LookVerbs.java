package io.holdfast.server.job;

import io.holdfast.client.job.JobDocument;
import io.holdfast.client.job.JobWire;
import io.holdfast.job.Job;
import io.holdfast.job.JobException;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Looking at jobs, queues and workers. */
final class LookVerbs {
  private static final int PAGE = 50;

  private final Jobs jobs;

  LookVerbs(Jobs jobs) {
    this.jobs = jobs;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("inspect", Role.READ, "A job")
            .typed(JobWire.JobInspect.class, JobWire.JobReply.class),
        this::inspect);
    routes.add(
        JobsApi.route("explain", Role.READ, "Why a job stands where it stands")
            .typed(JobWire.JobExplain.class, JobWire.JobExplainReply.class),
        this::explain);
    routes.add(
        JobsApi.route("list", Role.READ, "The jobs of a queue or a trace")
            .typed(JobWire.JobList.class, JobWire.JobListReply.class),
        exchange -> list(exchange, null));
    routes.add(
        JobsApi.route("dlq.list", Role.READ, "The dead letters of a queue")
            .typed(JobWire.JobList.class, JobWire.JobListReply.class),
        exchange -> list(exchange, JobState.DLQ.text()));
    routes.add(
        JobsApi.route("queues", Role.READ, "How queues are set up")
            .typed(JobWire.JobOfQueue.class, JobWire.JobQueuesReply.class),
        this::queues);
    routes.add(
        JobsApi.route("stats", Role.READ, "How much is in queues")
            .typed(JobWire.JobOfQueue.class, JobWire.JobStatsReply.class),
        this::stats);
    routes.add(
        JobsApi.route("workers", Role.READ, "The workers that have been seen lately")
            .typed(JobWire.JobOfQueue.class, JobWire.JobWorkersReply.class),
        this::workers);
  }

  private CompletableFuture<Answer> inspect(Exchange exchange) {
    JobWire.JobInspect body = WireJson.read(exchange, JobWire.JobInspect.class);
    boolean withPayload = Fields.is(body.withPayload());
    return exchange.blocking(
        () -> {
          Job job = jobs.inspect(Fields.or(body.id(), ""), withPayload);
          exchange.caller().require(job.queue());
          Documents.Payload form = withPayload ? Documents.Payload.BYTES : Documents.Payload.NONE;
          return WireJson.answer(new JobWire.JobReply(Documents.job(job, form)));
        });
  }

  private CompletableFuture<Answer> explain(Exchange exchange) {
    JobWire.JobExplain body = WireJson.read(exchange, JobWire.JobExplain.class);
    String id = Fields.or(body.id(), "");
    return exchange.blocking(
        () -> {
          Fields.checkJobs(exchange, jobs, List.of(id));
          return WireJson.answer(Documents.explanation(jobs.explain(id)));
        });
  }

  private CompletableFuture<Answer> list(Exchange exchange, @Nullable String state) {
    JobWire.JobList body = WireJson.read(exchange, JobWire.JobList.class);
    if (body.traceId() != null) {
      return trace(exchange, body, state);
    }
    if (state != null && body.state() != null && !body.state().equals(state)) {
      throw JobException.invalid("state must be " + state);
    }
    String queue = Fields.or(body.queue(), "");
    exchange.caller().require(queue);
    JobQuery query =
        new JobQuery(
            queue,
            state == null ? body.state() : state,
            body.type(),
            Fields.or(body.limit(), PAGE),
            body.cursor());
    return exchange.blocking(
        () -> {
          JobPage page = jobs.list(query);
          return WireJson.answer(
              new JobWire.JobListReply(documents(page.jobs()), page.nextCursor()));
        });
  }

  private CompletableFuture<Answer> trace(
      Exchange exchange, JobWire.JobList body, @Nullable String state) {
    boolean isMixed =
        body.queue() != null
            || body.state() != null
            || body.type() != null
            || body.limit() != null
            || body.cursor() != null;
    if (isMixed || state != null) {
      throw JobException.invalid("traceId stands alone");
    }
    String traceId = Fields.given("traceId", body.traceId());
    return exchange.blocking(
        () -> {
          List<Job> seen =
              jobs.trace(traceId).stream()
                  .filter(job -> exchange.caller().sees(job.queue()))
                  .toList();
          return WireJson.answer(new JobWire.JobListReply(documents(seen), null));
        });
  }

  private static List<JobDocument> documents(List<Job> found) {
    return found.stream().map(job -> Documents.job(job, Documents.Payload.NONE)).toList();
  }

  private CompletableFuture<Answer> queues(Exchange exchange) {
    String queue = queue(exchange);
    return exchange.blocking(
        () ->
            WireJson.answer(
                new JobWire.JobQueuesReply(
                    infos(exchange, queue).stream().map(Documents::queue).toList())));
  }

  private CompletableFuture<Answer> stats(Exchange exchange) {
    String queue = queue(exchange);
    return exchange.blocking(
        () -> {
          List<String> names =
              queue != null
                  ? List.of(queue)
                  : infos(exchange, null).stream().map(JobQueueInfo::queue).toList();
          return WireJson.answer(
              new JobWire.JobStatsReply(
                  names.stream().map(jobs.queues()::stats).map(Documents::stats).toList()));
        });
  }

  private List<JobQueueInfo> infos(Exchange exchange, @Nullable String queue) {
    return queue != null
        ? List.of(jobs.queues().get(queue))
        : jobs.queues().list().stream()
            .filter(info -> exchange.caller().sees(info.queue()))
            .toList();
  }

  private CompletableFuture<Answer> workers(Exchange exchange) {
    String queue = queue(exchange);
    return exchange.blocking(
        () ->
            WireJson.answer(
                new JobWire.JobWorkersReply(
                    jobs.queues().workers().stream()
                        .filter(worker -> queue == null || worker.queues().contains(queue))
                        .filter(
                            worker -> worker.queues().stream().anyMatch(exchange.caller()::sees))
                        .map(worker -> Documents.worker(worker, exchange.caller()))
                        .toList())));
  }

  private static @Nullable String queue(Exchange exchange) {
    String queue = WireJson.read(exchange, JobWire.JobOfQueue.class).queue();
    if (queue != null) {
      exchange.caller().require(queue);
    }
    return queue;
  }
}
