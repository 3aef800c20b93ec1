package io.holdfast.client.lock;

import io.holdfast.ErrorCode;
import io.holdfast.client.http.Verbs;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Renewal;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.PatientLockStore;
import io.holdfast.lock.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of locks as a server makes them. Every acquire carries an id, so a lost answer
 * can be asked for again and a lost grant be released. Safe for use by many threads.
 */
final class HttpLockStore implements PatientLockStore {
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  private final Verbs verbs;
  private final Time time;

  HttpLockStore(Verbs verbs, Time time) {
    this.verbs = verbs;
    this.time = time;
  }

  /** The server does that itself. */
  @Override
  public void setup(LockCall call) {}

  @Override
  public Grant acquire(Request request, LockCall call) {
    long askedNanos = time.nanos();
    LockWire.LockAcquireReply reply =
        told(
            request,
            () ->
                verbs.call(
                    "acquire",
                    body(request, null),
                    LockWire.LockAcquireReply.class,
                    Verbs.Manner.REPEATABLE,
                    patience(call)));
    return grant(reply, askedNanos);
  }

  @Override
  public CompletableFuture<Grant> acquire(Request request, Wait wait) {
    Duration limit = wait.limit().compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait.limit();
    long askedNanos = time.nanos();
    CompletableFuture<LockWire.LockAcquireReply> asked =
        verbs.waiting(
            "acquire",
            body(request, new Wait(limit, wait.isFair())),
            LockWire.LockAcquireReply.class,
            limit);
    CompletableFuture<Grant> granted = new CompletableFuture<>();
    asked.whenComplete(
        (reply, failure) -> {
          if (reply != null) {
            granted.complete(grant(reply, askedNanos));
          } else {
            granted.completeExceptionally(LockFailures.known(failure));
          }
        });
    granted.whenComplete(
        (done, failure) -> {
          if (granted.isCancelled()) {
            asked.cancel(true);
          }
        });
    return granted;
  }

  private static LockWire.LockAcquire body(Request request, @Nullable Wait wait) {
    return new LockWire.LockAcquire(
        request.key().text(),
        request.ttl().millis(),
        request.id().text(),
        wait == null ? null : wait.limit().toMillis(),
        wait == null || !wait.isFair() ? null : true);
  }

  /** The server counts how long it waited, so that the wait does not cost the holder trust. */
  private static Grant grant(LockWire.LockAcquireReply reply, long askedNanos) {
    if (!reply.ok()) {
      return new Grant.Refused(Math.max(1, given(reply.retryAfterMs())));
    }
    return new Grant.Granted(
        Fence.parse(Objects.requireNonNull(reply.fence(), "fence")),
        given(reply.expiresAtMs()),
        given(reply.acquiredAtMs()),
        given(reply.leftMs()),
        Time.after(askedNanos, given(reply.waitedMs())));
  }

  private static long given(@Nullable Long value) {
    return value == null ? 0 : value;
  }

  private static <T> T told(Request request, Supplier<T> call) {
    try {
      return LockFailures.told(call);
    } catch (LockException e) {
      boolean isInUse =
          e.code() == ErrorCode.INVALID_ARGUMENT
              && String.valueOf(e.getMessage()).startsWith("lockId is in use");
      throw isInUse ? request.idInUse(e) : e;
    }
  }

  private static Verbs.Patience patience(LockCall call) {
    return new Verbs.Patience(call.cancellation(), call.callTimeout());
  }

  @Override
  public Freed release(LockId id, boolean durably, LockCall call) {
    LockWire.LockReleaseReply reply =
        LockFailures.told(
            () ->
                verbs.call(
                    "release",
                    new LockWire.LockRelease(id.text()),
                    LockWire.LockReleaseReply.class,
                    Verbs.Manner.ONCE,
                    patience(call)));
    Freed.Status status =
        reply.ok()
            ? Freed.Status.RELEASED
            : isExpired(reply.reason()) ? Freed.Status.EXPIRED : Freed.Status.NOT_FOUND;
    return new Freed(status, null, false);
  }

