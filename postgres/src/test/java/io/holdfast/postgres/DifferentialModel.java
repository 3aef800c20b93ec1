package io.holdfast.postgres;

import io.holdfast.lock.Liveness;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operations look at before they say what exactly they ask: the memory store's present state,
 * and the clock. Pools are small, so that operations meet.
 */
final class DifferentialModel {
  /** Names of this run's own: whoever else works on a key of that name would make it busy. */
  static final String PREFIX = TestDatabase.unique("differential") + ":";

  /** One is a prefix of another, and two sort differently by bytes and by Java's characters. */
  static final List<LockKey> KEYS =
      Stream.of("a", "ab", "\uff5e", "\ud83d\ude00").map(k -> LockKey.of(PREFIX + k)).toList();

  static final int IDS = 3;
  static final int WAITERS = 3;

  /** What is special about a time relative to an expiry: its own, liveness, purging. */
  static final List<Long> ROW_OFFSETS =
      List.of(-1L, 0L, 1L, 999L, 1000L, 1001L, 1999L, 2000L, 2001L);

  static final List<Long> TICKET_OFFSETS = List.of(-1L, 0L, 1L);

  /** From here on the largest ttls reach beyond what may be stored. */
  static final long FAR_MS = Liveness.MAX_INSTANT_MS - LockTtl.MAX_MILLIS + 1;

  private final LockBackend memory;
  private final ManualTime time;
  private int lastId;

  DifferentialModel(LockBackend memory, ManualTime time) {
    this.memory = memory;
    this.time = time;
  }

  static LockKey key(int n) {
    return KEYS.get(n);
  }

  long nowMs() {
    return time.nowMs();
  }

  /** Moves the clock, forwards or back. */
  void step(long ms) {
    time.stepDatabase(ms);
  }

  LockAdmin.Inspection inspect(LockKey key) {
    return memory.admin().inspect(key, LockCall.plain());
  }

  LockStore.@Nullable Row row(LockKey key) {
    return inspect(key).row();
  }

  /** The row that {@code id} stands in, if any. */
  LockStore.@Nullable Row row(LockId id) {
    return memory.store().find(id, LockCall.plain()).map(LockStore.Sighting::row).orElse(null);
  }

  boolean isLive(LockStore.@Nullable Row row) {
    return row != null && Liveness.isLive(row.expiresAtMs(), nowMs());
  }

  /** How many rows a purge limited to {@code limit} may take without having to choose. */
  int fairLimit(int limit) {
    List<Long> stale =
        KEYS.stream()
            .map(this::row)
            .filter(row -> row != null && Liveness.isPurgeable(row.expiresAtMs(), nowMs()))
            .map(LockStore.Row::expiresAtMs)
            .sorted()
            .toList();
    int whole = limit;
    while (whole < stale.size() && stale.get(whole).equals(stale.get(whole - 1))) {
      whole++;
    }
    return whole;
  }

  /** The ids callers bring along; they never were used where {@code n} is out of the pool. */
  static LockId poolId(int n) {
    return id("pool", n);
  }

  LockId newId() {
    return id("new", ++lastId);
  }

  private static LockId id(String kind, int n) {
    String text = kind + "-" + n;
    return LockId.of(text + "-".repeat(22 - text.length()));
  }

  /**
   * The moments after now at which what is stored for {@code key} changes its meaning, or nearly.
   */
  List<Long> instants(LockKey key, boolean ofTickets) {
    TreeSet<Long> instants = new TreeSet<>();
    LockAdmin.Inspection seen = inspect(key);
    if (ofTickets && !seen.waiters().isEmpty()) {
      seen.waiters().forEach(ticket -> add(instants, ticket.expiresAtMs(), TICKET_OFFSETS));
    } else if (seen.row() != null) {
      add(instants, seen.row().expiresAtMs(), ROW_OFFSETS);
    }
    return List.copyOf(instants.tailSet(nowMs(), false));
  }

  /** What lasts practically for ever is not waited for. */
  private static void add(TreeSet<Long> instants, long boundary, List<Long> offsets) {
    if (boundary < FAR_MS + Duration.ofDays(1).toMillis()) {
      offsets.forEach(offset -> instants.add(boundary + offset));
    }
  }

  /**
   * The name of where now is relative to {@code boundary}, if that is one of the special places.
   */
  List<String> place(String what, long boundary, List<Long> offsets) {
    long offset = nowMs() - boundary;
    return offsets.contains(offset) ? List.of("%s %+d".formatted(what, offset)) : List.of();
  }
}
