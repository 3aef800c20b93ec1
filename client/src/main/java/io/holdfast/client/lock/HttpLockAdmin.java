package io.holdfast.client.lock;

import io.holdfast.client.http.Verbs;
import io.holdfast.lease.Fence;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockStore;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What operators of locks ask of a server. Safe for use by many threads. */
record HttpLockAdmin(Verbs verbs) implements LockAdmin {
  private <T> T call(String verb, Object body, Class<T> type, Verbs.Manner manner, LockCall call) {
    Verbs.Patience patience = new Verbs.Patience(call.cancellation(), call.callTimeout());
    return LockFailures.told(() -> verbs.call(verb, body, type, manner, patience));
  }

  private <T> T look(String verb, Object body, Class<T> type, LockCall call) {
    return call(verb, body, type, Verbs.Manner.REPEATABLE, call);
  }

  private <T> T change(String verb, Object body, Class<T> type, LockCall call) {
    return call(verb, body, type, Verbs.Manner.ONCE, call);
  }

  @Override
  public List<LockStore.Sighting> list(
      String prefix, @Nullable String after, int limit, LockCall call) {
    LockWire.LockList body =
        new LockWire.LockList(prefix.isEmpty() ? null : prefix, after, limit, true);
    return look("list", body, LockWire.LockListReply.class, call).locks().stream()
        .map(HttpLockAdmin::row)
        .map(row -> new LockStore.Sighting(row, row.acquiredAtMs()))
        .toList();
  }

  private static LockStore.Row row(LockWire.LockDocument lock) {
    return new LockStore.Row(
        Objects.requireNonNull(lock.key(), "key"),
        Objects.requireNonNull(lock.lockId(), "lockId"),
        Fence.parse(Objects.requireNonNull(lock.fence(), "fence")),
        Objects.requireNonNull(lock.expiresAtMs(), "expiresAtMs"),
        Objects.requireNonNull(lock.acquiredAtMs(), "acquiredAtMs"));
  }

  @Override
  public Inspection inspect(LockKey key, LockCall call) {
    LockWire.LockInspectReply reply =
        look(
            "inspect",
            new LockWire.LockInspect(key.text(), true),
            LockWire.LockInspectReply.class,
            call);
    return new Inspection(
        reply.lock() == null ? null : row(reply.lock()),
        Long.parseLong(reply.fence()), // a broken one may have more digits
        reply.waiters().stream()
            .map(waiter -> new Ticket(waiter.ticket(), waiter.fair(), waiter.expiresAtMs()))
            .toList(),
        reply.nowMs());
  }

  @Override
  public Stats stats(LockCall call) {
    LockWire.LockStatsReply stats =
        look("stats", new LockWire.LockNothing(), LockWire.LockStatsReply.class, call);
    return new Stats(
        stats.liveLocks(),
        stats.expiredRows(),
        stats.counters(),
        stats.waiters(),
        stats.lockTableBytes(),
        stats.counterTableBytes());
  }

  @Override
  public Broken breakLock(LockKey key, Fence fence, LockCall call) {
    LockWire.LockBreak body = new LockWire.LockBreak(key.text(), fence.text());
    return new Broken(change("break", body, LockWire.LockBreakReply.class, call).broken(), false);
  }

  @Override
  public long raiseFences(long by, LockCall call) {
    LockWire.LockRaise body = new LockWire.LockRaise(by);
    return change("raiseFences", body, LockWire.LockRaiseReply.class, call).raised();
  }

  /** The server takes as many steps as it needs. */
  @Override
  public int purge(int limit, LockCall call) {
    long purged =
        change("purge", new LockWire.LockNothing(), LockWire.LockPurgeReply.class, call).purged();
    return (int) Math.min(purged, Integer.MAX_VALUE);
  }
}
