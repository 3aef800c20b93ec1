package io.holdfast.client.queue;

import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.QueueConsumer;
import io.holdfast.queue.QueueException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a consumer of a server's queue needs; the lease timeout is never much older than that. */
final class Consuming implements QueueConsumer.Context {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final HttpQueues queues;
  private final HttpQueue queue;
  private volatile Duration leaseTimeout;
  private volatile long readNanos;

  Consuming(HttpQueues queues, HttpQueue queue, Duration leaseTimeout) {
    this.queues = queues;
    this.queue = queue;
    this.leaseTimeout = leaseTimeout;
    this.readNanos = time().nanos();
  }

  @Override
  public Time time() {
    return queues.engine.time();
  }

  @Override
  public Timers timers() {
    return queues.engine.timers();
  }

  @Override
  public Duration leaseTimeout() {
    long now = time().nanos();
    if (now - readNanos > FRESH_NANOS) {
      readNanos = now;
      queues
          .channel
          .ask(HttpQueues.info(queue.name()))
          .thenAccept(info -> leaseTimeout = info.settings().leaseTimeout());
    }
    return leaseTimeout;
  }

  @Override
  public void handBack(int partition, List<LeasedItem> items) {
    queue.handBackAsync(partition, items.stream().map(LeasedItem::id).toList(), false);
  }

  /** A server that ends is followed by another. */
  @Override
  public boolean isOver(QueueException failure) {
    return queues.isClosing();
  }

  @Override
  public void closed(QueueConsumer consumer) {
    queues.consumed(consumer);
  }
}
