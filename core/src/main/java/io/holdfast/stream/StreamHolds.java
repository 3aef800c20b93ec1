package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Store role: pushes that are taken and put by while their queue is held, and appended in the order
 * they came once it is not. Until the last of a queue has gone, new ones line up behind. Arguments
 * have been checked.
 */
public interface StreamHolds {
  /** No more than so many are put by. */
  long MOST = 1_000_000;

  /** Holds pushes to a queue, or with null to all. Fails if there is no such queue. */
  void begin(@Nullable String queue, StoreCall call);

  /**
   * Puts by the entries of queues that are held, and appends the others, all or nothing. Empty if
   * none of them is held any more: then nothing was done. Fails with {@code PAUSED} when too many
   * are put by already.
   */
  Optional<StreamLog.PushAnswer> hold(List<Entry> entries, StoreCall call);

  /** How many are put by, for a queue or with null for all. */
  long count(@Nullable String queue, StoreCall call);

  /**
   * Appends some of those whose queue is held no longer, at most 500 of a queue. A queue without
   * room for them is left for later.
   */
  Drained drain(Reform reform, StoreCall call);

  /** Puts an entry into the form its queue wants now. */
  @FunctionalInterface
  interface Reform {
    /** The same entry, encrypted or not, as {@code queue} says. */
    Entry in(StreamInfo queue, Entry held);
  }

  /** How many were appended, and to which queues. */
  record Drained(int messages, Set<String> queues) {}
}
