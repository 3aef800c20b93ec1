package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.granted;
import static io.holdfast.testkit.lock.beyond.Stage.result;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who waits for a taken key without a thread is treated as if it had one: see {@link
 * WaitingLockContract}.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class ParkedLockContract {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long POLL_MS = Stage.OPTIONS.poll().toMillis();
  private static final int CROWD = 300;
  private static final int FEW_THREADS = 60;

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

  @Test
  void a_free_key_is_granted_without_waiting() {
    Acquired got = granted(result(there.acquireAsync("key", TTL, Wait.upTo(LONG))));

    assertThat(got.fence().value()).isEqualTo(1);
    assertThat(got.waited()).isZero();
    assertThat(got.grantedFor()).isEqualTo(TTL);
    assertThat(got.isHeld()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L72")
  void a_parked_waiter_is_granted_on_release_in_another_process_without_polling(boolean fair) {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there, LONG, fair);

    held.release();

    assertThat(granted(result(waiting)).fence().value()).isEqualTo(held.fence().value() + 1);
    assertThat(time.nanos()).isZero();
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L72")
  void it_knows_how_long_it_waited() {
    take(here, "key", Duration.ofSeconds(2));
    CompletableFuture<LockAttempt> waiting = park(there, LONG, false);

    time.advanceMs(3100);

    Acquired got = granted(result(waiting));
    assertThat(got.waited()).isEqualTo(Duration.ofMillis(3100));
    assertThat(got.isHeld()).isTrue();
  }

  @Test
  @Guarantee("L72")
  void waiters_with_and_without_a_thread_take_turns() {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> first = park(there, LONG, false);
    var second = stage.start(() -> there.acquire("key", TTL, Wait.upTo(LONG)));
    stage.clock.awaitIdle(2);

    held.release();
    granted(result(first)).release();

    assertThat(granted(result(second)).fence().value()).isEqualTo(3);
  }

  @Test
  @Guarantee("L74")
  void fair_ones_are_served_in_order_of_arrival() {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> first = park(there, LONG, true);
    awaitWaiters(1);
    CompletableFuture<LockAttempt> second = park(here, LONG, true);
    awaitWaiters(2);

    held.release();
    Acquired got = granted(result(first));
    assertThat(second).isNotDone();
    got.release();

    assertThat(granted(result(second)).fence().value()).isEqualTo(3);
  }

  @Test
  @Guarantee("LF18")
  void a_lost_hint_costs_at_most_one_poll() {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there, LONG, false);
    stage.hints.lost = true;

    held.release();

    assertThat(waiting).isNotDone();
    time.advanceMs(POLL_MS);

    assertThat(result(waiting).ok()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee({"L73", "L76"})
  void it_gives_up_on_time_and_leaves_no_ticket(boolean fair) {
    take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there, Duration.ofSeconds(5), fair);

    stage.pass(4999, 100, 1);
    assertThat(waiting).isNotDone();
    time.advanceMs(1);

    assertThat(result(waiting))
        .isInstanceOfSatisfying(
            Locked.class,
            l -> assertThat(l.retryAfter()).isPositive().isLessThan(TTL.plusSeconds(2)));
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L73")
  void no_time_to_wait_is_one_attempt_whoever_waits() {
    take(here, "key", TTL);
    park(there, LONG, false);

    LockAttempt only = result(there.acquireAsync("key", TTL, Wait.upTo(Duration.ZERO)));

    assertThat(only)
        .isInstanceOfSatisfying(
            Locked.class, l -> assertThat(l.retryAfter()).isGreaterThan(Duration.ofSeconds(29)));
    awaitWaiters(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("L76")
  void a_cancelled_future_leaves_no_ticket_and_takes_nothing(boolean fair) {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there, LONG, fair);

    waiting.cancel(true);

    awaitWaiters(0);
    held.release();
    assertThat(take(here, "key", TTL).fence().value()).isEqualTo(2);
  }

  @Test
  @Guarantee("L76")
  void a_cancelled_token_aborts_it() {
    CancellationSource token = new CancellationSource();
    take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there.cancelledBy(token), LONG, false);

    token.cancel();

    Stage.hasCode(Stage.failure(waiting), ErrorCode.ABORTED);
    awaitWaiters(0);
  }

  @Test
  @Guarantee("L43")
  void a_grant_that_comes_after_the_cancellation_is_given_back() {
    CountDownLatch gate = stage.gate();
    CountDownLatch reached = new CountDownLatch(1);
    stage.store.onAcquire =
        (request, real) -> {
          reached.countDown();
          Stage.hang(gate);
          return real.get();
        };
    CompletableFuture<LockAttempt> waiting =
        there.acquireAsync("key", TTL, LockId.random().text(), Wait.upTo(LONG));
    Stage.pass(reached);

    waiting.cancel(true);
    gate.countDown();

    stage.store.onAcquire = (request, real) -> real.get();
    Stage.eventually(() -> !here.isLocked("key"), "the key is free");
    awaitWaiters(0);
  }

  @Test
  @Guarantee("L76")
  void the_next_in_line_goes_on_when_the_first_is_cancelled() {
    Acquired held = take(here, "key", TTL);
    CompletableFuture<LockAttempt> first = park(there, LONG, false);
    CompletableFuture<LockAttempt> second = there.acquireAsync("key", TTL, Wait.upTo(LONG));

    first.cancel(true);
    held.release();

    assertThat(result(second).ok()).isTrue();
  }

  @Test
  @Guarantee("L26")
  void a_wait_under_an_id_of_the_callers_gets_the_grant_of_that_id() {
    String id = LockId.random().text();
    Acquired held = granted(here.acquire("key", TTL, id));
    time.advanceMs(1000);

    Acquired again = granted(result(there.acquireAsync("key", TTL, id, Wait.upTo(LONG))));

    assertThat(again.fence()).isEqualTo(held.fence());
    assertThat(again.grantedFor()).isEqualTo(TTL.minusSeconds(1));
  }

  @Test
  void a_mistake_is_told_by_the_future() {
    Wait wait = Wait.upTo(LONG);
    Stage.hasCode(Stage.failure(here.acquireAsync("", TTL, wait)), ErrorCode.INVALID_ARGUMENT);
    Stage.hasCode(
        Stage.failure(here.acquireAsync("key", Duration.ZERO, wait)), ErrorCode.INVALID_ARGUMENT);
    Stage.hasCode(
        Stage.failure(here.acquireAsync("key", TTL, "id", wait)), ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void closing_answers_who_waits() {
    take(here, "key", TTL);
    CompletableFuture<LockAttempt> waiting = park(there, LONG, false);

    there.close();

    Stage.hasCode(Stage.failure(waiting), ErrorCode.SERVICE_UNAVAILABLE);
    awaitWaiters(0);
  }

  @Test
  void a_crowd_of_them_needs_few_threads_and_is_served_one_after_the_other() {
    Acquired held = take(here, "key", TTL);
    int before = Thread.activeCount();
    List<CompletableFuture<LockAttempt>> crowd = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      crowd.add(there.acquireAsync("key", TTL, Wait.upTo(LONG)));
    }
    awaitWaiters(1);

    assertThat(Thread.activeCount() - before).isLessThan(FEW_THREADS);
    crowd.subList(0, CROWD / 2).forEach(waiting -> waiting.cancel(true));
    held.release();
    crowd.subList(CROWD / 2, CROWD).forEach(waiting -> granted(result(waiting)).release());
    // A look of one that gave up may still have come after the release; what it got went back.
    assertThat(take(here, "key", TTL).fence().value()).isBetween(CROWD / 2 + 2L, CROWD + 2L);
  }

  /** Waits until the store has heard of it. */
  private CompletableFuture<LockAttempt> park(Locks locks, Duration limit, boolean fair) {
    int before = here.operator().inspect("key").waiters().size();
    CompletableFuture<LockAttempt> waiting = locks.acquireAsync("key", TTL, new Wait(limit, fair));
    awaitWaiters(before + 1);
    stage.clock.awaitIdle(1);
    return waiting;
  }

  private void awaitWaiters(int count) {
    Stage.eventually(
        () -> here.operator().inspect("key").waiters().size() == count, count + " tickets");
  }
}
