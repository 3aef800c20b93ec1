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
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockService;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Locks;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The queue for a key: fair waiters are served in the order they came, wherever they wait, and one
 * that died holds up the others only until its ticket ends. Unordered waiters of a process share
 * one place.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class FairWaitingContract {
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration LONG = Duration.ofHours(1);
  private static final long POLL_MS = Stage.OPTIONS.poll().toMillis();
  private static final long TICKET_MS = 3 * POLL_MS;

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
  @Guarantee("L74")
  void fair_waiters_are_served_in_arrival_order_across_processes() {
    Acquired held = take(here, "key", TTL);
    List<Integer> served = new CopyOnWriteArrayList<>();
    List<Future<LockAttempt>> waiting = new ArrayList<>();
    for (Locks locks : List.of(here, there, there, here, there, here)) {
      int number = waiting.size();
      waiting.add(stage.start(() -> serve(locks, number, served)));
      stage.clock.awaitIdle(waiting.size());
    }

    held.release();

    waiting.forEach(Stage::result);
    assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("L74")
  void a_fair_waiter_keeps_its_place_however_long_it_waits() {
    Acquired held = take(here, "key", TTL);
    List<Integer> served = new CopyOnWriteArrayList<>();
    Future<LockAttempt> first = stage.start(() -> serve(there, 1, served));

    stage.pass(10 * TICKET_MS, 50, 1);
    Future<LockAttempt> second = stage.start(() -> serve(here, 2, served));
    stage.pass(10 * TICKET_MS, 50, 2);
    held.release();

    result(first);
    result(second);
    assertThat(served).containsExactly(1, 2);
  }

  @Test
  @Guarantee("L74")
  void a_fair_waiter_is_refused_a_free_key_while_an_earlier_one_waits() {
    Acquired held = take(here, "key", TTL);
    leaveDeadTicket("key");
    held.release();

    Future<LockAttempt> late = wait(there, "key", Duration.ofMillis(100));
    stage.pass(99, 99, 1);
    time.advanceMs(1);

    assertThat(result(late)).isEqualTo(new Locked(Duration.ofMillis(POLL_MS)));
  }

  @Test
  @Guarantee({"L75", "LF18"})
  void a_dead_waiter_at_the_head_delays_the_next_by_its_ticket_and_one_poll_at_most() {
    Acquired held = take(here, "key", TTL);
    leaveDeadTicket("key");
    Future<LockAttempt> waiting = wait(there, "key", LONG);
    stage.clock.awaitIdle(1);

    held.release();

    assertThat(stage.passUntilDone(waiting, 10, 1)).isBetween(TICKET_MS, TICKET_MS + POLL_MS);
    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L75")
  void a_dead_waiter_behind_delays_nobody() {
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> waiting = wait(there, "key", LONG);
    stage.clock.awaitIdle(1);
    leaveDeadTicket("key");

    held.release();

    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee("L75")
  void a_dead_waiter_of_another_key_delays_nobody() {
    Acquired held = take(here, "key", TTL);
    take(here, "other", TTL);
    leaveDeadTicket("other");
    Future<LockAttempt> waiting = wait(there, "key", LONG);
    stage.clock.awaitIdle(1);

    held.release();

    assertThat(result(waiting).ok()).isTrue();
  }

  @Test
  @Guarantee({"L76", "LF18"})
  void a_head_that_leaves_passes_the_hint_on() {
    CancellationSource token = new CancellationSource();
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> head = wait(here.cancelledBy(token), "key", LONG);
    stage.clock.awaitIdle(1);
    Future<LockAttempt> next = wait(there, "key", LONG);
    stage.clock.awaitIdle(2);
    stage.store.real.release(LockId.of(held.lockId()), true, LockCall.plain());

    token.cancel();

    Stage.hasCode(Stage.failure(head), ErrorCode.ABORTED);
    assertThat(result(next).ok()).isTrue();
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("L76")
  void each_fair_waiter_has_its_own_ticket_and_takes_only_that_away() {
    CancellationSource token = new CancellationSource();
    take(here, "key", TTL);
    wait(there, "key", LONG);
    stage.clock.awaitIdle(1);
    Future<LockAttempt> leaving = wait(there.cancelledBy(token), "key", LONG);
    stage.clock.awaitIdle(2);
    wait(here, "key", LONG);
    stage.clock.awaitIdle(3);
    assertThat(here.operator().inspect("key").waiters()).hasSize(3).allMatch(t -> t.fair());

    token.cancel();
    Stage.failure(leaving);

    assertThat(here.operator().inspect("key").waiters()).hasSize(2);
  }

  @Test
  @Guarantee("L76")
  void unordered_waiters_of_a_process_share_one_ticket_and_one_poller() {
    take(here, "key", TTL);
    for (int i = 0; i < 5; i++) {
      Wait unordered = Wait.upTo(LONG);
      stage.start(() -> there.acquire("key", TTL, unordered));
    }
    stage.clock.awaitIdle(5);
    int before = stage.store.acquires.get();

    stage.pass(10 * POLL_MS, 50, 5);

    assertThat(here.operator().inspect("key").waiters()).hasSize(1);
    assertThat(stage.store.acquires.get() - before).isBetween(10, 20);
  }

  @Test
  @Guarantee("L76")
  void an_unordered_waiter_that_leaves_hands_the_ticket_to_the_next_of_its_process() {
    CancellationSource token = new CancellationSource();
    Acquired held = take(here, "key", TTL);
    Future<LockAttempt> head =
        stage.start(() -> there.cancelledBy(token).acquire("key", TTL, Wait.upTo(LONG)));
    stage.clock.awaitIdle(1);
    Future<LockAttempt> next = stage.start(() -> there.acquire("key", TTL, Wait.upTo(LONG)));
    stage.clock.awaitIdle(2);

    token.cancel();
    Stage.failure(head);
    assertThat(here.operator().inspect("key").waiters()).hasSize(1);
    held.release();

    assertThat(result(next).ok()).isTrue();
    assertThat(here.operator().inspect("key").waiters()).isEmpty();
  }

  private Future<LockAttempt> wait(Locks locks, String key, Duration limit) {
    return stage.start(() -> locks.acquire(key, TTL, Wait.upTo(limit).fair()));
  }

  /** Waits in the queue, says so when served, and makes room for the next. */
  private static LockAttempt serve(Locks locks, int number, List<Integer> served) {
    Acquired got = granted(locks.acquire("key", TTL, Wait.upTo(LONG).fair()));
    served.add(number);
    got.release();
    return got;
  }

  /** A process takes its place in the queue for a taken key and is not heard of again. */
  private void leaveDeadTicket(String key) {
    LockStore.Waiter waiter = new LockStore.Waiter(LockId.random().text(), true, TICKET_MS);
    LockStore.Request request =
        new LockStore.Request(LockKey.of(key), LockId.random(), false, LockTtl.of(TTL), waiter);
    assertThat(stage.store.real.acquire(request, LockCall.plain()))
        .isInstanceOf(LockStore.Grant.Refused.class);
  }
}
