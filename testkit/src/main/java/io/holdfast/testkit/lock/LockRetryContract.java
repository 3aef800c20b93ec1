package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockRetry;
import io.holdfast.lock.LockRetry.Backoff;
import io.holdfast.lock.LockRetry.Jitter;
import io.holdfast.lock.LockService;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How {@code withLock} gets its lock: so many tries, so far apart, for so long. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class LockRetryContract extends LockSuite {
  private static final LockRetry PATIENT =
      LockRetry.DEFAULTS.withTimeout(Duration.ofHours(1)).with(Backoff.FIXED, Jitter.NONE);

  private LeapingTime leaps;
  private LockService leaping;

  /** Without hints: each wake-up would make an attempt that is not counted. */
  @BeforeEach
  void openLeapingLocks() {
    leaps = new LeapingTime(time);
    LockBackend backend = store.in(subject.backend());
    leaping =
        over(
            new LockBackend(
                backend.store(),
                backend.admin(),
                backend.hints(),
                backend.reserve(),
                leaps,
                backend.capabilities()),
            OPTIONS.withHints(false));
  }

  @Test
  @Guarantee("L50")
  void withLock_retries_contention() {
    Acquired holder = granted(otherProcess().acquire("key", Duration.ofMillis(500)));

    long fence =
        leaping.<Long, RuntimeException>withLock(
            "key", retrying(PATIENT.withMaxRetries(100)), lock -> lock.fence().value());

    assertThat(fence).isEqualTo(2);
    assertThat(time.nowMs()).isBetween(live(holder), live(holder) + 100);
  }

  @Test
  @Guarantee("L50")
  void withLock_retries_nothing_but_contention() {
    AtomicBoolean ran = new AtomicBoolean();
    for (ErrorCode code : ErrorCode.values()) {
      int before = store.calls();
      store.failNext(Operation.ACQUIRE, Moment.BEFORE, failure(code));

      failing(code, () -> leaping.withLock("key", lock -> ran.getAndSet(true)));

      assertThat(store.calls(Operation.ACQUIRE)).isEqualTo(code.ordinal() + 1);
      assertThat(store.calls()).as("calls until %s is rethrown", code).isEqualTo(before + 1);
    }
    RuntimeException foreign = new IllegalStateException("planned");
    store.failNext(Operation.ACQUIRE, Moment.BEFORE, foreign);

    LockException seen =
        failing(ErrorCode.INTERNAL, () -> leaping.withLock("key", lock -> ran.getAndSet(true)));

    assertThat(seen).hasCause(foreign);
    assertThat(ran).isFalse();
    assertThat(leaps.takePauses()).isEmpty();
  }

  @Test
  @Guarantee("L50")
  void an_error_after_a_refusal_ends_the_retries() {
    hold("key");
    Pause first = store.pauseNext(Operation.ACQUIRE, Moment.AFTER);
    first.open();
    store.failNext(Operation.ACQUIRE, Moment.BEFORE, failure(ErrorCode.AUTH_FAILED));

    failing(ErrorCode.AUTH_FAILED, () -> leaping.withLock("key", lock -> 1));

    assertThat(store.calls(Operation.ACQUIRE)).isEqualTo(2);
  }

  @Test
  @Guarantee("L51")
  void n_retries_make_n_plus_1_attempts() {
    hold("key");
    for (int retries : new int[] {0, 1, 4}) {
      int before = store.calls(Operation.ACQUIRE);

      timesOut(PATIENT.withMaxRetries(retries));

      assertThat(store.calls(Operation.ACQUIRE) - before).isEqualTo(retries + 1);
    }
  }

  @Test
  @Guarantee("L51")
  void a_zero_delay_retries_at_once() {
    hold("key");

    timesOut(PATIENT.withDelay(Duration.ZERO));

    assertThat(store.calls(Operation.ACQUIRE)).isEqualTo(11);
    assertThat(leaps.takePauses()).isEmpty();
  }

  @Test
  @Guarantee("L51")
  void an_attempt_after_a_wake_up_is_not_counted() {
    LockService other = otherProcess();
    Acquired first = take("key");
    WithLockOptions once = retrying(PATIENT.withMaxRetries(1).withDelay(Duration.ofMinutes(10)));
    Future<Long> waiting = start(() -> locks.withLock("key", once, lock -> lock.fence().value()));
    time.awaitParked(1);

    Pause second = store.pauseNext(Operation.ACQUIRE, Moment.BEFORE);
    first.release();
    second.awaitReached();
    Acquired barging = granted(other.acquire("key", TTL));
    second.open();
    time.awaitParked(1);
    barging.release();

    assertThat(join(waiting)).isEqualTo(3);
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("L52")
  void a_zero_timeout_makes_one_attempt() {
    hold("key");

    timesOut(PATIENT.withTimeout(Duration.ZERO));

    assertThat(store.calls(Operation.ACQUIRE)).isEqualTo(1);
    assertThat(leaps.takePauses()).isEmpty();
    assertThat(
            leaping.<Integer, RuntimeException>withLock(
                "free", retrying(PATIENT.withTimeout(Duration.ZERO)), lock -> 7))
        .isEqualTo(7);
  }

  @Test
  @Guarantee("L53")
  void exponential_delays_double() {
    hold("key");

    timesOut(PATIENT.withMaxRetries(5).with(Backoff.EXPONENTIAL, Jitter.NONE));

    assertThat(leaps.takePauses())
        .extracting(Duration::toMillis)
        .containsExactly(100L, 200L, 400L, 800L, 1600L);
  }

  @Test
  @Guarantee("L53")
  void fixed_delays_stay() {
    hold("key");

    timesOut(PATIENT.withMaxRetries(3));

    assertThat(leaps.takePauses()).extracting(Duration::toMillis).containsExactly(100L, 100L, 100L);
  }

  @Test
  @Guarantee("L53")
  void equal_jitter_spreads_over_the_upper_half_of_each_delay() {
    hold("key");
    for (int round = 0; round < 20; round++) {
      timesOut(PATIENT.withMaxRetries(5).with(Backoff.EXPONENTIAL, Jitter.EQUAL));

      List<Duration> pauses = leaps.takePauses();
      assertThat(pauses).hasSize(5);
      for (int i = 0; i < 5; i++) {
        long full = Duration.ofMillis(100L << i).toNanos();
        assertThat(pauses.get(i).toNanos()).isBetween(full / 2, full - 1);
      }
    }
    List<Duration> many = manyPauses(Jitter.EQUAL);
    assertThat(many).allMatch(pause -> pause.toNanos() >= 500_000_000);
    assertThat(many).anyMatch(pause -> pause.toMillis() < 650);
    assertThat(many).anyMatch(pause -> pause.toMillis() > 850);
  }

  @Test
  @Guarantee("L53")
  void full_jitter_spreads_over_all_of_each_delay() {
    hold("key");

    List<Duration> many = manyPauses(Jitter.FULL);

    assertThat(many).allMatch(pause -> pause.toNanos() < 1_000_000_000);
    assertThat(many).anyMatch(pause -> pause.toMillis() < 300);
    assertThat(many).anyMatch(pause -> pause.toMillis() > 700);
  }

  @Test
  @Guarantee("L53")
  void delays_stay_in_the_time_left() {
    hold("key");
    long startMs = time.nowMs();

    timesOut(PATIENT.withDelay(Duration.ofMillis(400)).withTimeout(Duration.ofSeconds(1)));

    List<Long> pauses = leaps.takePauses().stream().map(Duration::toMillis).toList();
    assertThat(pauses).startsWith(400L, 400L).hasSizeLessThanOrEqualTo(3);
    assertThat(time.nowMs() - startMs).isBetween(800L, 1000L);
  }

  @Test
  @Guarantee("L53")
  void a_delay_cut_to_the_time_left_stays_in_its_jitter_bounds() {
    hold("key");
    LockRetry cut =
        PATIENT
            .withMaxRetries(1)
            .withDelay(Duration.ofMillis(800))
            .withTimeout(Duration.ofMillis(500))
            .with(Backoff.FIXED, Jitter.EQUAL);
    for (int round = 0; round < 30; round++) {
      timesOut(cut);

      assertThat(leaps.takePauses())
          .allMatch(pause -> pause.toMillis() >= 400 && pause.toMillis() <= 500);
    }
  }

  @Test
  @Guarantee("L53")
  void delays_near_the_bound_do_not_overflow() {
    hold("key");
    LockRetry endless =
        PATIENT
            .withMaxRetries(70)
            .withDelay(Duration.ofDays(1_000_000))
            .withTimeout(Duration.ofMillis(700))
            .with(Backoff.EXPONENTIAL, Jitter.NONE);

    timesOut(endless);

    assertThat(leaps.takePauses()).containsExactly(Duration.ofMillis(700));
  }

  @Test
  @Guarantee("L50")
  void a_wait_ends_on_cancellation() {
    hold("key");
    CancellationSource token = new CancellationSource();
    CancellationSource acquireToken = new CancellationSource();
    WithLockOptions options = retrying(PATIENT);

    Future<LockException> first = start(() -> aborted(locks.cancelledBy(token), options));
    time.awaitParked(1);
    token.cancel();
    assertThat(join(first).code()).isEqualTo(ErrorCode.ABORTED);

    Future<LockException> second =
        start(() -> aborted(locks, options.withAcquireCancellation(acquireToken)));
    time.awaitParked(1);
    acquireToken.cancel();
    assertThat(join(second).code()).isEqualTo(ErrorCode.ABORTED);
    assertThat(otherProcess().operator().inspect("key").waiters()).isEmpty();
  }

  @Test
  @Guarantee("L50")
  void a_wait_ends_on_interrupt_and_the_flag_stays_set() {
    hold("key");
    Thread[] thread = new Thread[1];
    Future<Boolean> waiting =
        start(
            () -> {
              thread[0] = Thread.currentThread();
              aborted(locks, retrying(PATIENT));
              return Thread.interrupted();
            });
    time.awaitParked(1);

    thread[0].interrupt();

    assertThat(join(waiting)).isTrue();
  }

  private LockException aborted(LockService on, WithLockOptions options) {
    return failing(ErrorCode.ABORTED, () -> on.withLock("key", options, lock -> 1));
  }

  private void hold(String key) {
    granted(otherProcess().acquire(key, Duration.ofDays(1000)));
  }

  private void timesOut(LockRetry retry) {
    LockException seen =
        failing(
            ErrorCode.ACQUISITION_TIMEOUT,
            () -> leaping.withLock("key", retrying(retry), lock -> 1));
    assertThat(seen.key()).isEqualTo("key");
  }

  private List<Duration> manyPauses(Jitter jitter) {
    LockRetry retry =
        PATIENT.withDelay(Duration.ofSeconds(1)).with(Backoff.FIXED, jitter).withMaxRetries(60);
    timesOut(retry);
    return new ArrayList<>(leaps.takePauses());
  }

  private static WithLockOptions retrying(LockRetry retry) {
    return WithLockOptions.DEFAULTS.withRetry(retry);
  }

  private static long live(Acquired holder) {
    return holder.expiresAt().toEpochMilli() + 1000;
  }
}
