package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ready → leased}, {@code leased → leased} for longer, and back when nobody got it. */
public interface ItemLeaser {
  /**
   * Leases the oldest ready items, at most {@code limit} and at most 16 MiB of payload but at least
   * one, in the order of their ids. None while the queue is paused.
   */
  List<LeasedItem> lease(int limit, StoreCall call);

  /** Sets new deadlines, for all ids of a request or for none. */
  List<Extension> extend(List<Extend> requests, StoreCall call);

  /**
   * {@code leased → ready} for items that were delivered to nobody: same id, and the lease does not
   * count as an attempt. Items that are not leased any more are left alone; answers how many went
   * back.
   */
  int handBack(List<String> ids, StoreCall call);

  /**
   * The same for items whose ids somebody may have read, and must not be able to settle for their
   * next holder: each gets a new id, at the tail.
   */
  Changes takeBack(List<String> ids, StoreCall call);

  /** A wish for more time; without a duration it is the queue's lease timeout, counted from now. */
  record Extend(List<String> ids, @Nullable Duration by) {}

  /** The answer: a deadline, or the first fault. */
  record Extension(@Nullable Instant deadline, @Nullable Fault fault) {}
}
