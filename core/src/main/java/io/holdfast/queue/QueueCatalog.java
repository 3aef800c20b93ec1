package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which queues there are. Always answers from the store, never from memory, and each change is one
 * atomic step that checks the rules of {@link QueueRules} in their order. Every failure is a {@link
 * QueueException}. Safe for use by many threads and processes.
 */
public interface QueueCatalog extends AutoCloseable {
  /** The queue, unless it is not there or being deleted. */
  Optional<QueueInfo> get(String name, StoreCall call);

  /** A new queue. One that is being deleted under the name is done away with first. */
  QueueInfo add(NewQueue queue, StoreCall call);

  /** The queue with the change merged into it. */
  QueueInfo update(String name, QueueUpdate update, StoreCall call);

  /** Queues in the order of their names' bytes. */
  List<QueueInfo> list(QueuePage page, StoreCall call);

  /**
   * Removes a queue and its items; a missing one is none of its business. Refused while the queue
   * is somebody's dead queue, and without {@code force} while it has any item.
   */
  void delete(String name, boolean force, StoreCall call);

  /** Pauses or resumes; idempotent. */
  QueueInfo pause(String name, Pause pause, StoreCall call);

  /** Every active queue and its version, for finding out what changed. */
  Map<String, Long> versions(StoreCall call);

  /** Goes on with deletions that somebody began and did not end; answers how many it finished. */
  int finishDeletes(StoreCall call);

  /** Later calls fail. */
  @Override
  void close();
}
