package io.holdfast.client.queue;

import io.holdfast.client.queue.QueueChannel.Question;
import io.holdfast.client.queue.QueueMessages.QueueLeaseReply;
import io.holdfast.client.queue.QueueMessages.QueueLeaseRequest;
import io.holdfast.client.queue.QueueMessages.QueueLeaveRequest;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.QueueException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A lease that waits at the server. How long its items can be relied on counts from when they were
 * leased: the server says how long the request had waited by then, and it cannot have arrived there
 * before it was sent.
 *
 * <p>One that is called off is not just hung up on: its answer may be on the way, with items that
 * nobody else gets until their lease is over. Instead the server is told, and the answer waited
 * for; items that still come are handed back. Only if that does not work is the connection closed.
 */
final class HttpLease {
  private static final String NOTHING_CAME = "request timeout; no items are in the queue";
  private static final long PAUSE_MS = 5;
  private static final long PATIENCE_MS = 2_000;

  private final HttpQueues queues;
  private final HttpQueue queue;
  private final LeaseRequest request;
  private final CompletableFuture<LeasedItems> result = new CompletableFuture<>();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<LeasedItems> asked;

  HttpLease(HttpQueues queues, HttpQueue queue, LeaseRequest request) {
    this.queues = queues;
    this.queue = queue;
    this.request = request;
  }

  CompletableFuture<LeasedItems> begin(Duration longest) {
    over.whenComplete((done, failure) -> queues.left(this));
    if (!queues.enter(this)) {
      over.complete(true);
      result.completeExceptionally(closed());
      return result;
    }
    send(longest);
    result.whenComplete((items, failure) -> leave());
    return result;
  }

  private static QueueException closed() {
    return QueueException.closed("service is shutting down");
  }

  /** Ends it because its client ends; done when nothing of it is left at the server. */
  CompletableFuture<Boolean> end() {
    result.completeExceptionally(closed());
    return over;
  }

  private void send(Duration longest) {
    QueueLeaseRequest message =
        new QueueLeaseRequest(
            queue.name(), request.batchSize(), request.clientId(), Values.text(request.timeout()));
    long askedNanos = queues.engine.time().nanos();
    CompletableFuture<LeasedItems> sent =
        queues.channel.ask(
            Question.change(
                    "queue.lease",
                    message,
                    QueueLeaseReply.class,
                    reply -> Values.leased(reply, askedNanos))
                .waiting(longest));
    asked = sent;
    sent.whenComplete((items, failure) -> answered(items, failure, longest));
  }

  private void leave() {
    CompletableFuture<LeasedItems> sent = asked;
    if (over.isDone() || sent == null) {
      return;
    }
    queues.calledOff.add(queue.name(), request.clientId());
    queues
        .channel
        .ask(
            Question.change("queue.leave", new QueueLeaveRequest(queue.name(), request.clientId())))
        .whenComplete(
            (done, failure) ->
                CompletableFuture.delayedExecutor(
                        failure == null ? PATIENCE_MS : 0, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> sent.cancel(true)));
  }

  private void answered(
      @Nullable LeasedItems items, @Nullable Throwable failure, Duration longest) {
    if (items != null) {
      if (!result.complete(items) && !items.isEmpty()) {
        queue.handBackAsync(items.partition(), items.ids());
      }
      over.complete(true);
      return;
    }
    QueueException refusal = QueueChannel.asQueueException(failure);
    if (queues.calledOff.explains(refusal, queue.name(), request.clientId())) {
      CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, Runnable::run)
          .execute(() -> again(longest));
      return;
    }
    over.complete(true);
    if (String.valueOf(refusal.getMessage()).startsWith(NOTHING_CAME)) {
      result.complete(LeasedItems.none());
    } else {
      result.completeExceptionally(refusal);
    }
  }

  private void again(Duration longest) {
    if (result.isDone()) {
      over.complete(true);
      return;
    }
    send(longest);
    if (result.isDone()) {
      leave();
    }
  }
}
