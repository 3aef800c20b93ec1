package io.holdfast.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says in words what is known about a job. */
final class Explainer {
  private final JobParts.Facts facts;
  private final Job job;
  private final List<Explanation.Reason> reasons = new ArrayList<>();

  private Explainer(JobParts.Facts facts) {
    this.facts = facts;
    this.job = facts.job();
  }

  static Explanation explain(JobParts.Facts facts) {
    Explainer explainer = new Explainer(facts);
    explainer.find();
    return new Explanation(facts.job().state(), List.copyOf(explainer.reasons));
  }

  private void find() {
    switch (job.state()) {
      case DONE -> say(Explanation.Code.DONE, "it succeeded", "nothing to do").since(finishedAt());
      case CANCELLED ->
          say(Explanation.Code.CANCELLED, "it was cancelled", requeue()).since(finishedAt());
      case DLQ -> dead();
      case INFLIGHT -> inflight();
      case SCHEDULED -> {
        say(Explanation.Code.NOT_DUE, "its due time has not come", requeue())
            .until(job.spec().runAt());
        others();
      }
      case GATED -> gated();
      case READY -> {
        others();
        behind();
      }
    }
  }

  private @Nullable Instant finishedAt() {
    Job.End end = job.history().end();
    return end == null ? null : end.finishedAt();
  }

  private String requeue() {
    return "requeue " + job.id();
  }

  private void dead() {
    Job.Dead dead = job.history().dead();
    say(
            Explanation.Code.DEAD,
            "it was given up after "
                + job.history().attempts()
                + " failures: "
                + (dead.reason() == null ? job.history().lastError() : dead.reason()),
            requeue())
        .since(dead.failedAt());
  }

  private void inflight() {
    Job.Lease lease = job.lease();
    Instant expiresAt = lease == null ? facts.at() : lease.expiresAt();
    String owner = lease == null ? null : lease.owner();
    if (expiresAt.isAfter(facts.at())) {
      say(Explanation.Code.RUNNING, "a worker runs it", "cancel " + job.id())
          .until(expiresAt)
          .by(owner);
    } else {
      say(
              Explanation.Code.LEASE_EXPIRED,
              "its worker has gone silent, and the next reserve takes it over",
              "start a worker for queue '" + job.queue() + "'")
          .since(expiresAt)
          .by(owner);
      others();
    }
    if (job.isCancelRequested()) {
      say(
          Explanation.Code.CANCEL_REQUESTED,
          "its run was asked to end",
          "wait for the handler to end");
    }
  }

  private void gated() {
    Instant runAt = job.spec().runAt();
    if (runAt != null && runAt.isAfter(facts.at())) {
      say(Explanation.Code.NOT_DUE, "its due time has not come", "wait").until(runAt);
    }
    String key = String.valueOf(job.spec().keys().limit());
    Integer limit = facts.keyLimit();
    String text =
        limit == null
            ? "limit key '" + key + "' has no limit: the next sweep lets it pass"
            : "limit key '" + key + "' lets " + limit + " jobs run, and others come first";
    say(Explanation.Code.KEY_AT_LIMIT, text, "raise the limit of key '" + key + "'")
        .by(String.join(", ", facts.keyHolders()));
    others();
  }

  /** What keeps every job of its kind from running. */
  private void others() {
    if (facts.pausedAt() != null) {
      say(
              Explanation.Code.QUEUE_PAUSED,
              "queue '" + job.queue() + "' is paused",
              "resume queue '" + job.queue() + "'")
          .since(facts.pausedAt());
    }
    if (!facts.hasWorker()) {
      say(
          Explanation.Code.NO_WORKER_FOR_QUEUE,
          "no worker that was seen in the last minute serves queue '" + job.queue() + "'",
          "start a worker for queue '" + job.queue() + "'");
    } else if (!facts.knowsType()) {
      say(
          Explanation.Code.NO_WORKER_FOR_TYPE,
          "no worker of queue '" + job.queue() + "' knows the type '" + job.type() + "'",
          "start a worker with a handler for '" + job.type() + "'");
    }
  }

  private void behind() {
    int ahead = facts.ahead();
    String count = ahead >= MANY ? "at least " + MANY : String.valueOf(ahead);
    say(
        Explanation.Code.BEHIND,
        ahead == 0
            ? "it is next: a worker takes it as soon as one is free"
            : count + " jobs are eligible before it",
        "add workers, or enqueue with a higher priority");
  }

  private static final int MANY = 1_000;

  private Saying say(Explanation.Code code, String text, String action) {
    reasons.add(new Explanation.Reason(code, text, null, null, null, action));
    return new Saying();
  }

  /** Completes the reason that was given last. */
  private final class Saying {
    private Explanation.Reason last() {
      return reasons.remove(reasons.size() - 1);
    }

    Saying since(@Nullable Instant at) {
      Explanation.Reason r = last();
      reasons.add(
          new Explanation.Reason(r.code(), r.text(), at, r.until(), r.holder(), r.action()));
      return this;
    }

    Saying until(@Nullable Instant at) {
      Explanation.Reason r = last();
      reasons.add(
          new Explanation.Reason(r.code(), r.text(), r.since(), at, r.holder(), r.action()));
      return this;
    }

    Saying by(@Nullable String holder) {
      Explanation.Reason r = last();
      reasons.add(
          new Explanation.Reason(r.code(), r.text(), r.since(), r.until(), holder, r.action()));
      return this;
    }
  }
}
