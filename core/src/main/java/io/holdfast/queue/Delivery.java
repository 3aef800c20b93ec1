package io.holdfast.queue;

/** An item in the hands of a consumer. Its lease is renewed until the handler is done. */
public interface Delivery {
  /** Where it came from. */
  String queue();

  /** Which partition of it. */
  int partition();

  /** The item; its attempts tell how often it was tried, this time included. */
  LeasedItem item();

  /** Whether the lease may still be relied on; look before doing what must not be done twice. */
  boolean isHeld();
}
