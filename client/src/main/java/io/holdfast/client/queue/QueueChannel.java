package io.holdfast.client.queue;

import io.holdfast.ErrorCode;
import io.holdfast.client.http.Channel;
import io.holdfast.client.http.Lost;
import io.holdfast.client.http.Reply;
import io.holdfast.client.http.Request;
import io.holdfast.client.proto.MalformedMessage;
import io.holdfast.client.proto.MessageType;
import io.holdfast.client.proto.ProtoJson;
import io.holdfast.client.queue.QueueMessages.QueueLeaseReply;
import io.holdfast.client.queue.QueueMessages.QueueReply;
import io.holdfast.lease.Causes;
import io.holdfast.queue.QueueException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages about queues and makes of the replies what the queues of this process would have
 * answered. Safe for use by many threads.
 */
final class QueueChannel {
  private static final int OK = 200;

  private static final long PATIENCE_SECONDS = 10;

  private final Channel channel;
  private final Map<CompletableFuture<?>, Question<?, ?>> open = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  QueueChannel(Channel channel) {
    this.channel = channel;
  }

  /**
   * What is asked, and what an answer looks like.
   *
   * @param isChange whether nobody knows what became of it when its answer is lost
   */
  record Question<R extends Record, T extends @Nullable Object>(
      String path,
      Record message,
      Class<R> replies,
      Function<R, T> answer,
      Duration longest,
      boolean isChange) {
    /** A look at something: repeated when its answer is lost. */
    static <R extends Record, T extends @Nullable Object> Question<R, T> look(
        String path, Record message, Class<R> replies, Function<R, T> answer) {
      return new Question<>(path, message, replies, answer, Duration.ZERO, false);
    }

    /** A change: sent once. */
    static <R extends Record, T extends @Nullable Object> Question<R, T> change(
        String path, Record message, Class<R> replies, Function<R, T> answer) {
      return new Question<>(path, message, replies, answer, Duration.ZERO, true);
    }

    /** A change with nothing to tell. */
    static Question<QueueReply, @Nullable Void> change(String path, Record message) {
      return change(path, message, QueueReply.class, reply -> null);
    }

    /** The same, which may take so long. */
    Question<R, T> waiting(Duration most) {
      return new Question<>(path, message, replies, answer, most, isChange);
    }
  }

  /** Calls off what only looks or waits, and lets changes under way finish for a while. */
  void close() {
    isClosed = true;
    List<CompletableFuture<?>> changes = new ArrayList<>();
    open.forEach(
        (result, question) -> {
          if (question.isChange() && question.replies() != QueueLeaseReply.class) {
            changes.add(result);
          } else {
            result.completeExceptionally(closed());
          }
        });
    try {
      CompletableFuture.allOf(changes.toArray(new CompletableFuture<?>[0]))
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // who asked is told
    }
    changes.forEach(
        change ->
            change.completeExceptionally(
                QueueException.unknown("the client was closed; the outcome is unknown", null)));
  }

  void requireOpen() {
    if (isClosed) {
      throw closed();
    }
  }

  private static QueueException closed() {
    return QueueException.closed("service is shutting down");
  }

  /** Sends the question; cancelling the answer calls it off. */
  <R extends Record, T extends @Nullable Object> CompletableFuture<T> ask(Question<R, T> question) {
    CompletableFuture<T> result = new CompletableFuture<>();
    open.put(result, question);
    if (isClosed) { // looked at after the call was entered, so that closing finds it or it this
      open.remove(result);
      return CompletableFuture.failedFuture(closed());
    }
    CompletableFuture<Reply> sent = channel.send(request(question));
    sent.whenComplete((reply, failure) -> settle(question, reply, failure, result));
    result.whenComplete(
        (answer, failure) -> {
          open.remove(result);
          sent.cancel(true); // if it is still under way, nobody waits for it any more
        });
    return result;
  }

  private static Request request(Question<?, ?> question) {
    Request request =
        Request.post(
                "/v1/" + question.path(),
                ProtoJson.write(question.message(), ProtoJson.Audience.SERVER))
            .waiting(question.longest())
            .with(QueueMessages.EXTENSIONS, "1");
    return question.isChange() ? request : request.repeatable();
  }

  private <R extends Record, T extends @Nullable Object> void settle(
      Question<R, T> question,
      @Nullable Reply reply,
      @Nullable Throwable failure,
      CompletableFuture<T> result) {
    T answer;
    try {
      if (reply == null) {
        throw lost(failure, question.isChange());
      }
      if (reply.status() != OK) {
        throw refusal(reply);
      }
      answer =
          question.answer().apply(ProtoJson.read(MessageType.of(question.replies()), reply.body()));
    } catch (MalformedMessage e) {
      result.completeExceptionally(
          QueueException.internal("the answer of the server cannot be read; " + e.getMessage(), e));
      return;
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
      return;
    }
    result.complete(answer);
  }

  private QueueException lost(@Nullable Throwable failure, boolean isChange) {
    if (isClosed) {
      return closed();
    }
    String message = failure == null ? "no answer" : String.valueOf(failure.getMessage());
    return failure instanceof Lost lost && lost.wasSent() && isChange
        ? QueueException.unknown(message, failure)
        : QueueException.retryable(message, failure);
  }

  private static QueueException refusal(Reply reply) {
    QueueReply told;
    try {
      told = ProtoJson.read(MessageType.of(QueueReply.class), reply.body());
    } catch (MalformedMessage e) {
      told = new QueueReply(reply.status(), "", "the server answered " + reply.status(), Map.of());
    }
    String kind = told.details().get("kind");
    if (kind == null) {
      return byStatus(reply.status(), told.message());
    }
    if ("unknown".equals(told.details().get("outcome"))) {
      return QueueException.unknown(told.message(), null);
    }
    return new QueueException(
        QueueException.Kind.valueOf(kind), code(told.details().get("code")), told.message(), null);
  }

  private static ErrorCode code(@Nullable String text) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.text().equals(text)) {
        return code;
      }
    }
    return ErrorCode.INTERNAL;
  }

  private static QueueException byStatus(int status, String message) {
    return switch (status) {
      case 400, 455 -> QueueException.invalid(message);
      case 401, 403 ->
          new QueueException(QueueException.Kind.FAILED, ErrorCode.AUTH_FAILED, message, null);
      case 453 -> QueueException.closed(message);
      case 429, 454, 502, 503, 504 -> QueueException.retryable(message, null);
      default -> QueueException.internal(message, null);
    };
  }

  /** Asks and waits. */
  <R extends Record, T extends @Nullable Object> T call(Question<R, T> question) {
    return await(ask(question), question.isChange());
  }

  /** An interrupt calls the question off and stays set. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future, boolean isChange) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw isChange
          ? QueueException.unknown("interrupted; the outcome is unknown", e)
          : QueueException.aborted("interrupted; nothing was done");
    } catch (ExecutionException e) {
      throw asQueueException(e.getCause());
    }
  }

  static QueueException asQueueException(@Nullable Throwable failure) {
    Throwable e = Causes.ofNullable(failure);
    return e instanceof QueueException known
        ? known
        : QueueException.internal("internal failure; " + e, e);
  }
}
