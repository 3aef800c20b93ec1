package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.granted;
import static io.holdfast.testkit.lock.beyond.Stage.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockService;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An acquire whose answer was lost may have taken the key under an id that no caller has. It is
 * released in the background, at 0, 1, 2, 4 ... s, for as long as a call may take; unless the id is
 * the caller's, who repeats the call.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class UnknownOutcomeContract {
  private static final Duration TTL = Duration.ofMinutes(10);

  /** The one thread that wakes to release what was lost. */
  private static final int RECOVERY = 1;

  private final ManualTime time = new ManualTime();
  private Stage stage;
  private LockService locks;
  private LockService others;

  /** A fresh store on {@code time}. */
  protected abstract LockSubject subject(ManualTime time);

  @BeforeEach
  void open() {
    stage = new Stage(time, subject(time));
    locks = stage.process();
    others = stage.process();
  }

  @AfterEach
  void close() {
    stage.close();
  }

  @Test
  @Guarantee("LF10")
  void a_key_whose_grant_was_lost_is_free_at_once() {
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());

    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));

    eventually(() -> !others.isLocked("key"), "the key is free");
    assertThat(time.nanos()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("LF10")
  void a_wait_whose_grant_was_lost_leaves_neither_lock_nor_ticket(boolean fair) {
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    Wait wait = new Wait(Duration.ofMinutes(1), fair);

    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL, wait));

    eventually(() -> !others.isLocked("key"), "the key is free");
    assertThat(others.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("LF10")
  void work_whose_grant_was_lost_does_not_start_and_leaves_no_lock() {
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    List<String> started = new CopyOnWriteArrayList<>();

    Stage.fails(
        ErrorCode.SERVICE_UNAVAILABLE, () -> locks.withLock("key", lock -> started.add("work")));

    eventually(() -> !others.isLocked("key"), "the key is free");
    assertThat(started).isEmpty();
  }

  @Test
  @Guarantee("LF10")
  void a_grant_that_arrives_after_the_first_release_is_freed_by_a_later_one() {
    AtomicReference<LockStore.Request> underWay = new AtomicReference<>();
    stage.store.onAcquire =
        (request, real) -> {
          underWay.set(request);
          return loseAnswer(request);
        };
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    awaitReleases(1);

    stage.store.real.acquire(underWay.get(), LockCall.plain());
    assertThat(others.isLocked("key")).isTrue();
    stage.pass(1000, 100, RECOVERY);

    assertThat(others.isLocked("key")).isFalse();
  }

  @Test
  @Guarantee("LF10")
  void not_found_is_asked_again_at_1_2_4_8_and_16_seconds_and_ends_with_the_call_timeout() {
    List<Long> askedAtMs = new CopyOnWriteArrayList<>();
    stage.store.onRelease =
        (id, real) -> {
          askedAtMs.add(time.nanos() / 1_000_000);
          return real.get();
        };
    stage.store.onAcquire = (request, real) -> loseAnswer(request);

    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    awaitReleases(1);
    stage.pass(120_000, 500, RECOVERY);

    assertThat(askedAtMs).containsExactly(0L, 1000L, 2000L, 4000L, 8000L, 16_000L);
  }

  @Test
  @Guarantee("LF10")
  void a_release_that_fails_is_repeated() {
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    stage.store.onRelease = (id, real) -> SwitchedStore.away();
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    awaitReleases(1);
    assertThat(others.isLocked("key")).isTrue();

    stage.store.onRelease = (id, real) -> real.get();
    stage.pass(1000, 100, RECOVERY);

    assertThat(others.isLocked("key")).isFalse();
    stage.pass(120_000, 500, RECOVERY);
    assertThat(stage.store.releases).hasSize(2);
  }

  @Test
  @Guarantee("LF10")
  void an_expired_grant_is_not_asked_for_again() {
    Duration brief = Duration.ofMillis(100);
    stage.store.onRelease = (id, real) -> SwitchedStore.away();
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", brief));
    awaitReleases(1);
    stage.pass(1000, 500, RECOVERY);

    stage.store.onRelease = (id, real) -> real.get();
    stage.pass(120_000, 500, RECOVERY);

    assertThat(stage.store.releases).hasSize(3);
  }

  @Test
  @Guarantee("LF10")
  void a_waiter_behind_a_lost_grant_is_served_when_that_is_released_without_polling() {
    CountDownLatch gate = stage.gate();
    stage.store.onRelease =
        (id, real) -> {
          Stage.hang(gate);
          return real.get();
        };
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    stage.store.onAcquire = (request, real) -> real.get();
    Future<LockAttempt> waiting =
        stage.start(() -> others.acquire("key", TTL, Wait.upTo(Duration.ofMinutes(1))));
    stage.clock.awaitIdle(1);

    gate.countDown();

    assertThat(result(waiting).ok()).isTrue();
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("LF10")
  void a_lost_grant_under_the_callers_id_is_left_to_the_caller() {
    String id = LockId.random().text();
    stage.store.onAcquire = (request, real) -> loseAnswer(real.get());
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL, id));

    time.advanceMs(5000);
    stage.store.onAcquire = (request, real) -> real.get();

    assertThat(granted(locks.acquire("key", TTL, id)).fence().value()).isEqualTo(1);
    assertThat(stage.store.releases).isEmpty();
  }

  @Test
  @Guarantee("LF10")
  void a_failure_with_a_known_outcome_releases_nothing() {
    stage.store.onAcquire = (request, real) -> SwitchedStore.away();
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("key", TTL));
    stage.store.onAcquire = (request, real) -> loseAnswer(request);
    Stage.fails(ErrorCode.SERVICE_UNAVAILABLE, () -> locks.acquire("other", TTL));

    awaitReleases(1);
    stage.pass(500, 100, RECOVERY);

    assertThat(stage.store.releases).hasSize(1);
  }

  private void awaitReleases(int number) {
    eventually(() -> stage.store.releases.size() == number, number + " releases");
    stage.clock.awaitIdle(RECOVERY);
  }

  /** What becomes of an answer when its connection is cut. */
  private static LockStore.Grant loseAnswer(Object lost) {
    assertThat(lost).isNotNull();
    throw new LockException(ErrorCode.SERVICE_UNAVAILABLE, "the connection was cut")
        .outcomeUnknown(true);
  }
}
