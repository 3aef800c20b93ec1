package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.KEEPER;
import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockService;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The loss of a kept lock is noticed and signalled once, before the lease ends, and for good. What
 * the work under the lock sees of it is {@link LostWorkContract}.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class LostLockContract {
  private static final Duration TTL = Duration.ofSeconds(3);

  /** Until when a lease of {@link #TTL} may be relied on after the last renewal was asked for. */
  private static final long TRUST_MS = 2700;

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
  @Guarantee("L70")
  void without_renewals_the_loss_is_signalled_at_the_deadline_before_the_lease_ends() {
    List<Instant> told = new CopyOnWriteArrayList<>();
    Acquired held =
        take(locks, "job", TTL).keep(reason -> told.add(Instant.ofEpochMilli(time.nowMs())));
    Instant end = held.expiresAt();
    stage.store.failRenewals();

    stage.pass(TRUST_MS - 1, 100, KEEPER);
    assertThat(held.isHeld()).isTrue();
    assertThat(told).isEmpty();

    time.advanceMs(1);
    assertThat(held.isHeld()).isFalse();
    eventually(() -> !told.isEmpty(), "the loss is signalled");
    assertThat(told).allMatch(at -> at.isBefore(end));
  }

  @Test
  @Guarantee("L70")
  void the_deadline_of_a_long_lease_is_one_second_before_its_end() {
    Acquired held = take(locks, "job", Duration.ofSeconds(30)).keep(losses::add);
    stage.store.failRenewals();

    stage.pass(28_999, 500, KEEPER);
    assertThat(held.isHeld()).isTrue();

    time.advanceMs(1);
    assertThat(held.isHeld()).isFalse();
    eventually(() -> losses.equals(List.of(LossReason.DEADLINE)), "the loss is signalled");
  }

  @Test
  @Guarantee("L70")
  void a_loss_is_signalled_once() {
    Acquired held = keep("job");
    stage.store.failRenewals();

    stage.pass(TRUST_MS, 100, KEEPER);
    eventually(() -> !losses.isEmpty(), "the loss is signalled");
    stage.store.healRenewals();
    stage.pass(10_000, 100, KEEPER);
    held.close();

    assertThat(losses).containsExactly(LossReason.DEADLINE);
    assertThat(held.lossReason()).isEqualTo(LossReason.DEADLINE);
  }

  @Test
  @Guarantee("L70")
  void a_renewal_that_hangs_does_not_delay_the_loss_signal() {
    CountDownLatch gate = stage.gate();
    Acquired held = keep("job");
    stage.clock.awaitIdle(KEEPER);
    stage.store.onExtendMany =
        (all, real) -> {
          Stage.hang(gate);
          return real.get();
        };

    time.advanceMs(1000);
    eventually(() -> stage.store.batches.get() == 1, "the renewal hangs");
    time.advanceMs(TRUST_MS - 1000);

    eventually(() -> losses.equals(List.of(LossReason.DEADLINE)), "the loss is signalled");
    assertThat(held.isHeld()).isFalse();
  }

  @Test
  @Guarantee("L70")
  void a_broken_lock_is_reported_by_the_next_renewal() {
    Acquired held = keep("job");

    assertThat(others.operator().breakLock("job", held.fence())).isTrue();
    stage.pass(1000, 100, KEEPER);

    eventually(() -> losses.equals(List.of(LossReason.NOT_FOUND)), "the loss is signalled");
    Stage.fails(ErrorCode.LEASE_LOST, held::ensureHeld);
  }

  @Test
  @Guarantee("L70")
  void a_lease_that_ended_on_the_database_clock_is_reported_as_expired() {
    Acquired held = keep("job");

    time.stepDatabase(4000);
    stage.pass(1000, 100, KEEPER);

    eventually(() -> losses.equals(List.of(LossReason.EXPIRED)), "the loss is signalled");
    assertThat(held.isHeld()).isFalse();
  }

  @Test
  @Guarantee("L70")
  void errors_are_repeated_and_forgotten_when_a_renewal_succeeds_in_time() {
    Acquired held = keep("job");

    stage.store.failRenewals();
    stage.pass(2000, 100, KEEPER);
    stage.store.healRenewals();
    stage.pass(10_000, 100, KEEPER);

    assertThat(held.isHeld()).isTrue();
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("L70")
  void trust_counts_from_when_a_renewal_was_asked_for() {
    Acquired held = keep("job");
    stage.clock.awaitIdle(KEEPER);
    stage.store.onExtendMany =
        (all, real) -> {
          List<Renewal> answers = real.get();
          stage.store.failRenewals();
          time.advanceMs(1500);
          return answers;
        };

    time.advanceMs(1000);
    eventually(() -> time.nanos() == 2_500_000_000L, "the answer took 1500 ms");
    stage.pass(1000 + TRUST_MS - 2500 - 1, 100, KEEPER);
    assertThat(held.isHeld()).isTrue();

    time.advanceMs(1);
    assertThat(held.isHeld()).isFalse();
  }

  @Test
  @Guarantee("L70")
  void a_holder_who_shortens_a_kept_lease_is_renewed_or_told_before_it_ends() {
    Acquired held = take(locks, "job", Duration.ofSeconds(30)).keep(losses::add);
    stage.pass(11_000, 500, KEEPER);

    assertThat(held.extend(Duration.ofSeconds(2)).ok()).isTrue();
    stage.pass(2000, 50, KEEPER);

    boolean renewed = others.owns(held.lockId()) && held.isHeld();
    if (!renewed) {
      eventually(() -> losses.size() == 1, "the loss is signalled before the lease ends");
    }
  }

  @Test
  @Guarantee("L70")
  void a_slow_loss_callback_does_not_hold_up_other_leases() {
    CountDownLatch gate = stage.gate();
    Acquired lost = take(locks, "lost", TTL).keep(reason -> Stage.hang(gate));
    Acquired good = keep("good");

    assertThat(others.operator().breakLock("lost", lost.fence())).isTrue();
    stage.pass(10_000, 100, KEEPER);

    assertThat(lost.isHeld()).isFalse();
    assertThat(good.isHeld()).isTrue();
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("L70")
  void a_lost_lease_is_released_once_for_the_next_holder() {
    Acquired held =
        take(locks, "job", TTL)
            .keep(
                reason -> {
                  throw new IllegalStateException("a callback that fails");
                });
    stage.store.failRenewals();

    stage.pass(TRUST_MS, 100, KEEPER);

    eventually(() -> !others.isLocked("job"), "the key is free before the lease would have ended");
    assertThat(time.nowMs()).isLessThan(held.expiresAt().toEpochMilli());
    stage.pass(5000, 100, KEEPER);
    assertThat(stage.store.releasesOf(held.lockId())).isEqualTo(1);
  }

  @Test
  @Guarantee("L71")
  void a_lost_handle_stays_lost_although_the_lease_is_extended_again() {
    Acquired held = keep("job");
    stage.store.onRelease = (id, real) -> SwitchedStore.away();
    stage.store.failRenewals();
    stage.pass(TRUST_MS, 100, KEEPER);
    eventually(() -> stage.store.releasesOf(held.lockId()) == 1, "lost, and not released");

    stage.store.healRenewals();
    assertThat(held.extend(TTL).ok()).isTrue();
    assertThat(held.keep().isHeld()).isFalse();
    stage.pass(2000, 100, KEEPER);

    assertThat(held.isHeld()).isFalse();
    Stage.fails(ErrorCode.LEASE_LOST, held::ensureHeld);
    assertThat(losses).containsExactly(LossReason.DEADLINE);
  }

  @Test
  @Guarantee("L71")
  void a_renewal_answered_after_the_deadline_does_not_revive_the_lease() {
    Acquired held = keep("job");
    stage.clock.awaitIdle(KEEPER);
    stage.store.onExtendMany =
        (all, real) -> {
          List<Renewal> answers = real.get();
          time.advanceMs(TRUST_MS - 1000);
          return answers;
        };

    time.advanceMs(1000);

    eventually(() -> losses.equals(List.of(LossReason.DEADLINE)), "the loss is signalled");
    assertThat(held.isHeld()).isFalse();
  }

  private Acquired keep(String key) {
    return take(locks, key, TTL).keep(losses::add);
  }
}
