package io.holdfast.client.job;

import io.holdfast.client.http.Channel;
import io.holdfast.client.http.Verbs;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The verbs of jobs, with the failures that jobs have. Safe for use by many threads. */
final class JobVerbs {
  private final Verbs verbs;

  JobVerbs(Channel channel) {
    this.verbs = new Verbs(channel, "jobs", JobFailures::of);
  }

  /** What changes nothing, or nothing more when it is done twice. */
  <T> T look(String verb, Object body, Class<T> type, StoreCall call) {
    return call(verb, body, type, Verbs.Manner.REPEATABLE, call);
  }

  /** What is done once. */
  <T> T change(String verb, Object body, Class<T> type, StoreCall call) {
    return call(verb, body, type, Verbs.Manner.ONCE, call);
  }

  /** The answer of a call that the server may take so long for; cancelling closes it. */
  <T> CompletableFuture<T> waiting(String verb, Object body, Class<T> type, Duration longest) {
    return verbs.waiting(verb, body, type, longest);
  }

  /** The answer of what changes nothing more when it is done twice, whenever it comes. */
  <T> CompletableFuture<T> looking(String verb, Object body, Class<T> type) {
    return verbs.repeatable(verb, body, type);
  }

  private <T> T call(String verb, Object body, Class<T> type, Verbs.Manner manner, StoreCall call) {
    Verbs.Patience patience = new Verbs.Patience(call.cancellation(), call.limit());
    return JobFailures.told(() -> verbs.call(verb, body, type, manner, patience));
  }
}
