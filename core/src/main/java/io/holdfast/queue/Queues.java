package io.holdfast.queue;

import java.util.List;

/**
 * Durable work queues: the door to every queue of a store, and what creates and changes them.
 * Closing ends duties, answers whoever waits, and leaves items and leases as they are. Every
 * failure is a {@link QueueException}. Safe for use by many threads, and by many processes at once.
 */
public interface Queues extends AutoCloseable {
  /** The queue of this name, whether it exists or not: nothing is asked of the store. */
  Queue queue(String name);

  /** Creates a queue. */
  QueueInfo create(NewQueue queue);

  /** A queue as it is in the store now. */
  QueueInfo get(String name);

  /** Changes what the update names and keeps the rest. */
  QueueInfo update(String name, QueueUpdate update);

  /** Queues in the order of their names' bytes. */
  List<QueueInfo> list(QueuePage page);

  /**
   * Deletes a queue and everything in it. Without {@code force} it must be empty; a dead queue of
   * another queue cannot be deleted.
   */
  void delete(String name, boolean force);

  /**
   * Begins the duties for all queues: expired leases, due items, what other processes left behind.
   * They begin by themselves with the first operation.
   */
  void start();

  /** Asks the store for a sign of life. */
  void ping();

  @Override
  void close();
}
