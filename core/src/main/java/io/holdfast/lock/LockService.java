package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Renewal;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Locks} over a store: checks arguments, makes the call, reports it, and hands out
 * handles. A view with a token, a listener or another store shares the engine of the one it came
 * from.
 */
public final class LockService implements Locks {
  private final LockEngine engine;
  private final LockStore store;
  private final Observer observer;
  private final Cancellation cancellation;
  private final LeasedLocks adapters;

  private LockService(
      LockEngine engine,
      LockStore store,
      Observer observer,
      Cancellation cancellation,
      @Nullable LeasedLocks adapters) {
    this.engine = engine;
    this.store = store;
    this.observer = observer;
    this.cancellation = cancellation;
    this.adapters = adapters == null ? new LeasedLocks(this, engine.time) : adapters;
  }

  /** Locks over {@code backend}; close them to end their duties. */
  public static LockService over(LockBackend backend, LockOptions options) {
    LockEngine engine = new LockEngine(backend, options);
    return new LockService(
        engine, backend.store(), new Observer(engine.time), Cancellation.never(), null);
  }

  /**
   * The same locks with the transitions made by {@code bound}, a store inside a caller's
   * transaction. Handles it grants act outside of that transaction, so they are for after its
   * commit.
   */
  public LockService joining(LockStore bound) {
    return new LockService(engine, bound, observer, cancellation, adapters);
  }

  @Override
  public LockAttempt acquire(String key, Duration ttl) {
    return tryOnce(key, ttl, null, cancellation);
  }

  @Override
  public LockAttempt acquire(String key, Duration ttl, String lockId) {
    Observer.Subject subject = Observer.Subject.key(key);
    return reported(
        subject,
        () -> {
          engine.admit(cancellation);
          LockKey checked = LockKey.of(key);
          LockId id = LockId.of(lockId);
          subject.lockId = lockId;
          return attempt(
              new LockStore.Request(checked, id, true, LockTtl.of(ttl), null), cancellation);
        });
  }

  @Override
  public LockAttempt acquire(String key, Duration ttl, Wait wait) {
    if (wait.limit().isZero()) {
      return tryOnce(key, ttl, null, cancellation);
    }
    return reported(
        Observer.Subject.key(key),
        () -> {
          engine.admit(cancellation);
          Waiting.Wanted wanted = wanted(key, ttl, null, wait);
          return store instanceof PatientLockStore patient
              ? DelegatedWait.join(DelegatedWait.begin(this, patient, wanted, cancellation))
              : Waiting.acquire(engine, this, wanted, cancellation);
        });
  }

  private static Waiting.Wanted wanted(String key, Duration ttl, @Nullable LockId id, Wait wait) {
    return new Waiting.Wanted(LockKey.of(key), id, LockTtl.of(ttl), wait);
  }

  @Override
  public CompletableFuture<LockAttempt> acquireAsync(String key, Duration ttl, Wait wait) {
    return park(Observer.Subject.key(key), () -> wanted(key, ttl, null, wait));
  }

  @Override
  public CompletableFuture<LockAttempt> acquireAsync(
      String key, Duration ttl, String lockId, Wait wait) {
    Observer.Subject subject = Observer.Subject.key(key);
    subject.lockId = lockId;
    return park(subject, () -> wanted(key, ttl, LockId.of(lockId), wait));
  }

  private CompletableFuture<LockAttempt> park(
      Observer.Subject subject, Supplier<Waiting.Wanted> valid) {
    long startNanos = engine.time.nanos();
    CompletableFuture<LockAttempt> answer;
    try {
      engine.admit(cancellation);
      Waiting.Wanted wanted = valid.get();
      answer =
          store instanceof PatientLockStore patient
              ? DelegatedWait.begin(this, patient, wanted, cancellation)
              : ParkedAcquire.begin(engine, this, wanted, cancellation);
    } catch (LockException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (attempt, failure) -> {
          if (attempt instanceof Acquired granted) {
            subject.lockId = granted.lockId();
          }
          long nanos = engine.time.nanos() - startNanos;
          observer.report(LockEvent.Type.ACQUIRE, outcomeOf(attempt, failure), subject, nanos);
        });
    return answer;
  }

