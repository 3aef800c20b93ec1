package io.holdfast.server.queue;

import io.holdfast.client.queue.QueueMessages.QueueCompleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueExtendReply;
import io.holdfast.client.queue.QueueMessages.QueueExtendRequest;
import io.holdfast.client.queue.QueueMessages.QueueHandBackRequest;
import io.holdfast.client.queue.QueueMessages.QueueLeaseRequest;
import io.holdfast.client.queue.QueueMessages.QueueLeaveRequest;
import io.holdfast.client.queue.QueueMessages.QueueProduceReply;
import io.holdfast.client.queue.QueueMessages.QueueProduceRequest;
import io.holdfast.client.queue.QueueMessages.QueueRetryRequest;
import io.holdfast.lease.Causes;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Queues;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.HeldTimes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What producers and consumers do. A duration that cannot be read is reported in its turn: the
 * queue is asked for something that it refuses at just that point, and what it refuses earlier is
 * told instead.
 */
final class HotCalls {
  private final Queues queues;
  private final HeldTimes held;

  HotCalls(Queues queues, HeldTimes held) {
    this.queues = queues;
    this.held = held;
  }

  private Queue queue(QueueCall<?> call, String name) {
    return queues.queue(call.named(name));
  }

  CompletableFuture<Answer> produce(QueueCall<QueueProduceRequest> call) {
    QueueProduceRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    Duration timeout;
    try {
      timeout = QueueCall.required("request timeout", request.requestTimeout());
    } catch (QueueException e) {
      return inTurn(e, queue.produceAsync(List.of(), Duration.ZERO), "request timeout");
    }
    return call.awaited(
            queue.produceAsync(request.items().stream().map(Wire::item).toList(), timeout), timeout)
        .thenApply(
            made ->
                request.returnIds()
                    ? call.extended()
                        .answer(new QueueProduceReply(200, made.partition(), made.ids()))
                    : call.done());
  }

  CompletableFuture<Answer> lease(QueueCall<QueueLeaseRequest> call) {
    QueueLeaseRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    Duration timeout;
    try {
      timeout = QueueCall.required("request timeout", request.requestTimeout());
    } catch (QueueException e) {
      return inTurn(e, queue.leaseAsync(wish(request, Duration.ZERO)), "request timeout");
    }
    return call.awaited(queue.leaseAsync(wish(request, timeout)), timeout)
        .thenApply(leased -> leased(call, queue, leased));
  }

  private static LeaseRequest wish(QueueLeaseRequest request, Duration timeout) {
    return new LeaseRequest(request.clientId(), request.batchSize(), timeout);
  }

  private Answer leased(QueueCall<QueueLeaseRequest> call, Queue queue, LeasedItems leased) {
    if (leased.isEmpty()) {
      throw QueueException.retryable("request timeout; no items are in the queue, try again", null);
    }
    held.given(HeldTimes.Kind.QUEUE, queue.name(), leased.ids().get(0));
    return call.answer(Wire.leased(queue.name(), leased))
        .orUndo(isKnown -> queue.handBackAsync(leased.partition(), leased.ids(), isKnown));
  }

  CompletableFuture<Answer> leave(QueueCall<QueueLeaveRequest> call) {
    queue(call, call.request().queueName()).leave(call.request().clientId());
    return CompletableFuture.completedFuture(call.done());
  }

  CompletableFuture<Answer> complete(QueueCall<QueueCompleteRequest> call) {
    QueueCompleteRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    Duration timeout;
    try {
      timeout = QueueCall.required("request timeout", request.requestTimeout());
    } catch (QueueException e) {
      return inTurn(e, queue.completeAsync(request.partition(), List.of(), Duration.ZERO), "ids");
    }
    return call.awaited(queue.completeAsync(request.partition(), request.ids(), timeout), timeout)
        .thenApply(
            done -> {
              held.settled(HeldTimes.Kind.QUEUE, request.ids());
              return call.done();
            });
  }

  CompletableFuture<Answer> retry(QueueCall<QueueRetryRequest> call) {
    QueueRetryRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    return call.awaited(
            queue.retryAsync(
                request.partition(), request.items().stream().map(Wire::retry).toList()))
        .thenApply(done -> call.done());
  }

  CompletableFuture<Answer> extend(QueueCall<QueueExtendRequest> call) {
    QueueExtendRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    Duration by;
    try {
      String text = request.leaseTimeout();
      by = text.isEmpty() ? null : QueueCall.duration("lease timeout", text);
    } catch (QueueException e) {
      return inTurn(
          e, queue.extendAsync(request.partition(), request.ids(), Duration.ZERO), "lease timeout");
    }
    return call.awaited(queue.extendAsync(request.partition(), request.ids(), by))
        .thenApply(deadline -> call.answer(new QueueExtendReply(deadline)));
  }

  CompletableFuture<Answer> handBack(QueueCall<QueueHandBackRequest> call) {
    QueueHandBackRequest request = call.request();
    Queue queue = queue(call, request.queueName());
    return call.awaited(queue.handBackAsync(request.partition(), request.ids(), request.known()))
        .thenApply(done -> call.done());
  }

  /** Fails with {@code ours}, unless {@code doomed} fails before it comes to {@code fault}. */
  private static CompletableFuture<Answer> inTurn(
      QueueException ours, CompletableFuture<?> doomed, String fault) {
    return doomed.handle(
        (unexpected, failure) -> {
          throw isEarlier(failure, fault) ? new CompletionException(failure) : ours;
        });
  }

  private static boolean isEarlier(@Nullable Throwable failure, String fault) {
    Throwable cause = Causes.ofNullable(failure);
    return cause != null && !String.valueOf(cause.getMessage()).startsWith(fault + " is invalid");
  }
}
