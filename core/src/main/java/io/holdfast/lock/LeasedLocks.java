package io.holdfast.lock;

import io.holdfast.lease.Time;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The adapters handed out: one per key for as long as anybody uses or holds it. Safe for use by
 * many threads.
 */
final class LeasedLocks {
  private static final int SWEEP_FROM = 256;

  private final LockService locks;
  private final Time time;
  private final Map<String, WeakReference<LeasedLock>> byKey = new HashMap<>();
  private final Set<LeasedLock> held = ConcurrentHashMap.newKeySet();
  private int sweepAt = SWEEP_FROM;

  LeasedLocks(LockService locks, Time time) {
    this.locks = locks;
    this.time = time;
  }

  synchronized LeasedLock obtain(LockKey key) {
    WeakReference<LeasedLock> known = byKey.get(key.text());
    LeasedLock lock = known == null ? null : known.get();
    if (lock == null) {
      lock = new LeasedLock(locks, key, time, held);
      byKey.put(key.text(), new WeakReference<>(lock));
      sweep();
    }
    return lock;
  }

  private void sweep() {
    if (byKey.size() >= sweepAt) {
      byKey.values().removeIf(reference -> reference.get() == null);
      sweepAt = Math.max(SWEEP_FROM, 2 * byKey.size());
    }
  }
}
