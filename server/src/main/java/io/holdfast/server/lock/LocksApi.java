package io.holdfast.server.lock;

import io.holdfast.client.lock.LockWire;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.ExtendOutcome;
import io.holdfast.lock.Extended;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Locks;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.ReleaseOutcome;
import io.holdfast.lock.Wait;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What holders of locks do and see; what operators do is in {@link LockOperations}. */
public final class LocksApi implements Api {
  private static final String PATH = "/v1/locks.";
  private static final long LONGEST_WAIT_MS = 600_000;

  private final Locks locks;
  private final HeldTimes held;

  /** Serves these locks. */
  public LocksApi(Locks locks, HeldTimes held) {
    this.locks = locks;
    this.held = held;
  }

  @Override
  public void mount(Routes routes) {
    routes.fallback(PATH, LockDialect.INSTANCE);
    routes.add(
        route("acquire", Role.WORK, "Takes a key, or waits for it")
            .typed(LockWire.LockAcquire.class, LockWire.LockAcquireReply.class),
        this::acquire);
    routes.add(
        route("release", Role.WORK, "Gives a lock back")
            .typed(LockWire.LockRelease.class, LockWire.LockReleaseReply.class),
        this::release);
    routes.add(
        route("extend", Role.WORK, "Replaces the remaining time of a lock")
            .typed(LockWire.LockExtend.class, LockWire.LockExtendReply.class),
        this::extend);
    routes.add(
        route("isLocked", Role.WORK, "Whether a key is taken")
            .or(Role.READ)
            .typed(LockWire.LockOfKey.class, LockWire.LockedReply.class),
        this::isLocked);
    routes.add(
        route("lookup", Role.WORK, "The live lock of a key or an id")
            .or(Role.READ)
            .typed(LockWire.LockLookup.class, LockWire.LockDocument.class),
        this::lookup);
    new LockOperations(locks.operator()).mount(routes);
  }

  static Route route(String verb, Role role, String summary) {
    return Route.post(PATH + verb, role, LockDialect.INSTANCE, summary).tagged("locks");
  }

  private CompletableFuture<Answer> acquire(Exchange exchange) {
    LockWire.LockAcquire body = WireJson.read(exchange, LockWire.LockAcquire.class);
    String key = key(exchange, body.key());
    Duration ttl = ttl(body.ttlMs());
    String id = body.lockId();
    Wait wait = wait(body);
    if (id != null) {
      LockId.of(id);
    }
    if (!wait.limit().isZero()) {
      exchange.mayTake(wait.limit());
      CompletableFuture<LockAttempt> parked =
          id == null ? locks.acquireAsync(key, ttl, wait) : locks.acquireAsync(key, ttl, id, wait);
      return exchange.awaited(parked).thenApply(this::answer);
    }
    return exchange
        .<LockAttempt>blocking(
            () -> id == null ? locks.acquire(key, ttl) : locks.acquire(key, ttl, id),
            LockAttempt::close)
        .thenApply(this::answer);
  }

  private static Wait wait(LockWire.LockAcquire body) {
    long waitMs = body.waitMs() == null ? 0 : body.waitMs();
    if (waitMs < 0 || waitMs > LONGEST_WAIT_MS) {
      throw Refusal.malformed("'waitMs' must be 0 to " + LONGEST_WAIT_MS);
    }
    return new Wait(Duration.ofMillis(waitMs), Boolean.TRUE.equals(body.fair()));
  }

  private Answer answer(LockAttempt attempt) {
    if (attempt instanceof Acquired granted) {
      held.given(HeldTimes.Kind.LOCK, "", granted.lockId());
      LockWire.LockAcquireReply reply =
          new LockWire.LockAcquireReply(
              true,
              granted.lockId(),
              granted.fence().toString(),
              granted.expiresAt().toEpochMilli(),
              granted.acquiredAt().toEpochMilli(),
              granted.grantedFor().toMillis(),
              granted.waited().toMillis(),
              null,
              null);
      return WireJson.answer(reply).orElse(granted::close);
    }
    long retryAfterMs = Math.max(1, ((Locked) attempt).retryAfter().toMillis());
    return WireJson.answer(
        new LockWire.LockAcquireReply(
            false, null, null, null, null, null, null, "locked", retryAfterMs));
  }