  private static boolean isExpired(@Nullable String reason) {
    return "expired".equals(reason);
  }

  @Override
  public Renewal extend(LockId id, LockTtl ttl, LockCall call) {
    return LockFailures.told(() -> Verbs.await(extend(id, ttl), patience(call)));
  }

  private CompletableFuture<Renewal> extend(LockId id, LockTtl ttl) {
    return verbs
        .repeatable(
            "extend",
            new LockWire.LockExtend(id.text(), ttl.millis()),
            LockWire.LockExtendReply.class)
        .thenApply(HttpLockStore::renewal);
  }

  private static Renewal renewal(LockWire.LockExtendReply reply) {
    if (reply.ok()) {
      return Renewal.until(given(reply.expiresAtMs()));
    }
    return Renewal.refused(
        isExpired(reply.reason()) ? Renewal.Status.EXPIRED : Renewal.Status.NOT_FOUND);
  }

  /** All at once; one that fails is to be asked again, alone, unless none succeeded. */
  @Override
  public List<Renewal> extendMany(List<Extend> extensions, LockCall call) {
    List<CompletableFuture<Renewal>> asked =
        extensions.stream().map(one -> extend(one.id(), one.ttl())).toList();
    List<Renewal> renewals = new ArrayList<>();
    LockException failure = null;
    int failed = 0;
    for (CompletableFuture<Renewal> one : asked) {
      try {
        renewals.add(LockFailures.told(() -> Verbs.await(one, patience(call))));
      } catch (LockException e) {
        failure = e;
        failed++;
        renewals.add(Renewal.refused(Renewal.Status.BUSY));
      }
    }
    if (failure != null && failed == asked.size()) {
      throw failure;
    }
    return renewals;
  }

  @Override
  public Optional<Sighting> find(LockRef ref, LockCall call) {
    LockWire.LockDocument seen = lookup(ref, true, call);
    if (!Boolean.TRUE.equals(seen.found())) {
      return Optional.empty();
    }
    Row row =
        new Row(
            Objects.requireNonNull(seen.key(), "key"),
            Objects.requireNonNull(seen.lockId(), "lockId"),
            Fence.parse(Objects.requireNonNull(seen.fence(), "fence")),
            given(seen.expiresAtMs()),
            given(seen.acquiredAtMs()));
    return Optional.of(new Sighting(row, row.acquiredAtMs())); // only live ones are shown
  }

  @Override
  public Optional<LockInfo> look(LockRef ref, LockCall call) {
    LockWire.LockDocument seen = lookup(ref, false, call);
    if (!Boolean.TRUE.equals(seen.found())) {
      return Optional.empty();
    }
    return Optional.of(
        new LockInfo(
            Objects.requireNonNull(seen.keyHash(), "keyHash"),
            Objects.requireNonNull(seen.lockIdHash(), "lockIdHash"),
            Fence.parse(Objects.requireNonNull(seen.fence(), "fence")),
            Instant.ofEpochMilli(given(seen.expiresAtMs())),
            Instant.ofEpochMilli(given(seen.acquiredAtMs()))));
  }

  private LockWire.LockDocument lookup(LockRef ref, boolean isRaw, LockCall call) {
    String key = ref instanceof LockKey named ? named.text() : null;
    String id = ref instanceof LockId named ? named.text() : null;
    return LockFailures.told(
        () ->
            verbs.call(
                "lookup",
                new LockWire.LockLookup(key, id, isRaw ? true : null),
                LockWire.LockDocument.class,
                Verbs.Manner.REPEATABLE,
                patience(call)));
  }

  /** The server cleans up by itself. */
  @Override
  public boolean removeStale(LockKey key, LockCall call) {
    return false;
  }

  /** There are no tickets of ours. */
  @Override
  public boolean leave(LockKey key, String waiterId, LockCall call) {
    return false;
  }
}
