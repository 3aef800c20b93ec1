package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.DisplayHash;
import io.holdfast.lock.LeasedLock;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockEvent;
import io.holdfast.lock.LockEvent.Result;
import io.holdfast.lock.LockEvent.Type;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What listeners hear of calls. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class LockTelemetryContract extends LockSuite {
  private final Heard<LockEvent> heard = new Heard<>();
  private LockService observed;

  @BeforeEach
  void observe() {
    observed = locks.observed(heard::add);
  }

  @Test
  @Guarantee("L62")
  void telemetry_reports_success() {
    Acquired lock = granted(observed.acquire("key", TTL));
    assertEvent(Type.ACQUIRE, Result.OK, "key", lock.lockId());
    observed.isLocked("key");
    assertEvent(Type.IS_LOCKED, Result.OK, "key", null);
    observed.lookup("key");
    assertEvent(Type.LOOKUP, Result.OK, "key", null);
    observed.lookupById(lock.lockId());
    assertThat(one(Type.LOOKUP, Result.OK).lockIdHash()).isEqualTo(DisplayHash.of(lock.lockId()));
    observed.owns(lock.lockId());
    one(Type.LOOKUP, Result.OK);
    observed.extend(lock.lockId(), TTL);
    assertThat(one(Type.EXTEND, Result.OK).lockIdHash()).isEqualTo(DisplayHash.of(lock.lockId()));
    observed.release(lock.lockId());
    assertThat(one(Type.RELEASE, Result.OK).lockIdHash()).isEqualTo(DisplayHash.of(lock.lockId()));
  }

  @Test
  @Guarantee("L62")
  void telemetry_reports_refusal_with_its_reason() {
    Acquired lock = take("key");

    observed.acquire("key", TTL);
    assertReason("locked", Type.ACQUIRE);
    observed.isLocked("free");
    one(Type.IS_LOCKED, Result.FAIL);
    observed.lookup("free");
    one(Type.LOOKUP, Result.FAIL);
    observed.release(LockId.random().text());
    assertReason("not-found", Type.RELEASE);
    observed.extend(LockId.random().text(), TTL);
    assertReason("not-found", Type.EXTEND);
    expire(lock);
    observed.release(lock.lockId());
    assertReason("expired", Type.RELEASE);
    observed.extend(lock.lockId(), TTL);
    assertReason("expired", Type.EXTEND);
    observed.isLocked("key");
    one(Type.IS_LOCKED, Result.FAIL);
  }

  @Test
  @Guarantee("L62")
  void telemetry_reports_exceptions_with_their_code() {
    String id = LockId.random().text();
    fail(Operation.ACQUIRE);
    failing(ErrorCode.RATE_LIMITED, () -> observed.acquire("key", TTL));
    assertCode(ErrorCode.RATE_LIMITED, Type.ACQUIRE);
    fail(Operation.RELEASE);
    failing(ErrorCode.RATE_LIMITED, () -> observed.release(id));
    assertCode(ErrorCode.RATE_LIMITED, Type.RELEASE);
    fail(Operation.EXTEND);
    failing(ErrorCode.RATE_LIMITED, () -> observed.extend(id, TTL));
    assertCode(ErrorCode.RATE_LIMITED, Type.EXTEND);
    fail(Operation.FIND);
    failing(ErrorCode.RATE_LIMITED, () -> observed.isLocked("key"));
    assertCode(ErrorCode.RATE_LIMITED, Type.IS_LOCKED);
    fail(Operation.FIND);
    failing(ErrorCode.RATE_LIMITED, () -> observed.lookup("key"));
    assertCode(ErrorCode.RATE_LIMITED, Type.LOOKUP);
    failing(ErrorCode.ABORTED, () -> observed.cancelledBy(cancelled()).isLocked("key"));
    assertCode(ErrorCode.ABORTED, Type.IS_LOCKED);
  }

  @Test
  @Guarantee("L62")
  void telemetry_reports_invalid_arguments() {
    for (String key : new String[] {"", null, "\ud83d", "x".repeat(600)}) {
      failing(ErrorCode.INVALID_ARGUMENT, () -> observed.acquire(key, TTL));
      assertCode(ErrorCode.INVALID_ARGUMENT, Type.ACQUIRE);
    }
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.acquire("key", Duration.ZERO));
    assertCode(ErrorCode.INVALID_ARGUMENT, Type.ACQUIRE);
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.release("?"));
    assertCode(ErrorCode.INVALID_ARGUMENT, Type.RELEASE);
  }

  @Test
  @Guarantee("L62")
  void every_form_of_acquire_reports_its_invalid_arguments() {
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.acquire("key", TTL, "?"));
    assertCode(ErrorCode.INVALID_ARGUMENT, Type.ACQUIRE);
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.acquire("key", TTL, (String) null));
    assertCode(ErrorCode.INVALID_ARGUMENT, Type.ACQUIRE);
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.acquire("", TTL, Wait.upTo(TTL)));
    assertCode(ErrorCode.INVALID_ARGUMENT, Type.ACQUIRE);
  }

  @Test
  @Guarantee("L62")
  void a_waiting_acquire_is_one_call_and_one_event() {
    Acquired holder = take("key");
    Future<LockAttempt> waiting =
        start(() -> observed.acquire("key", TTL, Wait.upTo(Duration.ofHours(1))));
    time.awaitParked(1);

    holder.release();
    Acquired next = granted(join(waiting));

    assertEvent(Type.ACQUIRE, Result.OK, "key", next.lockId());
  }

  @Test
  @Guarantee("L62")
  void an_event_says_how_long_the_call_took_and_comes_on_the_callers_thread() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    LockService timed =
        locks.observed(
            event -> {
              thread.set(Thread.currentThread());
              heard.add(event);
            });
    Pause pause = store.pauseNext(Operation.ACQUIRE, Moment.BEFORE);
    Future<Thread> calling =
        start(
            () -> {
              timed.acquire("key", TTL);
              return Thread.currentThread();
            });
    pause.awaitReached();

    time.advanceMs(7);
    pause.open();

    Thread caller = join(calling);
    assertThat(thread.get()).isSameAs(caller);
    assertThat(one(Type.ACQUIRE, Result.OK).nanos()).isEqualTo(7_000_000);
  }

  @Test
  @Guarantee("L63")
  void telemetry_hides_raw_values_by_default() {
    Acquired lock = granted(observed.acquire("secret-key", TTL));
    observed.acquire("secret-key", TTL);
    observed.lookup("secret-key");
    lock.extend(TTL);
    observed.release(lock.lockId());
    failing(ErrorCode.INVALID_ARGUMENT, () -> observed.isLocked("secret-key\0"));

    assertThat(heard.all())
        .hasSize(6)
        .allSatisfy(
            event -> {
              assertThat(event.raw()).isNull();
              assertThat(event.toString()).doesNotContain("secret-key", lock.lockId());
            });
  }

  @Test
  @Guarantee("L63")
  void raw_values_come_only_in_the_events_that_were_asked_for() {
    LockService raw = locks.observed(heard::add, event -> event.type() == Type.ACQUIRE);

    Acquired lock = granted(raw.acquire("key", TTL));
    raw.release(lock.lockId());

    LockEvent.Raw shown = Objects.requireNonNull(heard.next().raw());
    assertThat(shown.key()).isEqualTo("key");
    assertThat(shown.lockId()).isEqualTo(lock.lockId());
    assertThat(heard.next().raw()).isNull();
  }

  @Test
  @Guarantee("L64")
  void a_throwing_listener_changes_nothing() {
    LockService throwing =
        locks
            .observed(
                event -> {
                  throw new IllegalStateException("listener");
                })
            .observed(heard::add);

    Acquired lock = granted(throwing.acquire("key", TTL));
    refused(throwing.acquire("key", TTL));
    fail(Operation.FIND);
    failing(ErrorCode.RATE_LIMITED, () -> throwing.isLocked("key"));
    assertThat(lock.release().ok()).isTrue();

    assertThat(heard.all()).hasSize(4);
  }

  @Test
  @Guarantee("L64")
  void a_throwing_predicate_changes_nothing_and_shows_nothing_raw() {
    LockService throwing =
        locks.observed(
            heard::add,
            event -> {
              throw new IllegalStateException("predicate");
            });

    Acquired lock = granted(throwing.acquire("key", TTL));

    assertThat(lock.release().ok()).isTrue();
    assertThat(heard.all()).hasSize(2).allSatisfy(event -> assertThat(event.raw()).isNull());
  }

  @Test
  @Guarantee("L65")
  void handle_calls_are_reported_too() {
    Acquired released = granted(observed.acquire("one", TTL));
    Acquired closed = granted(observed.acquire("two", TTL));
    heard.all();

    released.extend(TTL);
    assertEvent(Type.EXTEND, Result.OK, "one", released.lockId());
    released.release();
    assertEvent(Type.RELEASE, Result.OK, "one", released.lockId());
    released.extend(TTL);
    assertReason("not-found", Type.EXTEND);
    fail(Operation.RELEASE);
    closed.close();
    assertCode(ErrorCode.RATE_LIMITED, Type.RELEASE);
  }

  @Test
  @Guarantee("L65")
  void a_keepers_renewals_are_reported_too() {
    Acquired kept = granted(observed.acquire("key", TTL)).keep();
    heard.all();

    time.advance(RENEWAL);
    LockEvent renewed = heard.next();
    assertThat(renewed.type()).isEqualTo(Type.EXTEND);
    assertThat(renewed.outcome().result()).isEqualTo(Result.OK);
    assertThat(renewed.keyHash()).isEqualTo(DisplayHash.of("key"));
    assertThat(renewed.lockIdHash()).isEqualTo(DisplayHash.of(kept.lockId()));

    assertThat(otherProcess().release(kept.lockId()).ok()).isTrue();
    time.awaitParked(2);
    time.advance(RENEWAL);
    LockEvent lost = heard.next();
    assertThat(lost.type()).isEqualTo(Type.EXTEND);
    assertThat(lost.outcome().reason()).isEqualTo("not-found");
  }

  @Test
  @Guarantee("L65")
  void a_keepers_failed_renewal_is_reported_as_an_error() {
    granted(observed.acquire("key", TTL)).keep();
    heard.all();
    fail(Operation.EXTEND_MANY);
    fail(Operation.EXTEND);

    time.advance(RENEWAL);
    store.awaitEnded(Operation.EXTEND_MANY, 1);
    time.awaitParked(2);
    locks.close();

    assertThat(heard.all())
        .anySatisfy(
            event -> {
              assertThat(event.type()).isEqualTo(Type.EXTEND);
              assertThat(event.outcome().code()).isEqualTo(ErrorCode.RATE_LIMITED);
            });
  }

  @Test
  @Guarantee("L65")
  void an_adapters_calls_are_reported_too() {
    LeasedLock adapter = observed.obtain("key");

    assertThat(adapter.tryLock()).isTrue();
    String idHash = locks.lookup("key").orElseThrow().lockIdHash();
    assertThat(one(Type.ACQUIRE, Result.OK).lockIdHash()).isEqualTo(idHash);
    adapter.unlock();
    assertThat(one(Type.RELEASE, Result.OK).lockIdHash()).isEqualTo(idHash);
    take("key");
    assertThat(adapter.tryLock()).isFalse();
    assertReason("locked", Type.ACQUIRE);
  }

  private void fail(Operation operation) {
    store.failNext(operation, Moment.BEFORE, failure(ErrorCode.RATE_LIMITED));
  }

  /** The one event heard since the last look. */
  private LockEvent one(Type type, Result result) {
    List<LockEvent> all = heard.all();
    assertThat(all).hasSize(1);
    assertThat(all.get(0).type()).isEqualTo(type);
    assertThat(all.get(0).outcome().result()).isEqualTo(result);
    return all.get(0);
  }

  private void assertEvent(Type type, Result result, String key, String lockId) {
    LockEvent event = one(type, result);
    assertThat(event.keyHash()).isEqualTo(DisplayHash.of(key));
    if (lockId != null) {
      assertThat(event.lockIdHash()).isEqualTo(DisplayHash.of(lockId));
    }
  }

  private void assertReason(String reason, Type type) {
    assertThat(one(type, Result.FAIL).outcome().reason()).isEqualTo(reason);
  }

  private void assertCode(ErrorCode code, Type type) {
    LockEvent event = one(type, Result.ERROR);
    assertThat(event.outcome().code()).isEqualTo(code);
    assertThat(event.outcome().reason()).isNull();
  }
}
