package io.holdfast.memory;

import io.holdfast.lease.Fence;
import io.holdfast.lock.Liveness;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operators' side of {@link MemoryLocks}. */
final class MemoryLockAdmin implements LockAdmin {
  /** The order of UTF-8 bytes, which is that of code points and not that of Java's strings. */
  static final Comparator<String> BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private final MemoryLocks table;

  MemoryLockAdmin(MemoryLocks table) {
    this.table = table;
  }

  @Override
  public List<LockStore.Sighting> list(
      String prefix, @Nullable String after, int limit, LockCall call) {
    synchronized (table) {
      long now = table.now();
      return table.rows.values().stream()
          .filter(row -> Liveness.isLive(row.expiresAtMs(), now) && row.key().startsWith(prefix))
          .filter(row -> after == null || BYTES.compare(row.key(), after) > 0)
          .sorted(Comparator.comparing(LockStore.Row::key, BYTES))
          .limit(limit)
          .map(row -> new LockStore.Sighting(row, now))
          .toList();
    }
  }

  @Override
  public Inspection inspect(LockKey key, LockCall call) {
    synchronized (table) {
      List<Ticket> tickets =
          table.waiters.stream()
              .filter(w -> w.key().equals(key.text()))
              .map(MemoryLocks.Waiting::ticket)
              .sorted(Comparator.comparing(Ticket::number))
              .toList();
      return new Inspection(
          table.rows.get(key.text()),
          table.counters.getOrDefault(key.text(), 0L),
          tickets,
          table.now());
    }
  }

  @Override
  public Stats stats(LockCall call) {
    synchronized (table) {
      long now = table.now();
      long live =
          table.rows.values().stream().filter(r -> Liveness.isLive(r.expiresAtMs(), now)).count();
      return new Stats(
          live, table.rows.size() - live, table.counters.size(), table.waiters.size(), 0, 0);
    }
  }

  @Override
  public Broken breakLock(LockKey key, Fence fence, LockCall call) {
    synchronized (table) {
      LockStore.Row row = table.rows.get(key.text());
      if (row == null || !row.fence().equals(fence)) {
        return new Broken(false, false);
      }
      table.rows.remove(key.text());
      return new Broken(true, table.someoneWaits(key.text()));
    }
  }

  @Override
  public long raiseFences(long by, LockCall call) {
    synchronized (table) {
      long raised = table.counters.values().stream().filter(fence -> fence < Fence.MAX).count();
      table.counters.replaceAll(
          (key, fence) -> fence >= Fence.MAX ? fence : Math.min(Fence.MAX, fence + by));
      return raised;
    }
  }

  @Override
  public int purge(int limit, LockCall call) {
    synchronized (table) {
      long now = table.now();
      List<LockStore.Row> stale =
          table.rows.values().stream()
              .filter(row -> Liveness.isPurgeable(row.expiresAtMs(), now))
              .sorted(Comparator.comparing(LockStore.Row::expiresAtMs))
              .limit(limit)
              .toList();
      stale.forEach(row -> table.rows.remove(row.key()));
      table.waiters.removeIf(w -> w.ticket().expiresAtMs() <= now);
      return stale.size();
    }
  }
}
