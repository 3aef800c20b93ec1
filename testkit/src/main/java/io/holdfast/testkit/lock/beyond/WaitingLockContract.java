package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.granted;
import static io.holdfast.testkit.lock.beyond.Stage.result;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Locks;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who waits for a taken key gets it when it is released, without the help of a clock; gives up on
 * time; and leaves nothing behind. The order among waiters is {@link FairWaitingContract}.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class WaitingLockContract {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long POLL_MS = Stage.OPTIONS.poll().toMillis();

  private final ManualTime time = new ManualTime();
  private Stage stage;
  private LockService here;
  private LockService there;

  /** A fresh store on {@code time}. */
  protected abstract LockSubject subject(ManualTime time);

  @BeforeEach
  void open() {
    stage = new Stage(time, subject(time));
    here = stage.process();
    there = stage.process();
  }

  @AfterEach
  void close() {
    stage.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L72")
  void a_waiter_is_granted_on_release_in_another_process_without_polling(boolean fair) {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG, fair);
    stage.clock.awaitIdle(1);

    held.release();

    Acquired next = granted(result(waiting));
    assertThat(next.fence().value()).isEqualTo(held.fence().value() + 1);
    assertThat(time.nanos()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L72")
  void a_waiter_is_granted_on_release_in_its_own_process_although_hints_are_off(boolean fair) {
    LockService quiet = stage.process(Stage.OPTIONS.withHints(false));
    Acquired held = take(quiet, "key", TTL);
    Future<LockAttempt> waiting = wait(quiet, "key", LONG, fair);
    stage.clock.awaitIdle(1);

    held.close();

    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L72")
  void every_one_of_many_waiters_is_granted_in_turn_without_polling() {
    Acquired held = take(here, "key", TTL);
    List<Future<Long>> waiting = new ArrayList<>();
    for (Locks locks : List.of(here, there, here, there, here, there)) {
      waiting.add(
          stage.start(
              () -> {
                Acquired got = granted(locks.acquire("key", TTL, Wait.upTo(LONG)));
                got.release();
                return got.fence().value();
              }));
    }
    stage.clock.awaitIdle(waiting.size());

    held.release();

    assertThat(waiting.stream().map(Stage::result))
        .containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L, 7L);
  }

  @Test
  @Guarantee("L72")
  void a_waiter_is_granted_when_an_operator_breaks_the_lock() {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG, false);
    stage.clock.awaitIdle(1);

    assertThat(here.operator().breakLock("key", held.fence())).isTrue();

    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L72")
  void a_waiter_is_granted_when_a_lost_lock_is_released_without_polling() {
    Duration brief = Duration.ofSeconds(3);
    take(here, "key", brief).keep();
    stage.store.failRenewals();
    stage.pass(2500, 100, Stage.KEEPER);
    LockService slow = stage.process(Stage.OPTIONS.withPoll(Duration.ofMinutes(1)));
    Future<LockAttempt> waiting = wait(slow, "key", LONG, false);
    stage.clock.awaitIdle(Stage.KEEPER + 1);

    time.advanceMs(200);

    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L72")
  void work_that_waits_for_its_lock_starts_on_release_without_its_delay() {
    Acquired held = take(here, "key", TTL);
    Future<String> working = stage.start(() -> there.withLock("key", lock -> "done"));
    stage.clock.awaitIdle(1);

    held.release();

    assertThat(result(working)).isEqualTo("done");
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("L72")
  void a_waiter_comes_back_when_the_present_lease_has_ended() {
    LockService slow = stage.process(Stage.OPTIONS.withPoll(Duration.ofMinutes(1)));
    take(here, "key", Duration.ofSeconds(2));
    Future<LockAttempt> waiting = wait(slow, "key", LONG, false);

    stage.pass(2999, 500, 1);
    assertThat(waiting).isNotDone();

    assertThat(stage.passUntilDone(waiting, 1, 1)).isBetween(1L, 26L);
    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L72")
  void a_release_that_nobody_waits_for_sends_no_hint() {
    take(here, "key", TTL).release();

    assertThat(stage.hints.sent).hasValue(0);
  }

  @Test
  @Guarantee("LF18")
  void a_lost_hint_costs_at_most_one_poll() {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG, false);
    stage.clock.awaitIdle(1);
    stage.hints.lost = true;

    held.release();

    assertThat(stage.hints.sent.get()).isPositive();
    assertThat(stage.passUntilDone(waiting, 10, 1)).isBetween(POLL_MS / 2, POLL_MS);
    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("LF18")
  void without_hints_a_waiter_is_served_within_one_poll() {
    Acquired held = take(stage.process(Stage.OPTIONS.withHints(false)), "key", TTL);
    LockService quiet = stage.process(Stage.OPTIONS.withHints(false));
    Future<LockAttempt> waiting = wait(quiet, "key", LONG, false);
    stage.clock.awaitIdle(1);

    held.release();

    assertThat(stage.passUntilDone(waiting, 10, 1)).isBetween(POLL_MS / 2, POLL_MS);
    assertThat(stage.hints.sent).hasValue(0);
  }

  @Test
  @Guarantee("LF18")
  void a_release_by_a_foreign_client_is_noticed_within_one_poll() {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG, false);
    stage.clock.awaitIdle(1);

    stage.store.real.release(LockId.of(held.lockId()), true, LockCall.plain());

    assertThat(stage.passUntilDone(waiting, 10, 1)).isLessThanOrEqualTo(POLL_MS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee({"L73", "L76"})
  void a_waiter_gives_up_on_time_and_leaves_no_ticket(boolean fair) {
    take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", Duration.ofSeconds(5), fair);

    stage.pass(4999, 100, 1);
    assertThat(waiting).isNotDone();
    assertThat(here.operator().inspect("key").waiters()).hasSize(1);

    time.advanceMs(1);
    assertThat(result(waiting))
        .isInstanceOfSatisfying(
            Locked.class, l -> assertThat(l.retryAfter()).isPositive().isLessThanOrEqualTo(TTL));
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L73")
  void a_waiter_behind_others_of_its_process_gives_up_on_time_as_well() {
    take(here, "key", TTL);
    Future<LockAttempt> first = wait(there, "key", LONG, false);
    stage.clock.awaitIdle(1);
    Future<LockAttempt> second = wait(there, "key", Duration.ofSeconds(2), false);

    stage.pass(1999, 100, 2);
    assertThat(second).isNotDone();
    time.advanceMs(1);

    assertThat(result(second))
        .isInstanceOfSatisfying(
            Locked.class, locked -> assertThat(locked.retryAfter()).isPositive());
    assertThat(first).isNotDone();
    assertThat(here.operator().inspect("key").waiters()).hasSize(1);
  }

  @Test
  @Guarantee("L73")
  void a_wait_of_no_time_is_one_attempt() {
    take(here, "key", TTL);

    assertThat(there.acquire("key", TTL, Wait.upTo(Duration.ZERO)).ok()).isFalse();

    assertThat(stage.store.acquires).hasValue(2);
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L76")
  void a_cancelled_wait_is_aborted_at_once_and_leaves_no_ticket(boolean fair) {
    CancellationSource token = new CancellationSource();
    take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there.cancelledBy(token), "key", LONG, fair);
    stage.clock.awaitIdle(1);

    token.cancel();

    Stage.hasCode(Stage.failure(waiting), ErrorCode.ABORTED);
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L76")
  void an_interrupted_wait_is_aborted_with_the_flag_set_and_leaves_no_ticket(boolean fair) {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    take(here, "key", TTL);
    Future<Boolean> flag =
        stage.start(
            () -> {
              waiter.set(Thread.currentThread());
              Wait wait = new Wait(LONG, fair);
              Stage.fails(ErrorCode.ABORTED, () -> there.acquire("key", TTL, wait));
              return Thread.interrupted();
            });
    stage.clock.awaitIdle(1);

    waiter.get().interrupt();

    assertThat(result(flag)).isTrue();
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L76")
  void a_grant_takes_the_ticket_away(boolean fair) {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG, fair);
    stage.clock.awaitIdle(1);

    held.release();

    assertThat(result(waiting).ok()).isTrue();
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L76")
  void a_refusal_of_someone_who_does_not_wait_leaves_no_ticket() {
    take(here, "key", TTL);

    assertThat(there.acquire("key", TTL).ok()).isFalse();

    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  private Future<LockAttempt> wait(Locks locks, String key, Duration limit, boolean fair) {
    return stage.start(() -> locks.acquire(key, TTL, new Wait(limit, fair)));
  }
}
