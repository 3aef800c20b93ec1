package io.holdfast.client.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.http.Channel;
import io.holdfast.client.http.Lost;
import io.holdfast.client.http.Reply;
import io.holdfast.client.http.Request;
import io.holdfast.lease.Causes;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the streams' wire. A failure comes back as the exception it was on the server; a change
 * whose answer is lost has an unknown outcome. Safe for use by many threads.
 */
final class StreamCalls {
  private static final int FIRST_FAILURE = 400;
  private static final int NOTHING = 204;

  private final Channel channel;
  private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  StreamCalls(Channel channel) {
    this.channel = channel;
  }

  /** The answer in this form; cancelling it calls the request off. */
  <T> CompletableFuture<T> send(Request request, Function<Reply, T> read) {
    checkOpen();
    CompletableFuture<T> answer = new CompletableFuture<>();
    open.add(answer);
    CompletableFuture<Reply> sent = channel.send(request);
    answer.whenComplete(
        (value, failure) -> {
          open.remove(answer);
          sent.cancel(true);
        });
    sent.whenComplete(
        (reply, failure) -> {
          try {
            if (reply == null || failure != null) {
              answer.completeExceptionally(lost(request, failure));
            } else if (reply.status() >= FIRST_FAILURE) {
              answer.completeExceptionally(refused(reply));
            } else {
              answer.complete(read.apply(reply));
            }
          } catch (RuntimeException e) {
            answer.completeExceptionally(asStreamException(e));
          }
        });
    if (isClosed) {
      answer.completeExceptionally(StreamException.closed());
    }
    return answer;
  }

  void checkOpen() {
    if (isClosed) {
      throw StreamException.closed();
    }
  }

  /** Posts a document. */
  <T> CompletableFuture<T> post(String path, Object document, Class<T> type) {
    return send(Request.post(path, StreamJson.write(document)), reply -> read(reply, type));
  }

  /** The value of an exact call that changes nothing; null if there is none. */
  <T> @Nullable T ask(String verb, Map<String, ?> arguments, Type type) {
    return exact(exact(verb, arguments).repeatable(), type);
  }

  /** The same for a call that changes something. */
  <T> @Nullable T change(String verb, Map<String, ?> arguments, Type type) {
    return exact(exact(verb, arguments), type);
  }

  private static Request exact(String verb, Map<String, ?> arguments) {
    return Request.post(ExactWire.PATH + verb, StreamJson.write(arguments));
  }

  private <T> @Nullable T exact(Request request, Type type) {
    ExactWire.Value<T> value = join(send(request, reply -> value(reply, type)));
    return value.value();
  }

  private static <T> ExactWire.Value<T> value(Reply reply, Type type) {
    try {
      return StreamJson.readValue(reply.body(), type);
    } catch (StreamJson.Malformed e) {
      throw unreadable(e);
    }
  }

  static <T> T read(Reply reply, Class<T> type) {
    try {
      return StreamJson.read(reply.body(), type);
    } catch (StreamJson.Malformed e) {
      throw unreadable(e);
    }
  }

  /** The same; null for an answer without a body. */
  static <T> @Nullable T readOrNull(Reply reply, Class<T> type) {
    return reply.status() == NOTHING ? null : read(reply, type);
  }

  private static StreamException unreadable(Exception e) {
    return new StreamException(
        StreamError.INTERNAL, "the server's answer cannot be read: " + e.getMessage(), e);
  }

  private static StreamException lost(Request request, @Nullable Throwable failure) {
    Throwable cause = Causes.ofNullable(failure);
    if (cause instanceof CancellationException) {
      return new StreamException(StreamError.ABORTED, "the call was cancelled", cause);
    }
    String message = String.valueOf(cause == null ? null : cause.getMessage());
    boolean isUnknown = cause instanceof Lost lost && lost.wasSent() && !request.isRepeatable();
    return isUnknown
        ? StreamException.unknown(message, cause)
        : StreamException.unavailable(message, cause);
  }

  private static StreamException refused(Reply reply) {
    JsonNode body;
    try {
      body = StreamJson.read(reply.body(), JsonNode.class);
    } catch (StreamJson.Malformed e) {
      return StreamException.unavailable("the server answered " + reply.status(), e);
    }
    String message = body.path("error").asText("the server answered " + reply.status());
    if (body.path("outcomeUnknown").asBoolean()) {
      return StreamException.unknown(message, null);
    }
    StreamError error = error(body.path("code").asText(), reply.status());
    return error == StreamError.QUEUE_FULL
        ? new QueueFullException(
            body.path("queue").asText(),
            body.path("queueDepth").asLong(),
            body.path("maxSize").asLong())
        : new StreamException(error, message, null);
  }

  private static StreamError error(String code, int status) {
    for (StreamError error : StreamError.values()) {
      if (error.name().equals(code)) {
        return error;
      }
    }
    return switch (status) {
      case 400, 401, 403, 404, 405 -> StreamError.INVALID_ARGUMENT;
      case 500, 501 -> StreamError.INTERNAL;
      default -> StreamError.UNAVAILABLE;
    };
  }

  static StreamException asStreamException(@Nullable Throwable failure) {
    Throwable e = Causes.ofNullable(failure);
    if (e instanceof StreamException known) {
      return known;
    }
    return e instanceof CancellationException
        ? new StreamException(StreamError.ABORTED, "the call was cancelled", e)
        : new StreamException(StreamError.INTERNAL, "internal failure; " + e, e);
  }

  /** The answer, waited for; an interrupt calls it off. */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new StreamException(StreamError.ABORTED, "the waiting thread was interrupted", e);
    } catch (ExecutionException | CancellationException e) {
      throw asStreamException(e);
    }
  }

  /** Answers whoever waits, and sends nothing any more. */
  void close() {
    isClosed = true;
    open.forEach(answer -> answer.completeExceptionally(StreamException.closed()));
  }
}