  private static LockEvent.Outcome outcomeOf(
      @Nullable LockAttempt attempt, @Nullable Throwable failure) {
    if (attempt != null) {
      return attempt.ok() ? LockEvent.Outcome.OK : LockEvent.Outcome.fail("locked");
    }
    return LockEvent.Outcome.error(
        failure instanceof LockException known ? known.code() : ErrorCode.ABORTED);
  }

  /** One reported attempt, as a waiter that comes back or as one that does not. */
  LockAttempt tryOnce(
      String key, Duration ttl, LockStore.@Nullable Waiter waiter, Cancellation cancel) {
    return reported(
        Observer.Subject.key(key),
        () -> {
          engine.admit(cancel);
          LockKey checked = LockKey.of(key);
          return attempt(
              new LockStore.Request(checked, LockId.random(), false, LockTtl.of(ttl), waiter),
              cancel);
        });
  }

  /** Whether the store waits by itself. */
  boolean isPatient() {
    return store instanceof PatientLockStore;
  }

  /** One reported attempt of a store that waits by itself. */
  LockAttempt tryFor(String key, Duration ttl, Wait wait, Cancellation cancel) {
    return reported(
        Observer.Subject.key(key),
        () -> {
          engine.admit(cancel);
          return DelegatedWait.join(
              DelegatedWait.begin(
                  this, (PatientLockStore) store, wanted(key, ttl, null, wait), cancel));
        });
  }

  private LockAttempt reported(Observer.Subject subject, Supplier<LockAttempt> call) {
    return observer.observe(
        LockEvent.Type.ACQUIRE,
        subject,
        () -> {
          LockAttempt attempt = call.get();
          if (attempt instanceof Acquired granted) {
            subject.lockId = granted.lockId();
          }
          return attempt;
        },
        attempt -> attempt.ok() ? LockEvent.Outcome.OK : LockEvent.Outcome.fail("locked"));
  }

  /** One attempt that is part of a reported call. */
  LockAttempt attempt(LockStore.Request request, Cancellation cancel) {
    engine.admit(cancel);
    LockKey key = request.key();
    LockId id = request.id();
    LockStore.Grant grant;
    try {
      grant = guarded(key, id, () -> store.acquire(request, engine.call(cancel)));
    } catch (LockException e) {
      throw afterFailure(e, request);
    }
    return grant instanceof LockStore.Grant.Granted granted
        ? granted(request, granted)
        : new Locked(Duration.ofMillis(((LockStore.Grant.Refused) grant).retryAfterMs()));
  }

  /** The handle of a grant. */
  Acquired granted(LockStore.Request request, LockStore.Grant.Granted granted) {
    if (engine.warnsOf(granted.fence(), request.key())) {
      Observer.Subject subject = Observer.Subject.of(request.key(), request.id());
      observer.report(LockEvent.Type.FENCE_WARNING, LockEvent.Outcome.OK, subject, 0);
    }
    Trust trust = new Trust(engine.time, granted.askedNanos(), granted.leftMs());
    return new Acquired(new Handles(), request, granted, trust);
  }

  LockEngine engine() {
    return engine;
  }

  private LockException afterFailure(LockException e, LockStore.Request request) {
    if (e.isOutcomeUnknown() && !request.callersId() && store == engine.store()) {
      engine.outcomeUnknown(request.id());
    }
    return e;
  }

  @Override
  public ReleaseOutcome release(String lockId) {
    Observer.Subject subject = Observer.Subject.id(lockId);
    return observer.observe(
        LockEvent.Type.RELEASE,
        subject,
        () -> {
          engine.admit(cancellation);
          return release(store, null, LockId.of(lockId), cancellation, subject);
        },
        LockService::outcomeOf);
  }

  private ReleaseOutcome release(
      LockStore on,
      @Nullable LockKey key,
      LockId id,
      Cancellation cancel,
      Observer.Subject subject) {
    boolean durably = !engine.options.asyncRelease() || on != engine.store();
    LockStore.Freed freed = guarded(key, id, () -> on.release(id, durably, engine.call(cancel)));
    LockKey known = freed.key() == null ? key : freed.key(); // not every store tells it
    if (known != null) {
      subject.key = known.text();
    }
    switch (freed.status()) {
      case NOT_FOUND:
        return NotHeld.NOT_FOUND;
      case EXPIRED:
        return NotHeld.EXPIRED;
      default:
        if (known != null && on == engine.store()) {
          engine.released(known, freed.wake());
        }
        return new Released();
    }
  }

