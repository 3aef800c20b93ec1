package io.holdfast.memory;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Renewal;
import io.holdfast.lease.Time;
import io.holdfast.lock.Liveness;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The lock rules over three maps, one transition at a time. */
final class MemoryLocks implements LockStore {
  final Map<String, Row> rows = new HashMap<>();
  final Map<String, Long> counters = new HashMap<>();
  final List<Waiting> waiters = new ArrayList<>();
  private final Time time;
  private long lastTicket;

  /** A ticket: its number is its place in the queue. */
  record Waiting(String key, String waiterId, LockAdmin.Ticket ticket) {}

  MemoryLocks(Time time) {
    this.time = time;
  }

  long now() {
    return time.databaseMs().orElseGet(System::currentTimeMillis);
  }

  @Override
  public void setup(LockCall call) {}

  @Override
  public synchronized Grant acquire(Request request, LockCall call) {
    LockKey key = request.key();
    long now = now();
    Row row = rows.get(key.text());
    if (row != null && Liveness.isLive(row.expiresAtMs(), now)) {
      if (row.id().equals(request.id().text())) {
        forget(request);
        return granted(row, row.expiresAtMs() - now);
      }
      register(request, now);
      return new Grant.Refused(Liveness.remainingMs(row.expiresAtMs(), now));
    }
    Waiter waiter = request.waiter();
    if (waiter != null && waiter.fair() && mustQueue(key, waiter, now)) {
      register(request, now);
      return new Grant.Refused(waiter.ttlMs() / 3);
    }
    return grant(request, now);
  }

  private Grant grant(Request request, long now) {
    String key = request.key().text();
    long expiresAt = expiry(now, request.ttl());
    long fence = counters.getOrDefault(key, 0L) + 1;
    if (fence > Fence.MAX) {
      throw new LockException(ErrorCode.INTERNAL, "the fences of this key are used up");
    }
    refuseForeignId(request);
    counters.put(key, fence);
    Row row = new Row(key, request.id().text(), new Fence(fence), expiresAt, now);
    rows.put(key, row);
    forget(request);
    return granted(row, request.ttl().millis());
  }

  private Grant granted(Row row, long leftMs) {
    return new Grant.Granted(
        row.fence(), row.expiresAtMs(), row.acquiredAtMs(), leftMs, time.nanos());
  }

  private void forget(Request request) {
    Waiter waiter = request.waiter();
    if (waiter != null) {
      String key = request.key().text();
      waiters.removeIf(w -> w.key.equals(key) && w.waiterId.equals(waiter.id()));
    }
  }

  private void refuseForeignId(Request request) {
    Row row = byId(request.id());
    if (row != null && !row.key().equals(request.key().text())) {
      throw request.idInUse(null);
    }
  }

  @Override
  public synchronized Freed release(LockId id, boolean durably, LockCall call) {
    Row row = byId(id);
    if (row == null) {
      return new Freed(Freed.Status.NOT_FOUND, null, false);
    }
    LockKey key = LockKey.of(row.key());
    if (!Liveness.isLive(row.expiresAtMs(), now())) {
      return new Freed(Freed.Status.EXPIRED, key, false);
    }
    rows.remove(row.key());
    return new Freed(Freed.Status.RELEASED, key, someoneWaits(row.key()));
  }

  @Override
  public synchronized Renewal extend(LockId id, LockTtl ttl, LockCall call) {
    return extend(id, now -> expiry(now, ttl));
  }

  private Renewal extend(LockId id, LongUnaryOperator expiry) {
    Row row = byId(id);
    if (row == null) {
      return Renewal.refused(Renewal.Status.NOT_FOUND);
    }
    long now = now();
    if (!Liveness.isLive(row.expiresAtMs(), now)) {
      return Renewal.refused(Renewal.Status.EXPIRED);
    }
    long expiresAt = expiry.applyAsLong(now);
    rows.put(row.key(), new Row(row.key(), row.id(), row.fence(), expiresAt, row.acquiredAtMs()));
    return Renewal.until(expiresAt);
  }

  @Override
  public synchronized List<Renewal> extendMany(List<Extend> extensions, LockCall call) {
    return extensions.stream().map(this::extendWithinBounds).toList();
  }

  /** One lease of many must not fail the others, so the end of time is as far as it goes. */
  private Renewal extendWithinBounds(Extend extension) {
    long ttl = extension.ttl().millis();
    return extend(extension.id(), now -> Math.min(now + ttl, Liveness.MAX_INSTANT_MS));
  }

  @Override
  public synchronized Optional<Sighting> find(LockRef ref, LockCall call) {
    Row row = ref instanceof LockId id ? byId(id) : rows.get(ref.text());
    return Optional.ofNullable(row).map(found -> new Sighting(found, now()));
  }

  @Override
  public synchronized boolean removeStale(LockKey key, LockCall call) {
    Row row = rows.get(key.text());
    return row != null
        && Liveness.isPurgeable(row.expiresAtMs(), now())
        && rows.remove(key.text(), row);
  }

  @Override
  public synchronized boolean leave(LockKey key, String waiterId, LockCall call) {
    waiters.removeIf(w -> w.key.equals(key.text()) && w.waiterId.equals(waiterId));
    return someoneWaits(key.text());
  }

  boolean someoneWaits(String key) {
    long now = now();
    return waiters.stream().anyMatch(w -> w.key.equals(key) && w.ticket.expiresAtMs() > now);
  }

  private void register(Request request, long now) {
    Waiter waiter = request.waiter();
    if (waiter == null) {
      return;
    }
    String key = request.key().text();
    long number = ticketOf(key, waiter).map(LockAdmin.Ticket::number).orElse(++lastTicket);
    waiters.removeIf(w -> w.key.equals(key) && w.waiterId.equals(waiter.id()));
    LockAdmin.Ticket ticket = new LockAdmin.Ticket(number, waiter.fair(), now + waiter.ttlMs());
    waiters.add(new Waiting(key, waiter.id(), ticket));
  }

  /** Whether a fair waiter came earlier and is still there. */
  private boolean mustQueue(LockKey key, Waiter waiter, long now) {
    long mine = ticketOf(key.text(), waiter).map(LockAdmin.Ticket::number).orElse(Long.MAX_VALUE);
    return waiters.stream()
        .filter(w -> w.key.equals(key.text()) && w.ticket.fair())
        .anyMatch(w -> w.ticket.expiresAtMs() > now && w.ticket.number() < mine);
  }

  private Optional<LockAdmin.Ticket> ticketOf(String key, Waiter waiter) {
    return waiters.stream()
        .filter(w -> w.key.equals(key) && w.waiterId.equals(waiter.id()))
        .map(Waiting::ticket)
        .findFirst();
  }

  private @Nullable Row byId(LockId id) {
    return rows.values().stream().filter(r -> r.id().equals(id.text())).findFirst().orElse(null);
  }

  private static long expiry(long now, LockTtl ttl) {
    long expiresAt = now + ttl.millis();
    if (expiresAt > Liveness.MAX_INSTANT_MS) {
      throw new LockException(ErrorCode.INVALID_ARGUMENT, "ttl reaches beyond 2^53 ms");
    }
    return expiresAt;
  }
}
