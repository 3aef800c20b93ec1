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
 * The server knows a lease by its client id, so the next lease of that id is sent when nothing of
 * this one is left, lest it be ended in its place.
 */
final class HttpLease {
  private static final String NOTHING_CAME = "request timeout; no items are in the queue";
  private static final long PAUSE_MS = 20;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final HttpQueues queues;
  private final HttpQueue queue;
  private final LeaseRequest request;
  private final Duration longest;
  private final CompletableFuture<LeasedItems> result = new CompletableFuture<>();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private boolean isFirst;
  private @Nullable CompletableFuture<LeasedItems> asked;
  private boolean isAnswered;
  private CompletableFuture<Boolean> leaving = CompletableFuture.completedFuture(true);

  HttpLease(HttpQueues queues, HttpQueue queue, LeaseRequest request, Duration longest) {
    this.queues = queues;
    this.queue = queue;
    this.request = request;
    this.longest = longest;
  }

  CompletableFuture<LeasedItems> begin() {
    if (queues.enter(this)) {
      takeTurn();
    } else {
      finish();
      result.completeExceptionally(closed());
    }
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

  /** Who leases: at most one of these waits at a time. No queue has a tilde in its name. */
  String holder() {
    return queue.name() + '~' + request.clientId();
  }

  /**
   * A second lease of a client is for the server to refuse; one after a lease that was ended is
   * not.
   */
  private void takeTurn() {
    HttpLease earlier = queues.first(this);
    if (earlier != this && earlier.result.isDone()) {
      earlier.over.whenComplete((done, failure) -> takeTurn());
    } else {
      send(earlier == this);
    }
  }

  private void send(boolean asFirst) {
    if (result.isDone()) {
      finish();
      return;
    }
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
    synchronized (this) {
      isFirst = asFirst;
      asked = sent;
    }
    sent.whenComplete(this::answered);
    result.whenComplete((items, failure) -> calledOff());
  }

  /** Comes also when the result is the server's: then there is nothing to call off. */
  private void calledOff() {
    CompletableFuture<LeasedItems> sent;
    boolean hasPlace;
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    synchronized (this) {
      sent = asked;
      hasPlace = isFirst;
      if (isAnswered || sent == null) {
        return;
      }
      leaving = done;
    }
    if (hasPlace) {
      leave(sent, System.nanoTime() + PATIENCE_NANOS, done);
    } else {
      sent.cancel(true);
      done.complete(true);
    }
  }

  /** Repeated, as it may come to the server before the lease does. */
  private void leave(
      CompletableFuture<LeasedItems> sent, long untilNanos, CompletableFuture<Boolean> done) {
    queues
        .channel
        .ask(
            Question.change("queue.leave", new QueueLeaveRequest(queue.name(), request.clientId())))
        .whenComplete(
            (told, failure) -> {
              if (failure != null || System.nanoTime() - untilNanos > 0) {
                sent.cancel(true);
              }
              if (sent.isDone()) {
                done.complete(true);
              } else {
                CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> leave(sent, untilNanos, done));
              }
            });
  }

  private void answered(@Nullable LeasedItems items, @Nullable Throwable failure) {
    CompletableFuture<Boolean> left;
    synchronized (this) {
      isAnswered = true;
      left = leaving;
    }
    if (items == null) {
      refused(QueueChannel.asQueueException(failure));
    } else if (!result.complete(items) && !items.isEmpty()) {
      queue.handBackAsync(items.partition(), items.ids(), false);
    }
    left.whenComplete((done, ignored) -> finish());
  }

  private void finish() {
    queues.left(this);
    over.complete(true);
  }

  private void refused(QueueException refusal) {
    if (String.valueOf(refusal.getMessage()).startsWith(NOTHING_CAME)) {
      result.complete(LeasedItems.none());
    } else {
      result.completeExceptionally(refusal);
    }
  }
}