  @Override
  public ExtendOutcome extend(String lockId, Duration ttl) {
    return observer.observe(
        LockEvent.Type.EXTEND,
        Observer.Subject.id(lockId),
        () -> {
          engine.admit(cancellation);
          return extend(store, null, LockId.of(lockId), LockTtl.of(ttl));
        },
        LockService::outcomeOf);
  }

  private ExtendOutcome extend(LockStore on, @Nullable LockKey key, LockId id, LockTtl ttl) {
    Renewal renewal = guarded(key, id, () -> on.extend(id, ttl, engine.call(cancellation)));
    return switch (renewal.status()) {
      case RENEWED -> new Extended(Instant.ofEpochMilli(renewal.expiresAtMs()));
      case EXPIRED -> NotHeld.EXPIRED;
      case NOT_FOUND, BUSY -> NotHeld.NOT_FOUND;
    };
  }

  @Override
  public Optional<LockInfo> lookup(String key) {
    return look(
        LockEvent.Type.LOOKUP, Observer.Subject.key(key), () -> LockKey.of(key), this::hashed);
  }

  @Override
  public Optional<LockInfo> lookupById(String lockId) {
    return look(
        LockEvent.Type.LOOKUP, Observer.Subject.id(lockId), () -> LockId.of(lockId), this::hashed);
  }

  @Override
  public Optional<LockInfoRaw> lookupRaw(String key) {
    return look(LockEvent.Type.LOOKUP, Observer.Subject.key(key), () -> LockKey.of(key), this::raw);
  }

  @Override
  public Optional<LockInfoRaw> lookupRawById(String lockId) {
    return look(
        LockEvent.Type.LOOKUP, Observer.Subject.id(lockId), () -> LockId.of(lockId), this::raw);
  }

  @Override
  public boolean owns(String lockId) {
    return lookupById(lockId).isPresent();
  }

  @Override
  public boolean isLocked(String key) {
    Function<LockRef, Optional<LockInfo>> reader =
        engine.options.cleanupInIsLocked() ? this::cleaning : this::hashed;
    return look(LockEvent.Type.IS_LOCKED, Observer.Subject.key(key), () -> LockKey.of(key), reader)
        .isPresent();
  }

  private <T> Optional<T> look(
      LockEvent.Type type,
      Observer.Subject subject,
      Supplier<LockRef> valid,
      Function<LockRef, Optional<T>> reader) {
    return observer.observe(
        type,
        subject,
        () -> {
          engine.admit(cancellation);
          LockRef ref = valid.get();
          return guarded(
              ref instanceof LockKey key ? key : null,
              ref instanceof LockId id ? id : null,
              () -> reader.apply(ref));
        },
        found -> found.isPresent() ? LockEvent.Outcome.OK : LockEvent.Outcome.fail("not-found"));
  }

  private Optional<LockInfo> hashed(LockRef ref) {
    return store.look(ref, engine.call(cancellation));
  }

  private Optional<LockInfoRaw> raw(LockRef ref) {
    return store
        .find(ref, engine.call(cancellation))
        .filter(LockStore.Sighting::isLive)
        .map(seen -> LockInfoRaw.of(seen.row()));
  }

  /** Also removes the row if it is long dead. */
  private Optional<LockInfo> cleaning(LockRef ref) {
    Optional<LockStore.Sighting> seen = store.find(ref, engine.call(cancellation));
    seen.ifPresent(this::cleanUp);
    return seen.filter(LockStore.Sighting::isLive).map(s -> LockInfoRaw.of(s.row()).info());
  }

  private void cleanUp(LockStore.Sighting seen) {
    if (Liveness.isPurgeable(seen.row().expiresAtMs(), seen.nowMs())) {
      engine.cleanUp(LockKey.of(seen.row().key()));
    }
  }

  @Override
  public <T, X extends Exception> T withLock(String key, LockedFunction<T, X> fn) throws X {
    return withLock(key, WithLockOptions.DEFAULTS, fn);
  }

  @Override
  public <T, X extends Exception> T withLock(
      String key, WithLockOptions options, LockedFunction<T, X> fn) throws X {
    engine.admit(cancellation);
    LockKey checked = LockKey.of(key);
    options.checkRenewable();
    Acquired lock = new Retrying(engine, this, cancellation).acquire(checked, options);
    return new Section(lock, options).run(fn);
  }

