package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What happens to items by the passing of time. A scan finds what is due and holds nothing; taking
 * action checks each item again on its locked row and skips what has changed.
 */
public interface ItemLifecycle {
  /** Scheduled items that are due, in the order of (enqueue time, id). */
  List<Due> scanScheduled(int limit, StoreCall call);

  /** Leases that ran out, then ready items that expired; one action per item. */
  List<Due> scanActions(int limit, StoreCall call);

  /**
   * Does what is due, in one transaction, unless another process is sweeping this partition;
   * answers what changed.
   */
  Changes takeAction(List<Due> page, StoreCall call);

  /** When something is due next. */
  Info lifecycleInfo(StoreCall call);

  /** What is to be done with an item. */
  enum Kind {
    /** {@code scheduled → ready}, or expired. */
    QUEUE_SCHEDULED,
    /** {@code leased → ready}. */
    LEASE_EXPIRED,
    /** {@code leased → dead letter}: no attempt is left. */
    MAX_ATTEMPTS,
    /** {@code ready or leased → dead letter}: it waited for too long. */
    ITEM_EXPIRED,
    /** Removed, whatever its state. */
    DELETE
  }

  /**
   * An item that is due.
   *
   * @param deadline of the lease, the expiry or the schedule, as the kind has it
   */
  record Due(Kind kind, String id, int attempts, @Nullable Instant deadline) {}

  /**
   * How long, from now on the store's clock, until the earliest of each kind is due; negative or
   * zero when it is, empty when there is none. In microseconds.
   */
  record Info(OptionalLong lease, OptionalLong expiry, OptionalLong schedule) {
    /** Nothing is due, ever. */
    public static final Info NOTHING =
        new Info(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

    /** Until the earliest of all. */
    public OptionalLong earliest() {
      return Stream.of(lease, expiry, schedule)
          .filter(OptionalLong::isPresent)
          .mapToLong(OptionalLong::getAsLong)
          .min();
    }
  }
}
