package io.holdfast.client.queue;

import io.holdfast.client.queue.QueueChannel.Question;
import io.holdfast.client.queue.QueueMessages.QueueCompleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueExtendReply;
import io.holdfast.client.queue.QueueMessages.QueueExtendRequest;
import io.holdfast.client.queue.QueueMessages.QueueHandBackRequest;
import io.holdfast.client.queue.QueueMessages.QueueLeaveRequest;
import io.holdfast.client.queue.QueueMessages.QueueProduceReply;
import io.holdfast.client.queue.QueueMessages.QueueProduceRequest;
import io.holdfast.client.queue.QueueMessages.QueueRetryRequest;
import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.ItemHandler;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueAdmin;
import io.holdfast.queue.QueueConsumer;
import io.holdfast.queue.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One queue of a server. */
final class HttpQueue implements Queue {
  /** How long the server may take for what has no timeout of its own. */
  private static final Duration OTHERS = Duration.ofMinutes(5);

  private final HttpQueues queues;
  private final String name;
  private final QueueAdmin admin;

  HttpQueue(HttpQueues queues, String name) {
    this.queues = queues;
    this.name = name;
    this.admin = new HttpQueueAdmin(queues.channel, name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public QueueAdmin admin() {
    return admin;
  }

  /** How long an answer may take; what is too long is refused at once. */
  private static Duration within(Duration timeout) {
    return timeout.isNegative() || timeout.compareTo(Duration.ofMinutes(15)) > 0
        ? Duration.ZERO
        : timeout;
  }

  @Override
  public CompletableFuture<Produced> produceAsync(List<NewItem> items, Duration timeout) {
    QueueProduceRequest request =
        new QueueProduceRequest(
            name, Values.text(timeout), items.stream().map(Values::message).toList(), true);
    return queues.channel.ask(
        Question.change(
                "queue.produce",
                request,
                QueueProduceReply.class,
                reply -> new Produced(reply.partition(), reply.ids()))
            .waiting(within(timeout)));
  }

  @Override
  public CompletableFuture<LeasedItems> leaseAsync(LeaseRequest request) {
    return new HttpLease(queues, this, request, within(request.timeout())).begin();
  }

  @Override
  public CompletableFuture<Instant> extendAsync(
      int partition, List<String> ids, @Nullable Duration duration) {
    return queues.channel.ask(
        Question.change(
                "queue.extend",
                new QueueExtendRequest(name, partition, Values.text(duration), ids),
                QueueExtendReply.class,
                QueueExtendReply::leaseDeadline)
            .waiting(OTHERS));
  }

  @Override
  public CompletableFuture<Void> completeAsync(int partition, List<String> ids, Duration timeout) {
    return queues.channel.ask(
        Question.change(
                "queue.complete",
                new QueueCompleteRequest(name, partition, Values.text(timeout), ids))
            .waiting(within(timeout)));
  }

  @Override
  public CompletableFuture<Void> retryAsync(int partition, List<Retry> items) {
    QueueRetryRequest request =
        new QueueRetryRequest(name, partition, items.stream().map(Values::message).toList());
    return queues.channel.ask(Question.change("queue.retry", request).waiting(OTHERS));
  }

  @Override
  public CompletableFuture<Void> handBackAsync(int partition, List<String> ids, boolean isKnown) {
    return queues.channel.ask(
        Question.change("queue.handback", new QueueHandBackRequest(name, partition, ids, isKnown))
            .waiting(OTHERS));
  }

  @Override
  public void leave(String clientId) {
    queues.channel.ask(Question.change("queue.leave", new QueueLeaveRequest(name, clientId)));
  }

  @Override
  public Produced produce(List<NewItem> items, Duration timeout) {
    return QueueChannel.await(produceAsync(items, timeout), true);
  }

  @Override
  public LeasedItems lease(LeaseRequest request) {
    return QueueChannel.await(leaseAsync(request), false);
  }

  @Override
  public Instant extend(int partition, List<String> ids, @Nullable Duration duration) {
    return QueueChannel.await(extendAsync(partition, ids, duration), true);
  }

  @Override
  public void complete(int partition, List<String> ids, Duration timeout) {
    QueueChannel.await(completeAsync(partition, ids, timeout), true);
  }

  @Override
  public void retry(int partition, List<Retry> items) {
    QueueChannel.await(retryAsync(partition, items), true);
  }

  @Override
  public QueueConsumer consume(ItemHandler handler, ConsumeOptions options) {
    Duration leaseTimeout = queues.get(name).settings().leaseTimeout();
    queues.engine.start(() -> {});
    return queues.consuming(
        new QueueConsumer(this, handler, options, new Consuming(queues, this, leaseTimeout)));
  }
}
