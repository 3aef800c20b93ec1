package io.holdfast.stream;

import io.holdfast.lease.StoreCall;

/**
 * Store role: what has to be done in the background, in short steps. Each answers how much it did;
 * 0 means that nothing is left for now. Several processes may do it at once: a queue that one is
 * busy with is left alone by the others.
 */
public interface StreamUpkeep {
  /** Drops messages that are old enough, and logs it. */
  int retain(StoreCall call);

  /** Gives new groups cursors in partitions where they have none. */
  int seed(StoreCall call);

  /** Adds up counters that were written apart, and checks some against what they count. */
  int count(StoreCall call);

  /**
   * Removes what deleted queues and groups left, empty partitions that were idle for {@code
   * partitionIdleDays}, traces older than 30 days and log entries older than 90.
   */
  int purge(int partitionIdleDays, StoreCall call);
}
