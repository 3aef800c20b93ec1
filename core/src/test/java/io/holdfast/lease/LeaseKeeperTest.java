package io.holdfast.lease;

import static io.holdfast.lease.HandClock.eventually;
import static io.holdfast.lease.KeeperScene.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How leases are renewed: when, together with whom, and over which reserve. */
@Timeout(60)
class LeaseKeeperTest {
  private final KeeperScene scene = new KeeperScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_lease_is_renewed_every_third_of_its_ttl() {
    KeptLease lease = scene.keep("a");

    scene.clock.to(800);
    scene.step();
    assertThat(scene.batches).isEmpty();
    scene.run(801, 9000);

    assertThat(scene.batches).hasSize(9);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_renewal_is_told_to_the_listener() {
    KeeperScene.Ears ears = new KeeperScene.Ears();
    scene.keep("a", TTL, ears);
    scene.answer = name -> Renewal.until(4711);

    scene.run(1, 1000);

    assertThat(ears.renewals).containsExactly(4711L);
    assertThat(ears.losses).isEmpty();
  }

  @Test
  void leases_due_about_the_same_time_share_one_call() {
    scene.keep("a");
    scene.clock.to(50);
    scene.keep("b");

    scene.run(51, 1000);

    assertThat(scene.batches).hasSize(1);
    assertThat(scene.batches.get(0)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void a_thousand_leases_kept_at_once_need_at_most_20_calls_per_period() {
    for (int i = 0; i < 1000; i++) {
      scene.keep("lease-" + i);
    }

    scene.run(1, 1000);

    assertThat(scene.batches.size()).isLessThanOrEqualTo(20);
    assertThat(renewed()).hasSize(1000);
  }

  @Test
  void a_thousand_leases_kept_over_time_need_at_most_20_calls_per_period() {
    Duration ttl = Duration.ofSeconds(30);
    for (int i = 0; i < 1000; i++) {
      scene.clock.to(10L * i);
      scene.keep("lease-" + i, ttl, new KeeperScene.Ears());
    }

    scene.run(9990, 15_000);
    scene.batches.clear();
    scene.run(15_001, 25_000);

    assertThat(scene.batches.size()).isLessThanOrEqualTo(20);
    assertThat(renewed()).hasSize(1000);
  }

  @Test
  void a_lease_kept_late_is_renewed_before_its_deadline() {
    scene.clock.to(2000);
    KeptLease lease = scene.keep("late", TTL, new KeeperScene.Ears(), 0);

    scene.run(2000, 9000);

    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_busy_lease_is_renewed_alone() {
    KeeperScene.Ears ears = new KeeperScene.Ears();
    KeptLease busy = scene.keep("busy", TTL, ears);
    scene.keep("other");
    scene.answer = name -> name.equals("busy") ? busy() : Renewal.until(1);

    scene.run(1, 1000);
    eventually(() -> ears.renewals.size() == 1);

    assertThat(scene.alone).containsExactly("busy");
    scene.clock.to(2700);
    scene.keeper.deadlines().work();
    assertThat(busy.isHeld()).isTrue();
  }

  @Test
  void a_lease_busy_for_long_does_not_hold_up_the_others() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    KeeperScene.Ears ears = new KeeperScene.Ears();
    scene.keep("busy", TTL, ears);
    KeptLease other = scene.keep("other");
    scene.answer = name -> name.equals("busy") ? busy() : Renewal.until(1);
    scene.answerAlone =
        name -> {
          await(gate);
          return Renewal.until(1);
        };

    scene.run(1, 9000);

    assertThat(other.isHeld()).isTrue();
    eventually(() -> ears.losses.equals(List.of(LossReason.DEADLINE)));
    assertThat(scene.alone).containsExactly("busy");
    gate.countDown();
  }

  @Test
  void a_lease_that_is_ended_is_not_renewed() {
    KeptLease lease = scene.keep("a");

    scene.keeper.end(lease);
    scene.run(1, 5000);

    assertThat(scene.batches).isEmpty();
    assertThat(scene.keeper.size()).isZero();
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.lossReason()).isNull();
  }

  @Test
  void only_a_ttl_of_100_ms_or_more_can_be_kept() {
    assertThat(LeaseKeeper.canKeep(lease(Duration.ofMillis(100)))).isTrue();
    assertThat(LeaseKeeper.canKeep(lease(Duration.ofMillis(99)))).isFalse();
  }

  @Test
  void the_reserve_is_taken_with_the_first_lease_and_given_back_with_the_last() {
    assertThat(scene.reserve).isEmpty();
    KeptLease first = scene.keep("a");
    scene.step();
    KeptLease second = scene.keep("b");
    scene.step();
    assertThat(scene.reserve).containsExactly("take");

    scene.keeper.end(first);
    scene.step();
    assertThat(scene.reserve).containsExactly("take");

    scene.keeper.end(second);
    scene.step();
    assertThat(scene.reserve).containsExactly("take", "give back");

    scene.keep("c");
    scene.step();
    assertThat(scene.reserve).containsExactly("take", "give back", "take");
  }

  @Test
  void a_reserve_that_could_not_be_taken_is_taken_later_and_renewals_go_on() {
    scene.failingTakes.set(2);
    KeptLease lease = scene.keep("a");

    scene.run(1, 4000);

    assertThat(scene.reserve).containsExactly("take", "take", "take");
    assertThat(lease.isHeld()).isTrue();
    scene.keeper.end(lease);
    scene.step();
    assertThat(scene.reserve).endsWith("take", "give back");
  }

  @Test
  void a_reserve_that_was_never_taken_is_not_given_back() {
    scene.failingTakes.set(1);
    KeptLease lease = scene.keep("a");
    scene.step();

    scene.keeper.end(lease);
    scene.step();

    assertThat(scene.reserve).containsExactly("take");
  }

  @Test
  void the_reserve_is_given_back_when_the_last_lease_is_lost() {
    scene.keep("a");
    scene.answer = name -> Renewal.refused(Renewal.Status.NOT_FOUND);

    scene.run(1, 1000);
    scene.step();

    assertThat(scene.reserve).containsExactly("take", "give back");
  }

  @Test
  void closing_gives_the_reserve_back_and_announces_nothing() {
    KeeperScene.Ears ears = new KeeperScene.Ears();
    KeptLease lease = scene.keep("a", TTL, ears);
    scene.step();

    scene.clock.thaw();
    scene.keeper.close();

    assertThat(scene.reserve).containsExactly("take", "give back");
    assertThat(lease.isHeld()).isFalse();
    assertThat(ears.losses).isEmpty();
  }

  @Test
  void closing_does_not_wait_for_a_renewal_that_hangs() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    scene.keep("a");
    scene.answer =
        name -> {
          await(gate);
          return Renewal.until(1);
        };
    scene.clock.to(1000);
    Thread renewing = Background.daemon("renewing", () -> scene.keeper.renewals().work());
    renewing.start();
    eventually(() -> scene.batches.size() == 1);

    Thread closing = Background.daemon("closing", scene::close);
    closing.start();
    closing.join(TimeUnit.SECONDS.toMillis(10));
    boolean closed = !closing.isAlive();
    gate.countDown();

    assertThat(closed).isTrue();
    eventually(() -> scene.reserve.equals(List.of("take", "give back")));
  }

  private Set<String> renewed() {
    Set<String> all = new HashSet<>();
    scene.batches.forEach(all::addAll);
    return all;
  }

  private static Lease lease(Duration ttl) {
    return new Lease(new LeaseKey("test", "a"), new Fence(1), ttl);
  }

  private static Renewal busy() {
    return Renewal.refused(Renewal.Status.BUSY);
  }

  static void await(CountDownLatch gate) {
    try {
      assertThat(gate.await(50, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
