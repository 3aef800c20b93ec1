package io.holdfast.lease;

import static io.holdfast.lease.HandClock.eventually;
import static io.holdfast.lease.KeeperScene.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a lease is lost: by an answer or by its deadline, once and for good. */
@Timeout(60)
class LeaseKeeperLossTest {
  /** The deadline of a lease of {@link KeeperScene#TTL}. */
  private static final long DEADLINE_MS = 2700;

  private final KeeperScene scene = new KeeperScene();
  private final KeeperScene.Ears ears = new KeeperScene.Ears();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void an_answer_that_it_is_not_held_is_a_loss() {
    KeeperScene.Ears other = new KeeperScene.Ears();
    KeptLease gone = scene.keep("gone", TTL, ears);
    KeptLease expired = scene.keep("expired", TTL, other);
    scene.answer =
        name ->
            Renewal.refused(
                name.equals("gone") ? Renewal.Status.NOT_FOUND : Renewal.Status.EXPIRED);

    scene.run(1, 1000);

    assertThat(gone.isHeld()).isFalse();
    assertThat(gone.lossReason()).isEqualTo(LossReason.NOT_FOUND);
    assertThat(expired.lossReason()).isEqualTo(LossReason.EXPIRED);
    eventually(() -> ears.losses.equals(List.of(LossReason.NOT_FOUND)));
    eventually(() -> other.losses.equals(List.of(LossReason.EXPIRED)));
    assertThat(scene.keeper.size()).isZero();
  }

  @Test
  void an_error_is_repeated_until_the_deadline_and_then_lost_once() {
    KeptLease lease = scene.keep("a", TTL, ears);
    scene.answer = KeeperScene::fail;

    scene.run(1, DEADLINE_MS - 1);
    int tries = scene.batches.size();
    assertThat(lease.isHeld()).isTrue();
    assertThat(tries).isBetween(3, 20);
    assertThat(ears.losses).isEmpty();

    scene.run(DEADLINE_MS, 9000);
    assertThat(lease.isHeld()).isFalse();
    eventually(() -> !ears.losses.isEmpty());
    assertThat(ears.losses).containsExactly(LossReason.DEADLINE);
    assertThat(scene.batches).hasSizeLessThanOrEqualTo(tries + 1);
  }

  @Test
  void errors_of_a_long_lease_are_repeated_at_a_pace() {
    scene.keep("a", Duration.ofSeconds(30), ears);
    scene.answer = KeeperScene::fail;
    scene.run(1, 10_000);
    int tries = scene.batches.size();

    for (int i = 0; i < 50; i++) {
      scene.step();
    }

    assertThat(scene.batches).hasSize(tries);
    scene.run(10_001, 29_000);
    assertThat(scene.batches.size()).isBetween(10, 40);
  }

  @Test
  void an_error_before_a_success_is_forgotten() {
    KeptLease lease = scene.keep("a", TTL, ears);

    scene.answer = KeeperScene::fail;
    scene.run(1, 2000);
    scene.answer = name -> Renewal.until(1);
    scene.run(2001, 9000);

    assertThat(lease.isHeld()).isTrue();
    assertThat(ears.losses).isEmpty();
  }

  @Test
  void a_renewal_counts_from_when_it_was_asked() {
    KeptLease lease = scene.keep("a", TTL, ears);
    scene.answer =
        name -> {
          scene.clock.to(2000);
          return Renewal.until(1);
        };
    scene.run(1, 1000);
    scene.answer = KeeperScene::fail;

    scene.clock.to(1000 + DEADLINE_MS - 1);
    assertThat(lease.isHeld()).isTrue();
    scene.clock.to(1000 + DEADLINE_MS);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void a_renewal_that_hangs_does_not_keep_the_deadline_from_being_announced()
      throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    KeptLease lease = scene.keep("a", TTL, ears);
    Thread renewing = renewHanging(gate, Renewal.until(1));

    scene.clock.to(DEADLINE_MS);
    assertThat(scene.keeper.deadlines().work()).isEqualTo(1);

    assertThat(lease.lossReason()).isEqualTo(LossReason.DEADLINE);
    eventually(() -> ears.losses.size() == 1);
    gate.countDown();
    renewing.join();
  }

