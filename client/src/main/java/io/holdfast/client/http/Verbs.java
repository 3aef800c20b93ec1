package io.holdfast.client.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Causes;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the form {@code POST /v1/<capability>.<verb>} with JSON both ways. Safe for use by many
 * threads.
 */
public final class Verbs {
  private static final ObjectMapper JSON = WireModule.mapper();

  private final Channel channel;
  private final String prefix;
  private final Function<Failed, RuntimeException> failures;

  /** A server's refusal. */
  public record Failed(int status, Failure failure) {}

  /** Calls of one capability; {@code failures} turns refusals into its exceptions. */
  public Verbs(Channel channel, String capability, Function<Failed, RuntimeException> failures) {
    this.channel = channel;
    this.prefix = "/v1/" + capability + ".";
    this.failures = failures;
  }

  /** How a call may be made. */
  public enum Manner {
    /** Once. */
    ONCE,
    /** Again, if its answer is lost. */
    REPEATABLE
  }

  /** Who may call it off, and how long it may take. */
  public record Patience(Cancellation cancellation, Duration limit) {}

  /**
   * The answer, waited for.
   *
   * @throws Unanswered if there is none
   */
  public <T> T call(String verb, Object body, Class<T> type, Manner manner, Patience patience) {
    Request request = request(verb, body);
    return await(
        send(manner == Manner.REPEATABLE ? request.repeatable() : request, type), patience);
  }

  /** The answer of a call that the server may take {@code longest} for; cancelling closes it. */
  public <T> CompletableFuture<T> waiting(
      String verb, Object body, Class<T> type, Duration longest) {
    return send(request(verb, body).waiting(longest), type);
  }

  /** The answer, whenever it comes. */
  public <T> CompletableFuture<T> repeatable(String verb, Object body, Class<T> type) {
    return send(request(verb, body).repeatable(), type);
  }

  private Request request(String verb, Object body) {
    try {
      return Request.post(prefix + verb, JSON.writeValueAsBytes(body));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a request that is no JSON", e);
    }
  }

  private <T> CompletableFuture<T> send(Request request, Class<T> type) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletableFuture<Reply> sent = channel.send(request);
    sent.whenComplete(
        (reply, failure) -> {
          try {
            if (reply == null) {
              answer.completeExceptionally(unanswered(failure));
            } else {
              answer.complete(read(reply, type));
            }
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    answer.whenComplete(
        (done, failure) -> {
          if (answer.isCancelled()) {
            sent.cancel(true);
          }
        });
    return answer;
  }

  private <T> T read(Reply reply, Class<T> type) {
    try {
      if (reply.status() == 200) {
        return JSON.readValue(reply.body(), type);
      }
      throw failures.apply(new Failed(reply.status(), failure(reply)));
    } catch (IOException e) {
      throw new Unanswered(Unanswered.Kind.LOST, "the answer cannot be read", e);
    }
  }

  private static Failure failure(Reply reply) {
    try {
      Failure read = JSON.readValue(reply.body(), Failure.class);
      if (read != null && read.error() != null && read.code() != null) {
        return read;
      }
    } catch (IOException e) {
      // not one of ours, such as a proxy's
    }
    return Failure.of("the server answered with status " + reply.status(), "", null, true);
  }

  private static Unanswered unanswered(@Nullable Throwable failure) {
    Throwable cause = Causes.ofNullable(failure);
    if (cause instanceof Lost lost) {
      Unanswered.Kind kind = lost.wasSent() ? Unanswered.Kind.LOST : Unanswered.Kind.NOT_SENT;
      return new Unanswered(kind, String.valueOf(lost.getMessage()), lost);
    }
    if (cause instanceof CancellationException) {
      return new Unanswered(Unanswered.Kind.CALLED_OFF, "the call was called off", cause);
    }
    return new Unanswered(Unanswered.Kind.LOST, "the call failed", cause);
  }

  /** Waits for an answer of {@link #repeatable} and the like. */
  public static <T> T await(CompletableFuture<T> answer, Patience patience) {
    Cancellation.Registration registration =
        patience.cancellation().onCancel(() -> answer.cancel(true));
    try {
      return answer.get(millis(patience.limit()), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new Unanswered(Unanswered.Kind.CALLED_OFF, "the calling thread was interrupted", e);
    } catch (CancellationException e) {
      throw new Unanswered(Unanswered.Kind.CALLED_OFF, "the call was cancelled", e);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new Unanswered(Unanswered.Kind.LATE, "the call took too long", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : unanswered(e.getCause());
    } finally {
      registration.close();
    }
  }

  private static long millis(Duration limit) {
    return limit.toDays() > 365 ? Duration.ofDays(365).toMillis() : limit.toMillis();
  }
}
