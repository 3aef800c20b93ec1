package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.KEEPER;
import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.LossReason;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockService;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What work under a lock sees of its loss: an interrupt if it asked for one, though never after the
 * work is over, and the truth at its first question however long its process was paused.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class LostWorkContract {
  private static final Duration TTL = Duration.ofSeconds(3);

  /** Until when a lease of {@link #TTL} may be relied on after the last renewal was asked for. */
  private static final long TRUST_MS = 2700;

  private static final WithLockOptions INTERRUPTING =
      WithLockOptions.DEFAULTS.withTtl(TTL).interruptingOnLoss();

  private final ManualTime time = new ManualTime();
  private final List<LossReason> losses = new CopyOnWriteArrayList<>();
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
  @Guarantee({"L70", "LF9"})
  void a_loss_interrupts_the_owning_thread_if_asked_to() {
    CountDownLatch started = new CountDownLatch(1);
    Future<String> work =
        stage.start(
            () -> locks.withLock("job", INTERRUPTING, lock -> waitForInterrupt(lock, started)));
    Stage.pass(started);

    assertThat(others.operator().breakLock("job", new Fence(1))).isTrue();
    stage.pass(1000, 100, KEEPER);

    assertThat(Stage.result(work)).isEqualTo("interrupted, held: false");
  }

  @Test
  @Guarantee("LF9")
  void a_loss_that_races_the_end_of_the_work_never_interrupts_what_comes_after() {
    for (int round = 0; round < 60; round++) {
      int spins = 40 * round;

      locks.withLock(
          "job",
          INTERRUPTING,
          lock -> {
            stage.clock.awaitIdle(KEEPER);
            others.operator().breakLock("job", lock.fence());
            time.advanceMs(1000);
            for (int i = 0; i < spins; i++) {
              Thread.onSpinWait();
            }
            return "done";
          });

      assertThat(Thread.currentThread().isInterrupted()).as("right after").isFalse();
      stage.clock.awaitIdle(KEEPER);
      assertThat(Thread.interrupted()).as("and later").isFalse();
    }
  }

  @Test
  @Guarantee("LF9")
  void a_lost_and_closed_handle_never_interrupts() {
    Acquired held = keep("job");
    others.operator().breakLock("job", held.fence());
    stage.pass(1000, 100, KEEPER);
    eventually(() -> losses.size() == 1, "the loss is signalled");

    held.close();
    held.keepInterrupting();

    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  @Guarantee("LF9")
  void an_interrupt_that_is_not_about_the_loss_is_kept() {
    locks.withLock(
        "job",
        INTERRUPTING,
        lock -> {
          Thread.currentThread().interrupt();
          return "done";
        });

    assertThat(Thread.interrupted()).isTrue();
    assertThat(others.isLocked("job")).isFalse();
  }

  @Test
  @Guarantee("L70")
  void work_that_returns_after_the_loss_fails_if_asked_to() {
    WithLockOptions failing = WithLockOptions.DEFAULTS.withTtl(TTL).renewing().failingIfLost();

    Stage.fails(
        ErrorCode.LEASE_LOST,
        () ->
            locks.withLock(
                "job",
                failing,
                lock -> {
                  others.operator().breakLock("job", lock.fence());
                  stage.pass(1000, 100, KEEPER);
                  return "done";
                }));

    String inTime = locks.withLock("job", failing, lock -> "in time");
    assertThat(inTime).isEqualTo("in time");
  }

  @Test
  @Guarantee("LF12")
  void a_holder_paused_past_its_ttl_knows_at_the_first_question() {
    for (int round = 0; round < 20; round++) {
      List<LossReason> told = new CopyOnWriteArrayList<>();
      Acquired held = take(locks, "job-" + round, TTL).keep(told::add);
      stage.clock.awaitIdle(KEEPER);

      stage.clock.pause();
      time.advanceMs(TTL.toMillis() + 500);
      assertThat(held.isHeld()).isFalse();
      Stage.fails(ErrorCode.LEASE_LOST, held::ensureHeld);
      stage.clock.resume();

      eventually(() -> told.size() == 1, "the loss is signalled");
      assertThat(held.isHeld()).isFalse();
      held.close();
    }
  }

  @Test
  @Guarantee("LF12")
  void a_holder_without_renewal_does_not_trust_its_lease_to_the_end() {
    Acquired held = take(locks, "job", TTL);

    time.advanceMs(TRUST_MS - 1);
    assertThat(held.isHeld()).isTrue();
    time.advanceMs(1);
    assertThat(held.isHeld()).isFalse();
    Stage.fails(ErrorCode.LEASE_LOST, held::ensureHeld);
  }

  private Acquired keep(String key) {
    return take(locks, key, TTL).keep(losses::add);
  }

  private static String waitForInterrupt(Acquired lock, CountDownLatch started) {
    started.countDown();
    try {
      return "not interrupted: " + new CountDownLatch(1).await(Waits.LIMIT_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      return "interrupted, held: " + lock.isHeld();
    }
  }
}
