package io.holdfast.client.stream;

import io.holdfast.client.http.Request;
import io.holdfast.stream.StreamException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A pop under way, alone or behind verdicts. One that is called off is not just hung up on: its
 * answer may be on the way, with messages that nobody else gets until their lease is over. Instead
 * the server is told, and the answer waited for; a lease that still comes is given back. Only if
 * that does not work is the connection closed.
 */
final class HttpPop<T> {
  private static final long PAUSE_MS = 20;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final StreamCalls calls;
  private final Function<T, @Nullable UUID> lease;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final CompletableFuture<Void> dealtWith = new CompletableFuture<>();
  private final CompletableFuture<Void> told = new CompletableFuture<>();

  HttpPop(StreamCalls calls, Function<T, @Nullable UUID> lease) {
    this.calls = calls;
    this.lease = lease;
  }

  /**
   * What comes of {@code asked}; {@code id} is how the server knows it while it waits, if it does.
   */
  CompletableFuture<T> begin(CompletableFuture<T> asked, @Nullable UUID id) {
    asked.whenComplete(this::answered);
    result.whenComplete(
        (value, failure) -> {
          if (!asked.isDone() && id != null) {
            leave(asked, id, System.nanoTime() + PATIENCE_NANOS);
          } else {
            told.complete(null);
          }
        });
    return result;
  }

  /** Calls it off. */
  void end() {
    result.completeExceptionally(StreamException.closed());
  }

  boolean isCalledOff() {
    return result.isDone() && !(dealtWith.isDone() && told.isDone());
  }

  /** Done when nothing of it is left. */
  CompletableFuture<Void> over() {
    return CompletableFuture.allOf(dealtWith, told);
  }

  /** Repeated, as it may come to the server before the pop does. */
  private void leave(CompletableFuture<T> asked, UUID id, long untilNanos) {
    calls
        .send(
            Request.post(ExactWire.PATH + "leave", StreamJson.write(Map.of("id", id))),
            reply -> true)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null || System.nanoTime() - untilNanos > 0) {
                asked.cancel(true);
                told.complete(null);
              } else if (asked.isDone()) {
                told.complete(null);
              } else {
                CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> leave(asked, id, untilNanos));
              }
            });
  }

  private void answered(@Nullable T value, @Nullable Throwable failure) {
    if (value == null) {
      result.completeExceptionally(StreamCalls.asStreamException(failure));
      dealtWith.complete(null);
      return;
    }
    UUID held = lease.apply(value);
    if (result.complete(value) || held == null) {
      dealtWith.complete(null);
      return;
    }
    calls
        .post(
            "/api/v1/lease/" + held + "/release", new AckWire.Release(null), AckWire.Released.class)
        .whenComplete((released, lost) -> dealtWith.complete(null));
  }
}
