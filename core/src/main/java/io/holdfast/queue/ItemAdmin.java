package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;

/** What an operator does to items directly. */
public interface ItemAdmin {
  /**
   * Inserts items as they are given, under new ids, in one step and in their order. Where a source
   * id is there already, the stored item is answered instead.
   */
  Imported add(List<StoredItem> items, StoreCall call);

  /** Removes items in any state; unknown ids are ignored. */
  Changes delete(List<String> ids, StoreCall call);

  /** Removes the items the flags name. */
  Changes clear(Clear what, StoreCall call);

  /** Returns up to {@code limit} dead-lettered items to the queues they came from. */
  Redrive redrive(int limit, StoreCall call);

  /** The items as they are stored now, in the order given, and what that changed. */
  record Imported(List<StoredItem> items, Changes changes) {}

  /** What a redrive did; arrivals are in {@code changes.dead()}, which names the source queues. */
  record Redrive(Redriven result, Changes changes) {}
}