  @Test
  void a_success_after_the_announced_loss_changes_nothing() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    KeptLease lease = scene.keep("a", TTL, ears);
    Thread renewing = renewHanging(gate, Renewal.until(1));
    scene.clock.to(DEADLINE_MS);
    scene.keeper.deadlines().work();

    gate.countDown();
    renewing.join();
    scene.run(DEADLINE_MS + 1, 9000);

    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.lossReason()).isEqualTo(LossReason.DEADLINE);
    assertThat(ears.renewals).isEmpty();
    eventually(() -> ears.losses.equals(List.of(LossReason.DEADLINE)));
    assertThat(scene.batches).hasSize(1);
  }

  @Test
  void a_success_after_the_deadline_is_a_loss_although_nobody_has_announced_it() {
    KeptLease lease = scene.keep("a", TTL, ears);
    scene.answer =
        name -> {
          scene.clock.to(DEADLINE_MS);
          assertThat(lease.isHeld()).isFalse();
          return Renewal.until(1);
        };

    scene.clock.to(1000);
    scene.step();

    assertThat(lease.isHeld()).isFalse();
    eventually(() -> ears.losses.equals(List.of(LossReason.DEADLINE)));
    assertThat(ears.renewals).isEmpty();
  }

  @Test
  void a_process_that_was_stopped_past_the_deadline_does_not_renew_when_it_goes_on() {
    KeptLease lease = scene.keep("a", TTL, ears);

    scene.clock.to(3500);
    assertThat(lease.isHeld()).isFalse();
    scene.step();

    assertThat(lease.isHeld()).isFalse();
    eventually(() -> ears.losses.equals(List.of(LossReason.DEADLINE)));
  }

  @Test
  void an_answer_after_the_end_is_not_a_loss() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    KeptLease lease = scene.keep("a", TTL, ears);
    Thread renewing = renewHanging(gate, Renewal.refused(Renewal.Status.NOT_FOUND));

    scene.keeper.end(lease);
    gate.countDown();
    renewing.join();
    scene.run(1001, 9000);

    assertThat(lease.lossReason()).isNull();
    assertThat(ears.losses).isEmpty();
  }

  @Test
  void a_listener_is_told_on_a_thread_of_its_own_and_may_fail() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    KeptLease.Listener failing =
        new KeptLease.Listener() {
          @Override
          public void renewed(long expiresAtMs) {}

          @Override
          public void lost(LossReason reason) {
            thread.set(Thread.currentThread());
            throw new IllegalStateException("a listener that fails");
          }
        };
    scene.keep("a", TTL, failing);
    KeptLease other = scene.keep("other", TTL, ears);
    scene.answer =
        name -> name.equals("a") ? Renewal.refused(Renewal.Status.NOT_FOUND) : Renewal.until(1);

    scene.run(1, 9000);

    eventually(() -> thread.get() != null);
    assertThat(thread.get()).isNotSameAs(Thread.currentThread());
    assertThat(other.isHeld()).isTrue();
  }

  @Test
  void a_renewal_listener_that_fails_does_not_cost_the_lease() {
    KeptLease.Listener failing =
        new KeptLease.Listener() {
          @Override
          public void renewed(long expiresAtMs) {
            throw new IllegalStateException("a listener that fails");
          }

          @Override
          public void lost(LossReason reason) {}
        };
    KeptLease lease = scene.keep("a", TTL, failing);

    scene.run(1, 9000);

    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_huge_ttl_neither_overflows_nor_is_lost() {
    KeptLease lease = scene.keep("a", Duration.ofMillis(9_000_000_000_000_000L), ears);

    assertThat(scene.keeper.deadlines().dueNanos()).isPositive();
    scene.clock.to(Duration.ofDays(20 * 365).toMillis());
    scene.step();

    assertThat(lease.isHeld()).isTrue();
    assertThat(scene.batches).isEmpty();
  }

  /** Lets a renewal start at 1000 ms and hang until {@code gate} opens. */
  private Thread renewHanging(CountDownLatch gate, Renewal answer) {
    scene.answer =
        name -> {
          LeaseKeeperTest.await(gate);
          return answer;
        };
    scene.clock.to(1000);
    Thread renewing = Background.daemon("renewing", () -> scene.keeper.renewals().work());
    renewing.start();
    eventually(() -> scene.batches.size() == 1);
    return renewing;
  }
}
