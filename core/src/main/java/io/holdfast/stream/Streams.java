package io.holdfast.stream;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ordered streams. Within a partition every group gets every message, in the order they were
 * pushed, one consumer of the group at a time; groups never affect each other.
 *
 * <p>Every failure is a {@link StreamException}. Safe for use by many threads.
 */
public interface Streams extends AutoCloseable {
  /** Makes a queue, or changes it: what is not mentioned stays. */
  StreamInfo configure(StreamConfig config);

  /**
   * Deletes a queue with everything in it. The name is free at once, leases are lost. Answers
   * whether there was one.
   */
  boolean delete(String queue);

  /**
   * Appends all messages or none, making queues and partitions that are missing. Once this returns,
   * every pop anywhere sees them.
   */
  List<Pushed> push(List<NewMessage> messages);

  /** The same under an authenticated name, which consumers get to see. */
  List<Pushed> push(List<NewMessage> messages, @Nullable String producer);

  /** The same without waiting; cancelling takes it back unless it was sent. */
  CompletableFuture<List<Pushed>> pushAsync(List<NewMessage> messages, @Nullable String producer);

  /** Takes partitions with something to read, and what is to be read of them. */
  Popped pop(PopRequest request);

  /**
   * The same without waiting. Cancelling ends the wait; what was claimed for it by then is given
   * back.
   */
  CompletableFuture<Popped> popAsync(PopRequest request);

  /** Done when pops that were cancelled before can take nothing any more, and hold nothing. */
  CompletableFuture<Void> calledOff();

  /** Settles messages; a refused one does not undo the others. Answers in order. */
  List<Acked> ack(List<Ack> acks);

  /** The same without waiting. */
  CompletableFuture<List<Acked>> ackAsync(List<Ack> acks);

  /**
   * The same as the wire offers it: a verdict without a lease is good while nobody holds the
   * partition, and {@code mode} says what it means for messages it does not name.
   */
  CompletableFuture<List<Acked>> ackAsync(List<Ack> acks, AckMode mode);

  /** Settles messages and takes the next ones, in one commit if that finds some at once. */
  CompletableFuture<AckedAndPopped> ackAndPop(List<Ack> acks, PopRequest request);

  /** What became of verdicts, and what came next. */
  record AckedAndPopped(List<Acked> acked, Popped popped) {}

  /**
   * Makes every partition of a lease last at least that long from now.
   *
   * @throws StreamException {@code LEASE_LOST} when it holds none
   */
  Extended extend(UUID leaseId, Duration by);

  /**
   * Returns what is unsettled, at once and free of charge: of one partition, or with null of all.
   *
   * @throws StreamException {@code LEASE_LOST} when it holds none
   */
  int release(UUID leaseId, @Nullable UUID partitionId);

  /** Pushes and settles together: a refused verdict undoes everything. */
  Transacted transact(List<NewMessage> messages, List<Ack> acks);

  /**
   * The same as the wire offers it: an ack without a lease is good for a partition that is held
   * under one of {@code required}.
   */
  Transacted transact(
      List<NewMessage> messages, List<Ack> acks, Set<UUID> required, @Nullable String producer);

  /** Handles messages of a queue on behalf of a group, until closed. */
  StreamConsumer consume(
      String queue, String group, MessageHandler handler, ConsumerOptions options);

  /** The same, batch by batch. */
  StreamConsumer consumeBatches(
      String queue, String group, BatchHandler handler, ConsumerOptions options);

  /** A buffer in front of {@link #push} that keeps order and retries. */
  StreamProducer producer(ProducerOptions options);

  /** For operators: pauses, groups, quarantine. */
  StreamAdmin admin();

  /** Messages that were given up. */
  DeadLetters deadLetters();

  /** Looking at messages, and at how it goes. */
  StreamBrowser browser();

  /** Begins the background duties, which the first operation does anyway. */
  void start();

  /** Fails unless the store answers. */
  void ping();

  /** Stops consumers and duties, and answers whoever waits. */
  @Override
  void close();
}