  @Override
  public LeasedLock obtain(String key) {
    return adapters.obtain(LockKey.of(key));
  }

  @Override
  public void setup() {
    engine.admit(cancellation);
    LockService.<@Nullable Void>guarded(
        null,
        null,
        () -> {
          store.setup(engine.call(cancellation));
          return null;
        });
  }

  @Override
  public LockService cancelledBy(Cancellation token) {
    return new LockService(engine, store, observer, token, adapters);
  }

  @Override
  public LockService observed(LockListener listener) {
    return observed(listener, event -> false);
  }

  @Override
  public LockService observed(LockListener listener, Predicate<LockEvent> includeRaw) {
    return new LockService(engine, store, observer.and(listener, includeRaw), cancellation, null);
  }

  @Override
  public LockOperator operator() {
    return new Operator(engine, cancellation);
  }

  @Override
  public LockCapabilities capabilities() {
    return engine.backend.capabilities();
  }

  @Override
  public void close() {
    engine.close();
  }

  /**
   * Wakes whoever waits for {@code key}, which was released inside a transaction that has
   * committed.
   */
  public void wakeWaiters(LockKey key) {
    engine.released(key, true);
  }

  /** Tells the listener of a release that failed where no caller could be told. */
  void releaseFailed(LockException error, Acquired lock) {
    engine.reportReleaseError(error, lock.lockKey(), lock.id(), null);
  }

  /**
   * Runs a call to a store so that whatever it throws is a {@link LockException} about its object.
   */
  static <T extends @Nullable Object> T guarded(
      @Nullable LockKey key, @Nullable LockId id, Supplier<T> call) {
    String rawKey = key == null ? null : key.text();
    String rawId = id == null ? null : id.text();
    try {
      return call.get();
    } catch (LockException e) {
      throw e.about(rawKey, rawId);
    } catch (Throwable e) {
      throw new LockException(ErrorCode.INTERNAL, "the store failed unexpectedly", e)
          .about(rawKey, rawId);
    }
  }

  private static LockEvent.Outcome outcomeOf(Object outcome) {
    if (outcome instanceof NotHeld notHeld) {
      return LockEvent.Outcome.fail(
          notHeld.reason() == NotHeld.Reason.EXPIRED ? "expired" : "not-found");
    }
    return LockEvent.Outcome.OK;
  }

  /** What this view's handles ask of it; they never act inside a caller's transaction. */
  private final class Handles implements HandleCalls {
    @Override
    public ReleaseOutcome release(LockKey key, LockId id, Cancellation cancel) {
      Observer.Subject subject = Observer.Subject.of(key, id);
      return observer.observe(
          LockEvent.Type.RELEASE,
          subject,
          () -> LockService.this.release(engine.store(), key, id, cancel, subject),
          LockService::outcomeOf);
    }

    @Override
    public ExtendOutcome extend(LockKey key, LockId id, LockTtl ttl) {
      return observer.observe(
          LockEvent.Type.EXTEND,
          Observer.Subject.of(key, id),
          () -> {
            engine.admit(cancellation);
            return LockService.this.extend(engine.store(), key, id, ttl);
          },
          LockService::outcomeOf);
    }

    @Override
    public KeptLease keep(Acquired lock, LockTtl ttl, Trust trust, Consumer<LossReason> onLost) {
      return new Keeping(engine, observer).keep(lock, ttl, trust, onLost);
    }

    @Override
    public void extendedByHolder(KeptLease kept, LockTtl ttl) {
      engine.keeper.extended(kept, ttl.duration());
    }

    @Override
    public void endKeeping(Acquired lock, KeptLease kept) {
      engine.keeping(lock, false);
      engine.keeper.end(kept);
    }

    @Override
    public void releaseFailed(
        LockException error, LockKey key, LockId id, @Nullable ReleaseErrorListener listener) {
      engine.reportReleaseError(error, key, id, listener);
    }

    @Override
    public void inBackground(Runnable task) {
      engine.inBackground(task);
    }

    @Override
    public @Nullable Duration closeTimeout() {
      return engine.options.timeouts().close();
    }

    @Override
    public Time time() {
      return engine.time;
    }
  }
}
