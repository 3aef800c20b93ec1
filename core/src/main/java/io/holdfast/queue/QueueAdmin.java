package io.holdfast.queue;

import java.util.List;

/** What operators do with one queue. Safe for use by many threads. */
public interface QueueAdmin {
  /** Grants no leases any more, in any process, until resumed; idempotent. */
  QueueInfo pause();

  /** Grants leases again; idempotent. */
  QueueInfo resume();

  /** Counts, and what this process is doing. */
  QueueStats stats();

  /** How much this process moved; asks nothing of the store. */
  default QueueFlow flow() {
    return QueueFlow.NONE;
  }

  /** Removes items of all partitions. */
  void clear(Clear what);

  /** Removes what waits; also what is leased, if {@code destructive}. */
  default void clear(boolean destructive) {
    clear(destructive ? Clear.EVERYTHING : Clear.WAITING);
  }

  /** Returns up to {@code limit} dead-lettered items of this queue to where they came from. */
  Redriven redrive(int limit);

  /** Reads the queue afresh, after somebody changed its tables directly, and wakes its waiters. */
  void reload();

  /** Lets waiting leases look again, after somebody produced in a transaction of his own. */
  void wake();

  /**
   * Ready and leased items in the order of ids, from {@code pivot} on; blank for the first. At most
   * {@code limit}, 1 to 65536; 0 for 1000. Refused if their payloads have more than 64 MiB.
   */
  List<StoredItem> list(int partition, String pivot, int limit);

  /** The same for scheduled items. */
  List<StoredItem> listScheduled(int partition, String pivot, int limit);

  /** Inserts items as they are, in one step; see {@link ItemAdmin#add}. */
  List<StoredItem> importItems(int partition, List<StoredItem> items);

  /** Removes items in any state; unknown ids are ignored. */
  void deleteItems(int partition, List<String> ids);
}
