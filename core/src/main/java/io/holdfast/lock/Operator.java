package io.holdfast.lock;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Fence;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks an operator's arguments and asks the store. */
final class Operator implements LockOperator {
  private static final int MAX_LIST = 1000;
  private static final int PURGE_BATCH = 1000;

  private final LockEngine engine;
  private final Cancellation cancellation;

  Operator(LockEngine engine, Cancellation cancellation) {
    this.engine = engine;
    this.cancellation = cancellation;
  }

  @Override
  public List<LockInfo> list(String prefix, @Nullable String after, int limit) {
    return listRaw(prefix, after, limit).stream().map(LockInfoRaw::info).toList();
  }

  @Override
  public List<LockInfoRaw> listRaw(String prefix, @Nullable String after, int limit) {
    engine.admit(cancellation);
    if (limit < 1 || limit > MAX_LIST) {
      throw LockException.invalid("limit must be 1 to " + MAX_LIST);
    }
    String from = prefix.isEmpty() ? prefix : LockKey.canonical(prefix, "prefix");
    String behind = after == null ? null : LockKey.canonical(after, "after");
    return LockService.guarded(null, null, () -> admin().list(from, behind, limit, call())).stream()
        .map(seen -> LockInfoRaw.of(seen.row()))
        .toList();
  }

  @Override
  public LockInspection inspect(String key) {
    return LockInspection.of(inspectRaw(key));
  }

  @Override
  public LockAdmin.Inspection inspectRaw(String key) {
    engine.admit(cancellation);
    LockKey checked = LockKey.of(key);
    return LockService.guarded(checked, null, () -> admin().inspect(checked, call()));
  }

  @Override
  public LockAdmin.Stats stats() {
    return LockService.guarded(null, null, () -> admin().stats(call()));
  }

  @Override
  public boolean breakLock(String key, Fence fence) {
    engine.admit(cancellation);
    LockKey checked = LockKey.of(key);
    LockAdmin.Broken broken =
        LockService.guarded(checked, null, () -> admin().breakLock(checked, fence, call()));
    if (broken.done()) {
      engine.released(checked, broken.wake());
    }
    return broken.done();
  }

  @Override
  public long raiseFences(long by) {
    engine.admit(cancellation);
    if (by < 1 || by > Fence.MAX) {
      throw LockException.invalid("fences are raised by 1 to " + Fence.MAX);
    }
    return LockService.guarded(null, null, () -> admin().raiseFences(by, call()));
  }

  @Override
  public int purge() {
    int total = 0;
    int removed;
    do {
      removed = LockService.guarded(null, null, () -> admin().purge(PURGE_BATCH, call()));
      total += removed;
    } while (removed == PURGE_BATCH);
    return total;
  }

  private LockAdmin admin() {
    return engine.backend.admin();
  }

  private LockCall call() {
    engine.admit(cancellation);
    return engine.call(cancellation);
  }
}
