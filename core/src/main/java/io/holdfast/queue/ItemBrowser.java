package io.holdfast.queue;

import java.util.List;

/** Looks at items without changing them. */
public interface ItemBrowser {
  /** Ready and leased items in the order of ids, from {@code pivot} on; empty for the first. */
  List<StoredItem> list(String pivot, int limit, QueueCall call);

  /** Scheduled items in the order of ids, from {@code pivot} on; empty for the first. */
  List<StoredItem> listScheduled(String pivot, int limit, QueueCall call);

  /** Counts by state and mean ages; reads the whole partition. */
  QueueStats.ItemCounts stats(QueueCall call);

  /** How many items are ready, counting no further than {@code cap}. */
  int countReady(int cap, QueueCall call);
}
