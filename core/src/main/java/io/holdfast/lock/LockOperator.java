package io.holdfast.lock;

import io.holdfast.lease.Fence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looking into locks, and stepping in. Safe for use by many threads. */
public interface LockOperator {
  /** Live locks by key, at most 1000: those that start with {@code prefix}, after {@code after}. */
  List<LockInfo> list(String prefix, @Nullable String after, int limit);

  /** The same with raw keys and ids. */
  List<LockInfoRaw> listRaw(String prefix, @Nullable String after, int limit);

  /** Everything known about {@code key}. */
  LockInspection inspect(String key);

  /** The same as it is stored, with raw key and id. */
  LockAdmin.Inspection inspectRaw(String key);

  /** How much there is of everything. */
  LockAdmin.Stats stats();

  /**
   * Frees {@code key} if its fence is still {@code fence}, and says whether it did. The old holder
   * learns at its next renewal; until then only a fence guard keeps it out.
   */
  boolean breakLock(String key, Fence fence);

  /**
   * Adds {@code by} to every fence counter and answers how many were raised. After a restore, or a
   * failover to a standby that lagged behind, fences that were issued may be unknown to the
   * database: raise them by more than can have been lost before anything acquires again.
   */
  long raiseFences(long by);

  /** Removes expired rows now instead of waiting for the purge; answers how many. */
  int purge();

  /**
   * What is stored about a key.
   *
   * @param lock the lock row, live or not, if there is one
   * @param remaining until the lock stops keeping others out; zero when it does not
   * @param counter the last fence granted; zero when there was none
   * @param waiters tickets in order of arrival
   * @param refusal why a caller would be refused now, in words
   */
  record LockInspection(
      Optional<LockInfo> lock,
      Duration remaining,
      long counter,
      List<LockAdmin.Ticket> waiters,
      Optional<String> refusal) {

    /** What follows from what is stored. */
    public static LockInspection of(LockAdmin.Inspection seen) {
      LockStore.Row row = seen.row();
      boolean live = row != null && Liveness.isLive(row.expiresAtMs(), seen.nowMs());
      long remainingMs = live ? Liveness.remainingMs(row.expiresAtMs(), seen.nowMs()) : 0;
      return new LockInspection(
          Optional.ofNullable(row).map(r -> LockInfoRaw.of(r).info()),
          Duration.ofMillis(remainingMs),
          seen.counter(),
          seen.waiters(),
          refusal(live, remainingMs, seen));
    }

    private static Optional<String> refusal(
        boolean live, long remainingMs, LockAdmin.Inspection seen) {
      if (live) {
        return Optional.of("taken for another " + remainingMs + " ms unless released or renewed");
      }
      if (seen.counter() >= Fence.MAX) {
        return Optional.of("its fences are used up");
      }
      boolean fairQueue =
          seen.waiters().stream().anyMatch(t -> t.fair() && t.expiresAtMs() > seen.nowMs());
      return fairQueue
          ? Optional.of("free, but fair waiters are served in order of arrival")
          : Optional.empty();
    }
  }
}
