package io.holdfast.queue;

import java.time.Instant;

/**
 * An item in the hands of one holder until {@code leaseDeadline}. Its id is what settles it, and
 * stops being valid as soon as the item is anybody else's.
 *
 * @param attempts how often the item was leased, this time included
 */
public record LeasedItem(String id, int attempts, Instant leaseDeadline, Content content) {
  /** The payload read as UTF-8. */
  public String text() {
    return content.text();
  }
}