  private CompletableFuture<Answer> release(Exchange exchange) {
    LockWire.LockRelease body = WireJson.read(exchange, LockWire.LockRelease.class);
    String id = id(body.lockId());
    return exchange.blocking(
        () -> {
          checkOwner(exchange, id);
          ReleaseOutcome outcome = locks.release(id);
          if (outcome.ok()) {
            held.settled(HeldTimes.Kind.LOCK, List.of(id));
          }
          return WireJson.answer(new LockWire.LockReleaseReply(outcome.ok(), reason(outcome)));
        });
  }

  private CompletableFuture<Answer> extend(Exchange exchange) {
    LockWire.LockExtend body = WireJson.read(exchange, LockWire.LockExtend.class);
    String id = id(body.lockId());
    Duration ttl = ttl(body.ttlMs());
    return exchange.blocking(
        () -> {
          checkOwner(exchange, id);
          ExtendOutcome outcome = locks.extend(id, ttl);
          Long until =
              outcome instanceof Extended extended ? extended.expiresAt().toEpochMilli() : null;
          return WireJson.answer(
              new LockWire.LockExtendReply(outcome.ok(), until, reason(outcome)));
        });
  }

  private static @Nullable String reason(Object outcome) {
    if (outcome instanceof NotHeld notHeld) {
      return notHeld.reason() == NotHeld.Reason.EXPIRED ? "expired" : "not-found";
    }
    return null;
  }

  private CompletableFuture<Answer> isLocked(Exchange exchange) {
    LockWire.LockOfKey body = WireJson.read(exchange, LockWire.LockOfKey.class);
    String key = key(exchange, body.key());
    return exchange.blocking(() -> WireJson.answer(new LockWire.LockedReply(locks.isLocked(key))));
  }

  private CompletableFuture<Answer> lookup(Exchange exchange) {
    LockWire.LockLookup body = WireJson.read(exchange, LockWire.LockLookup.class);
    boolean isRaw = Boolean.TRUE.equals(body.raw());
    if (isRaw) {
      exchange.caller().require(Role.ADMIN);
    }
    if ((body.key() == null) == (body.lockId() == null)) {
      throw Refusal.malformed("give either 'key' or 'lockId'");
    }
    String key = body.key() == null ? null : key(exchange, body.key());
    String id = body.lockId() == null ? null : id(body.lockId());
    return exchange.blocking(
        () -> {
          Optional<LockInfoRaw> found =
              key != null ? locks.lookupRaw(key) : locks.lookupRawById(String.valueOf(id));
          found.ifPresent(lock -> exchange.caller().require(lock.key()));
          return WireJson.answer(
              found
                  .map(lock -> document(lock, true, isRaw))
                  .orElse(
                      new LockWire.LockDocument(false, null, null, null, null, null, null, null)));
        });
  }

  static LockWire.LockDocument document(LockInfoRaw lock, @Nullable Boolean found, boolean isRaw) {
    LockInfo info = lock.info();
    return new LockWire.LockDocument(
        found,
        info.keyHash(),
        info.lockIdHash(),
        info.fence().toString(),
        info.expiresAt().toEpochMilli(),
        info.acquiredAt().toEpochMilli(),
        isRaw ? lock.key() : null,
        isRaw ? lock.lockId() : null);
  }

  /** Whoever may use only some keys may not touch others by their ids. */
  private void checkOwner(Exchange exchange, String id) {
    if (exchange.caller().isRestricted()) {
      locks.lookupRawById(id).ifPresent(lock -> exchange.caller().require(lock.key()));
    }
  }

  /** The key in its canonical spelling, if it is for the caller. */
  static String key(Exchange exchange, @Nullable String given) {
    if (given == null) {
      throw Refusal.malformed("'key' is missing");
    }
    String key = LockKey.of(given).text();
    exchange.caller().require(key);
    return key;
  }

  private static String id(@Nullable String given) {
    if (given == null) {
      throw Refusal.malformed("'lockId' is missing");
    }
    return LockId.of(given).text();
  }

  private static Duration ttl(@Nullable Long millis) {
    if (millis == null) {
      throw Refusal.malformed("'ttlMs' is missing");
    }
    return Duration.ofMillis(millis);
  }
}
