package io.holdfast.testkit.lock.beyond;

import static io.holdfast.testkit.lock.beyond.Stage.KEEPER;
import static io.holdfast.testkit.lock.beyond.Stage.eventually;
import static io.holdfast.testkit.lock.beyond.Stage.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockService;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A lock that is kept is renewed every third of its ttl, whatever else its store has to do, until
 * it is released or its locks are closed. What happens when that fails is {@link LostLockContract}.
 */
@SuppressWarnings("NullAway.Init") // made before each test
public abstract class RenewingLockContract {
  private static final Duration TTL = Duration.ofSeconds(3);

  private final ManualTime time = new ManualTime();
  private final List<LossReason> losses = new CopyOnWriteArrayList<>();
  private final AtomicInteger busyAnswers = new AtomicInteger();
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
  @Guarantee("L69")
  void a_renewed_lease_outlives_its_ttl() {
    Acquired held = keep("job");

    stage.pass(10_000, 100, KEEPER);

    assertThat(held.isHeld()).isTrue();
    assertThat(held.expiresAt()).isAfter(Instant.ofEpochMilli(time.nowMs()));
    assertThat(others.acquire("job", TTL).ok()).isFalse();
    assertThat(others.lookup("job").orElseThrow().fence()).isEqualTo(held.fence());
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("L69")
  void a_lease_is_renewed_every_third_of_its_ttl() {
    keep("job");

    stage.pass(9000, 100, KEEPER);

    assertThat(stage.store.batches.get()).isBetween(9, 10);
  }

  @Test
  @Guarantee("L69")
  void leases_that_are_due_together_share_one_call() {
    for (int i = 0; i < 50; i++) {
      keep("job-" + i);
    }

    stage.pass(9000, 100, KEEPER);

    assertThat(stage.store.batches.get()).isBetween(9, 10);
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("L69")
  void keeping_that_starts_late_still_renews_in_time() {
    Acquired held = take(locks, "job", TTL);
    time.advanceMs(2000);

    held.keep(losses::add);
    stage.pass(10_000, 100, KEEPER);

    assertThat(losses).isEmpty();
    assertThat(held.isHeld()).isTrue();
  }

  @Test
  @Guarantee("L69")
  void a_released_lease_is_not_renewed_any_more() {
    Acquired held = keep("job");
    stage.pass(1500, 100, KEEPER);
    int renewals = stage.store.batches.get();

    held.release();
    stage.pass(10_000, 100, KEEPER);

    assertThat(stage.store.batches.get()).isEqualTo(renewals);
    assertThat(held.isHeld()).isFalse();
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("L69")
  void a_ttl_below_100_ms_cannot_be_renewed() {
    Acquired brief = take(locks, "brief", Duration.ofMillis(99));

    Stage.fails(ErrorCode.INVALID_ARGUMENT, brief::keep);

    WithLockOptions options = WithLockOptions.DEFAULTS.renewing().withTtl(Duration.ofMillis(99));
    Stage.fails(ErrorCode.INVALID_ARGUMENT, () -> locks.withLock("with", options, lock -> "ran"));
    assertThat(locks.isLocked("with")).isFalse();

    assertThat(take(locks, "enough", Duration.ofMillis(100)).keep().isHeld()).isTrue();
  }

  @Test
  @Guarantee("LF7")
  void the_deadline_of_the_longest_lease_saturates() {
    Acquired held = take(locks, "job", Duration.ofMillis(LockTtl.MAX_MILLIS)).keep(losses::add);
    assertThat(held.isHeld()).isTrue();

    stage.pass(Duration.ofDays(30 * 365).toMillis(), Duration.ofDays(365).toMillis(), KEEPER);

    assertThat(held.isHeld()).isTrue();
    assertThat(losses).isEmpty();
    assertThat(held.release().ok()).isTrue();
  }

  @Test
  @Guarantee("LF14")
  void a_lease_that_something_else_works_on_is_renewed_alone() {
    Acquired busy = keep("busy");
    Acquired other = keep("other");
    stage.store.onExtendMany = (all, real) -> answeringBusy(busy, all);

    for (int step = 0; step < 100; step++) {
      int before = busyAnswers.get();
      stage.pass(100, 100, KEEPER);
      if (busyAnswers.get() > before) {
        Instant renewed = Instant.ofEpochMilli(time.nowMs()).plus(TTL);
        eventually(() -> busy.expiresAt().equals(renewed), "renewed alone");
      }
    }

    assertThat(busyAnswers.get()).isBetween(9, 11);
    assertThat(stage.store.singles.get()).isEqualTo(busyAnswers.get());
    assertThat(busy.isHeld()).isTrue();
    assertThat(other.isHeld()).isTrue();
    assertThat(losses).isEmpty();
  }

  @Test
  @Guarantee("LF14")
  void a_lease_that_stays_busy_does_not_hold_up_the_others() {
    CountDownLatch gate = stage.gate();
    List<LossReason> busyLosses = new CopyOnWriteArrayList<>();
    Acquired busy = take(locks, "busy", TTL).keep(busyLosses::add);
    List<Acquired> rest = List.of(keep("a"), keep("b"), keep("c"));
    stage.store.onExtendMany = (all, real) -> answeringBusy(busy, all);
    stage.store.onExtend =
        (id, real) -> {
          Stage.hang(gate);
          return real.get();
        };

    stage.pass(10_000, 100, KEEPER);

    assertThat(rest).allMatch(Acquired::isHeld);
    assertThat(losses).isEmpty();
    eventually(() -> busyLosses.equals(List.of(LossReason.DEADLINE)), "the busy one is told");
  }

  @Test
  @Guarantee("L69")
  void closing_the_locks_releases_what_they_keep() {
    List<Acquired> kept = List.of(keep("a"), keep("b"), keep("c"));
    take(locks, "not kept", TTL);

    locks.close();

    assertThat(kept).noneMatch(Acquired::isHeld);
    assertThat(List.of("a", "b", "c")).noneMatch(others::isLocked);
    assertThat(others.isLocked("not kept")).isTrue();
  }

  @Test
  @Guarantee("L69")
  void closing_the_locks_releases_what_they_keep_also_with_a_limit_for_closing_handles() {
    LockTimeouts limited =
        new LockTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      LockService brief = stage.process(Stage.OPTIONS.withTimeouts(limited));
      String key = "job-" + i;
      take(brief, key, TTL).keep();

      brief.close();

      assertThat(others.isLocked(key)).isFalse();
    }
  }

  @Test
  @Guarantee("L57")
  void a_handle_with_a_limit_for_closing_can_be_closed_after_its_locks() {
    LockTimeouts limited =
        new LockTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(1));
    LockService brief = stage.process(Stage.OPTIONS.withTimeouts(limited));
    Acquired held = take(brief, "job", TTL);
    brief.close();

    held.close();

    assertThat(others.isLocked("job")).isFalse();
  }

  @Test
  @Guarantee("L69")
  void closing_the_locks_waits_two_seconds_for_a_release_that_hangs() {
    CountDownLatch gate = stage.gate();
    keep("job");
    stage.store.onRelease =
        (id, real) -> {
          Stage.hang(gate);
          return real.get();
        };

    long startNanos = System.nanoTime();
    locks.close();

    assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
        .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(4));
  }

  @Test
  @Guarantee("L69")
  void a_released_lock_is_forgotten() {
    WeakReference<Acquired> released = new WeakReference<>(keep("job"));
    Acquired held = released.get();
    if (held != null) {
      held.release();
    }
    held = null;

    eventually(
        () -> {
          System.gc();
          return released.get() == null;
        },
        "a lock that was kept and released can be collected");
  }

  /** Renews all but {@code busy}. */
  private List<Renewal> answeringBusy(Acquired busy, List<LockStore.Extend> all) {
    return all.stream()
        .map(
            one ->
                one.id().text().equals(busy.lockId())
                    ? sayBusy()
                    : stage.store.real.extendMany(List.of(one), LockCall.plain()).get(0))
        .toList();
  }

  private Renewal sayBusy() {
    busyAnswers.incrementAndGet();
    return Renewal.refused(Renewal.Status.BUSY);
  }

  private Acquired keep(String key) {
    return take(locks, key, TTL).keep(losses::add);
  }
}
