package io.holdfast.server.job;

import io.holdfast.client.job.JobWire;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobException;
import io.holdfast.job.Jobs;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** What workers elsewhere say about their runs. */
final class SettleVerbs {
  /** A thousand outputs or checkpoints of ordinary size, or some of the largest. */
  private static final long BODY_LIMIT = 16L << 20;

  private final Jobs jobs;
  private final HeldTimes held;

  SettleVerbs(Jobs jobs, HeldTimes held) {
    this.jobs = jobs;
    this.held = held;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("ack", Role.WORK, "Runs that succeeded")
            .limit(BODY_LIMIT)
            .typed(JobWire.JobAck.class, JobWire.JobSettleReply.class),
        this::ack);
    routes.add(
        JobsApi.route("retry", Role.WORK, "Runs that failed and are worth another try")
            .limit(BODY_LIMIT)
            .typed(JobWire.JobRetry.class, JobWire.JobSettleReply.class),
        this::retry);
    routes.add(
        JobsApi.route("fail", Role.WORK, "Runs whose jobs are given up")
            .limit(BODY_LIMIT)
            .typed(JobWire.JobFail.class, JobWire.JobSettleReply.class),
        this::fail);
    routes.add(
        JobsApi.route("release", Role.WORK, "Runs that ended without an outcome")
            .typed(JobWire.JobRelease.class, JobWire.JobSettleReply.class),
        this::release);
    routes.add(
        JobsApi.route("progress", Role.WORK, "How far runs are")
            .limit(BODY_LIMIT)
            .typed(JobWire.JobProgress.class, JobWire.JobSettleReply.class),
        this::progress);
  }

  private CompletableFuture<Answer> ack(Exchange exchange) {
    List<JobWire.JobAckItem> items =
        Fields.items("items", WireJson.read(exchange, JobWire.JobAck.class).items());
    List<Settlement> settlements = new ArrayList<>();
    for (JobWire.JobAckItem item : items) {
      Held held = Fields.held(item.id(), item.token());
      byte[] output = Fields.content("output", item.output(), item.outputBase64());
      settlements.add(new Settlement.Ack(held, output));
    }
    return settle(exchange, settlements);
  }

  private CompletableFuture<Answer> fail(Exchange exchange) {
    List<JobWire.JobFailItem> items =
        Fields.items("items", WireJson.read(exchange, JobWire.JobFail.class).items());
    List<Settlement> settlements = new ArrayList<>();
    for (JobWire.JobFailItem item : items) {
      Held held = Fields.held(item.id(), item.token());
      settlements.add(new Settlement.Fail(held, item.reason(), item.error(), item.attempts()));
    }
    return settle(exchange, settlements);
  }

  private CompletableFuture<Answer> release(Exchange exchange) {
    List<JobWire.JobReleaseItem> items =
        Fields.items("items", WireJson.read(exchange, JobWire.JobRelease.class).items());
    List<Settlement> settlements = new ArrayList<>();
    for (JobWire.JobReleaseItem item : items) {
      Held held = Fields.held(item.id(), item.token());
      settlements.add(new Settlement.Release(held, Fields.time("delayMs", item.delayMs())));
    }
    return settle(exchange, settlements);
  }

  private CompletableFuture<Answer> progress(Exchange exchange) {
    List<JobWire.JobProgressItem> items =
        Fields.items("items", WireJson.read(exchange, JobWire.JobProgress.class).items());
    List<Settlement> settlements = new ArrayList<>();
    for (JobWire.JobProgressItem item : items) {
      Held held = Fields.held(item.id(), item.token());
      byte[] checkpoint = Fields.bytes("checkpointBase64", item.checkpointBase64());
      settlements.add(new Settlement.Report(held, item.percent(), item.note(), checkpoint));
    }
    return settle(exchange, settlements);
  }

  private CompletableFuture<Answer> retry(Exchange exchange) {
    List<JobWire.JobRetryItem> items =
        Fields.items("items", WireJson.read(exchange, JobWire.JobRetry.class).items());
    items.forEach(SettleVerbs::checkForm);
    if (items.stream().noneMatch(item -> Fields.is(item.policy()))) {
      return settle(exchange, items.stream().map(SettleVerbs::asked).toList());
    }
    return exchange
        .blocking(() -> items.stream().map(this::judged).toList())
        .thenCompose(settlements -> settle(exchange, settlements));
  }

  private static void checkForm(JobWire.JobRetryItem item) {
    if (Fields.is(item.policy()) && (item.runAt() != null || item.delayMs() != null)) {
      throw JobException.invalid("policy, runAt and delayMs are forms of one thing: give one");
    }
  }

  private static Settlement asked(JobWire.JobRetryItem item) {
    return new Settlement.Retry(
        Fields.held(item.id(), item.token()),
        item.runAt(),
        Fields.time("delayMs", item.delayMs()),
        Fields.or(item.error(), ""),
        item.attempts(),
        item.failedAt());
  }

  /** As the default policy says; a job that is not there is left to be refused. */
  private Settlement judged(JobWire.JobRetryItem item) {
    Held held = Fields.held(item.id(), item.token());
    Job job = Fields.is(item.policy()) ? Fields.found(jobs, held.id()) : null;
    if (job == null) {
      return asked(item);
    }
    String error = Fields.or(item.error(), "");
    int before = item.attempts() == null ? job.history().attempts() : item.attempts() - 1;
    RetryPolicy.Verdict verdict =
        RetryPolicy.DEFAULT.judge(
            new IllegalStateException(), before, job.spec().maxAttempts(), random());
    return verdict instanceof RetryPolicy.Verdict.Retry again
        ? new Settlement.Retry(held, null, again.delay(), error, item.attempts(), item.failedAt())
        : new Settlement.Fail(held, error, error, item.attempts());
  }

  private static ThreadLocalRandom random() {
    return ThreadLocalRandom.current();
  }

  private CompletableFuture<Answer> settle(
      Exchange exchange, List<? extends Settlement> settlements) {
    CompletableFuture<List<Settled>> settled;
    if (exchange.caller().isRestricted()) {
      settled =
          exchange.blocking(
              () -> {
                Fields.checkJobs(
                    exchange, jobs, settlements.stream().map(one -> one.held().id()).toList());
                return jobs.settle(settlements);
              });
    } else {
      settled = jobs.settleAsync(settlements);
    }
    boolean mayKill = exchange.path().endsWith(".retry");
    return settled.thenApply(answers -> answer(settlements, answers, mayKill));
  }

  private Answer answer(List<? extends Settlement> asked, List<Settled> answers, boolean mayKill) {
    List<JobWire.JobSettled> results = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      Settled one = answers.get(i);
      if (one.isOk() && asked.get(i) instanceof Settlement.Ack ack) {
        held.settled(HeldTimes.Kind.JOB, List.of(ack.held().token()));
      }
      boolean isDead = mayKill && one.isOk() && asked.get(i) instanceof Settlement.Fail;
      results.add(
          new JobWire.JobSettled(
              one.id(),
              one.isOk(),
              Fields.flag(one.isRepeated()),
              Fields.flag(one.isCancelled()),
              Fields.flag(isDead),
              Fields.flag(one.isCancelRequested()),
              code(one)));
    }
    return WireJson.answer(new JobWire.JobSettleReply(results));
  }

  private static @Nullable String code(Settled one) {
    return one.error() == null ? null : one.error().text();
  }
}
