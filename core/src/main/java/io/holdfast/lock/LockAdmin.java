package io.holdfast.lock;

import io.holdfast.lease.Fence;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators need of a store. The same rules as for {@link LockStore} hold. */
public interface LockAdmin {
  /**
   * Live locks whose key starts with {@code prefix} and comes after {@code after}, by key bytes.
   */
  List<LockStore.Sighting> list(String prefix, @Nullable String after, int limit, LockCall call);

  /** Everything stored about {@code key}. */
  Inspection inspect(LockKey key, LockCall call);

  /** How much there is of everything. */
  Stats stats(LockCall call);

  /** Deletes the row of {@code key} if its fence equals {@code fence}; the counter stays. */
  Broken breakLock(LockKey key, Fence fence, LockCall call);

  /**
   * Adds {@code by} to every counter, never beyond {@link Fence#MAX}; answers how many it raised.
   */
  long raiseFences(long by, LockCall call);

  /** Deletes at most {@code limit} rows that may be purged, oldest first, and expired tickets. */
  int purge(int limit, LockCall call);

  /** What is stored about a key; waiters in the order they came. */
  record Inspection(LockStore.@Nullable Row row, long counter, List<Ticket> waiters, long nowMs) {}

  /** One waiter of a key. */
  record Ticket(long number, boolean fair, long expiresAtMs) {}

  /** Whether a row was deleted, and whether somebody waits for its key. */
  record Broken(boolean done, boolean wake) {}

  /** Totals; the number of counters is an estimate where counting them would be slow. */
  record Stats(
      long liveLocks,
      long expiredRows,
      long counters,
      long waiters,
      long lockTableBytes,
      long counterTableBytes) {}
}
