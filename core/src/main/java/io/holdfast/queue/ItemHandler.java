package io.holdfast.queue;

/** Deals with one item at a time; many threads may call it at once. */
@FunctionalInterface
public interface ItemHandler {
  /**
   * Deals with the item. It is completed when this returns, goes back for another try when this
   * throws, and goes to the dead queue on an {@link UnrecoverableItemException}. The thread is
   * interrupted when the lease is lost.
   */
  void handle(Delivery delivery) throws Exception;
}
