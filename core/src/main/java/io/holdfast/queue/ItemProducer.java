package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;

/** {@code nothing → ready or scheduled}. */
public interface ItemProducer {
  /**
   * Inserts the items of all requests at the tail, in order: all of them or none.
   *
   * @throws QueueException of kind INVALID when data of some request was refused; nothing is stored
   */
  Produced produce(List<List<NewItem>> requests, StoreCall call);

  /**
   * What was inserted.
   *
   * @param ids per request, in the order of its items
   * @param ready how many of all are ready rather than scheduled
   */
  record Produced(List<List<String>> ids, int ready) {
    /** The smallest id. */
    public String first() {
      return ids.get(0).get(0);
    }
  }
}
