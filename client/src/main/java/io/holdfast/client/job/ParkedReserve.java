package io.holdfast.client.job;

import io.holdfast.job.PatientJobStore;
import io.holdfast.job.Reserved;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A wish that waits at the server. One that is called off is not just hung up on: its answer may be
 * on the way, with jobs that nobody else gets until their lease is over. Instead the server is
 * told, by the name of this very wait, and its answer still comes. Only if that does not work is
 * the connection closed. Safe for use by many threads.
 */
final class ParkedReserve implements PatientJobStore.Parked {
  private static final long PAUSE_MS = 20;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final JobVerbs verbs;
  private final JobWire.JobLeave leave;
  private final CompletableFuture<JobWire.JobReserveReply> sent;
  private final CompletableFuture<Reserved> answer = new CompletableFuture<>();

  ParkedReserve(
      JobVerbs verbs, JobWire.JobReserve wish, Function<JobWire.JobReserveReply, Reserved> form) {
    Long waitMs = wish.waitMs();
    Duration longest = Duration.ofMillis(waitMs == null ? 0 : waitMs);
    this.verbs = verbs;
    this.leave = new JobWire.JobLeave(wish.waitId());
    this.sent = verbs.waiting("reserve", wish, JobWire.JobReserveReply.class, longest);
    sent.whenComplete(
        (reply, failure) -> {
          if (reply == null) {
            answer.completeExceptionally(JobFailures.known(failure));
          } else {
            answer.complete(form.apply(reply));
          }
        });
  }

  @Override
  public CompletableFuture<Reserved> answer() {
    return answer;
  }

  @Override
  public void leave() {
    if (!sent.isDone()) {
      leave(System.nanoTime() + PATIENCE_NANOS);
    }
  }

  /** Repeated, as it may come to the server before the wish does. */
  private void leave(long untilNanos) {
    verbs
        .looking("leave", leave, JobWire.JobLeaveReply.class)
        .whenComplete(
            (told, failure) -> {
              if (failure != null || System.nanoTime() - untilNanos > 0) {
                sent.cancel(true);
              }
              if (!sent.isDone()) {
                CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> leave(untilNanos));
              }
            });
  }
}
