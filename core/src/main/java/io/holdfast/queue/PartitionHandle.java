package io.holdfast.queue;

/** What a process knows about a partition without asking the store. */
public interface PartitionHandle extends AutoCloseable {
  /** Number and place. */
  PartitionInfo info();

  /** The queue as last seen. */
  QueueInfo queue();

  /** Takes over what was read about the queue. */
  void updateQueueInfo(QueueInfo queue);

  /** Forgets what made claims and sweeps cheaper, after somebody worked on the items directly. */
  void reset();

  /** Another process says that the item {@code id}, or a later one, has become ready. */
  void hinted(String id);

  /** Idempotent; later calls fail. */
  @Override
  void close();
}
