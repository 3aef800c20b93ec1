package io.holdfast.testkit.lock.beyond;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The store under test behind switches: a test may let a call fail, block, or answer something
 * else, and sees which calls were made. Safe for use by many threads.
 */
final class SwitchedStore implements LockStore {
  /** What happens instead of a call; {@code real} makes it. */
  @FunctionalInterface
  interface Switch<A, R> {
    R call(A argument, Supplier<R> real);
  }

  final LockStore real;
  final AtomicInteger acquires = new AtomicInteger();
  final AtomicInteger batches = new AtomicInteger();

  /** Extensions of a single lease that have been answered. */
  final AtomicInteger singles = new AtomicInteger();

  final List<LockId> releases = new CopyOnWriteArrayList<>();

  volatile Switch<Request, Grant> onAcquire = (request, real) -> real.get();
  volatile Switch<LockId, Freed> onRelease = (id, real) -> real.get();
  volatile Switch<LockId, Renewal> onExtend = (id, real) -> real.get();
  volatile Switch<List<Extend>, List<Renewal>> onExtendMany = (all, real) -> real.get();

  SwitchedStore(LockStore real) {
    this.real = real;
  }

  /** From now on every renewal fails, as if the database were away. */
  void failRenewals() {
    onExtend = (id, real) -> away();
    onExtendMany = (all, real) -> away();
  }

  void healRenewals() {
    onExtend = (id, real) -> real.get();
    onExtendMany = (all, real) -> real.get();
  }

  static <T> T away() {
    throw new LockException(ErrorCode.SERVICE_UNAVAILABLE, "the store is away");
  }

  /** How often {@code lockId} was asked to be released. */
  long releasesOf(String lockId) {
    return releases.stream().filter(id -> id.text().equals(lockId)).count();
  }

  @Override
  public void setup(LockCall call) {
    real.setup(call);
  }

  @Override
  public Grant acquire(Request request, LockCall call) {
    acquires.incrementAndGet();
    return onAcquire.call(request, () -> real.acquire(request, call));
  }

  @Override
  public Freed release(LockId id, boolean durably, LockCall call) {
    releases.add(id);
    return onRelease.call(id, () -> real.release(id, durably, call));
  }

  @Override
  public Renewal extend(LockId id, LockTtl ttl, LockCall call) {
    Renewal renewal = onExtend.call(id, () -> real.extend(id, ttl, call));
    singles.incrementAndGet();
    return renewal;
  }

  @Override
  public List<Renewal> extendMany(List<Extend> extensions, LockCall call) {
    batches.incrementAndGet();
    return onExtendMany.call(extensions, () -> real.extendMany(extensions, call));
  }

  @Override
  public Optional<Sighting> find(LockRef ref, LockCall call) {
    return real.find(ref, call);
  }

  @Override
  public boolean removeStale(LockKey key, LockCall call) {
    return real.removeStale(key, call);
  }

  @Override
  public boolean leave(LockKey key, String waiterId, LockCall call) {
    return real.leave(key, waiterId, call);
  }
}
