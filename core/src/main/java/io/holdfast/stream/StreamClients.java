package io.holdfast.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Consumers and producers over {@link StreamWork}, until they are closed. Safe for use by many
 * threads.
 */
public final class StreamClients implements AutoCloseable {
  private final StreamWork work;
  private final HeldBatch.Pusher pusher;
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  /** Over this work. */
  public StreamClients(StreamWork work) {
    this.work = work;
    this.pusher = messages -> StreamEngine.join(work.push(messages));
  }

  /** Handles messages of a queue on behalf of a group, until closed. */
  public StreamConsumer consume(
      String queue, String group, MessageHandler handler, ConsumerOptions options) {
    return consume(queue, group, Handlers.each(handler, pusher), options);
  }

  /** The same, batch by batch. */
  public StreamConsumer consumeBatches(
      String queue, String group, BatchHandler handler, ConsumerOptions options) {
    return consume(queue, group, Handlers.together(handler), options);
  }

  private StreamConsumer consume(
      String queue, String group, ConsumerRuntime.BatchRun handler, ConsumerOptions options) {
    StreamRules.checkQueue(queue);
    StreamRules.checkGroup(group);
    StreamRules.checkRange("concurrency", options.concurrency(), 1, StreamRules.MAX_PARTITIONS);
    StreamRules.checkRange("batch", options.batch(), 1, StreamRules.MAX_ITEMS);
    if (options.leaseFor() != null) {
      StreamRules.checkLease("leaseFor", options.leaseFor());
    }
    work.start();
    ConsumerRuntime consumer =
        new ConsumerRuntime(
            work, new ConsumerRuntime.Source(queue, group), handler, options, open::remove);
    open.add(consumer);
    return consumer.started();
  }

  /** A buffer in front of pushes that keeps order and retries. */
  public StreamProducer producer(ProducerOptions options) {
    StreamRules.checkRange("maxMessages", options.maxMessages(), 1, Integer.MAX_VALUE);
    BufferedProducer producer = new BufferedProducer(work, options, open::remove);
    open.add(producer);
    return producer;
  }

  /** Closes those that are open. */
  @Override
  public void close() {
    for (AutoCloseable client : open) {
      try {
        client.close();
      } catch (Exception e) {
        throw new IllegalStateException("our clients throw nothing when closed", e);
      }
    }
  }
}
