package io.holdfast;

import io.holdfast.job.JobBackend;
import io.holdfast.lock.LockBackend;
import io.holdfast.queue.QueueBackend;
import io.holdfast.stream.StreamStore;

/** Where leases live: what {@link Holdfast#over} builds the capabilities on. */
public interface Store extends AutoCloseable {
  /** The lock part of the store. */
  LockBackend locks();

  /** The queue part of the store. */
  QueueBackend queues();

  /** The stream part of the store. */
  StreamStore streams();

  /** The job part of the store. */
  JobBackend jobs();

  /** Gives back what the store holds; the capabilities over it must be closed first. */
  @Override
  void close();
}
