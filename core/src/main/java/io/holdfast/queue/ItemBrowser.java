package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;

/** Looks at items without changing them. */
public interface ItemBrowser {
  /** Ready and leased items in the order of ids, from {@code pivot} on; empty for the first. */
  List<StoredItem> list(String pivot, int limit, StoreCall call);

  /** Scheduled items in the order of ids, from {@code pivot} on; empty for the first. */
  List<StoredItem> listScheduled(String pivot, int limit, StoreCall call);

  /** Counts by state and mean ages; reads the whole partition. */
  QueueStats.ItemCounts stats(StoreCall call);

  /** How many items are ready, counting no further than {@code cap}. */
  int countReady(int cap, StoreCall call);
}
