package io.holdfast.client.queue;

import io.holdfast.client.http.Channel;
import io.holdfast.client.queue.QueueChannel.Question;
import io.holdfast.client.queue.QueueMessages.QueueChangedReply;
import io.holdfast.client.queue.QueueMessages.QueueDeleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueInfoMessage;
import io.holdfast.client.queue.QueueMessages.QueueNamed;
import io.holdfast.client.queue.QueueMessages.QueuesListReply;
import io.holdfast.client.queue.QueueMessages.QueuesListRequest;
import io.holdfast.lease.Engine;
import io.holdfast.lease.Time;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueConsumer;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Queues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The queues of a server. Closing ends consumers and calls off what waits; the server goes on. Safe
 * for use by many threads.
 */
public final class HttpQueues implements Queues {
  private static final long PATIENCE_SECONDS = 5;

  final QueueChannel channel;
  final Engine engine;
  private final Set<QueueConsumer> consumers = ConcurrentHashMap.newKeySet();
  private final Set<HttpLease> leases = ConcurrentHashMap.newKeySet();
  private final Map<String, HttpLease> firsts = new ConcurrentHashMap<>();
  private volatile boolean isClosing;

  /** Over this channel, which stays open. */
  public HttpQueues(Channel channel, Time time) {
    this.channel = new QueueChannel(channel);
    this.engine = new Engine("holdfast-client-queue", time, false);
  }

  @Override
  public Queue queue(String name) {
    return new HttpQueue(this, name);
  }

  @Override
  public QueueInfo create(NewQueue queue) {
    return channel.call(changed("queues.create", Values.message(queue)));
  }

  static Question<QueueChangedReply, QueueInfo> changed(String path, Record message) {
    return Question.change(
        path, message, QueueChangedReply.class, reply -> Values.info(reply.queue()));
  }

  @Override
  public QueueInfo get(String name) {
    return channel.call(info(name));
  }

  static Question<QueueInfoMessage, QueueInfo> info(String name) {
    return Question.look("queues.info", new QueueNamed(name), QueueInfoMessage.class, Values::info);
  }

  @Override
  public QueueInfo update(String name, QueueUpdate update) {
    return channel.call(changed("queues.update", Values.message(name, update)));
  }

  @Override
  public List<QueueInfo> list(QueuePage page) {
    return channel.call(
        Question.look(
            "queues.list",
            new QueuesListRequest(page.pivot(), page.limit(), page.namespace()),
            QueuesListReply.class,
            reply -> reply.items().stream().map(Values::info).toList()));
  }

  @Override
  public void delete(String name, boolean force) {
    channel.call(Question.change("queues.delete", new QueueDeleteRequest(name, force)));
  }

  /** The server's duties run anyway. */
  @Override
  public void start() {
    channel.requireOpen();
  }

  @Override
  public void ping() {
    list(new QueuePage("", 1, null));
  }

  QueueConsumer consuming(QueueConsumer consumer) {
    consumers.add(consumer);
    return consumer;
  }

  void consumed(QueueConsumer consumer) {
    consumers.remove(consumer);
  }

  boolean isClosing() {
    return isClosing;
  }

  /** Takes note of a lease that waits; it is ended when these queues close. */
  boolean enter(HttpLease lease) {
    leases.add(lease);
    return !isClosing;
  }

  /** The lease that was first to wait for its client: this one, if none is there. */
  HttpLease first(HttpLease lease) {
    return firsts.computeIfAbsent(lease.holder(), key -> lease);
  }

  void left(HttpLease lease) {
    leases.remove(lease);
    firsts.remove(lease.holder(), lease);
  }

  @Override
  public void close() {
    consumers.forEach(QueueConsumer::close);
    isClosing = true;
    CompletableFuture<?>[] ends =
        leases.stream().map(HttpLease::end).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // the server takes back what it cannot deliver
    }
    channel.close();
    engine.close(Duration.ZERO, () -> {});
  }
}
