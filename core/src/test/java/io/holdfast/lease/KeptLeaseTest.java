package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeptLeaseTest {
  private final HandClock clock = new HandClock();
  private final List<LossReason> announced = new ArrayList<>();

  @AfterEach
  void leaveNoInterrupt() {
    Thread.interrupted();
  }

  @Test
  void it_is_held_until_its_deadline() {
    KeptLease lease = lease();
    assertThat(lease.isHeld()).isTrue();

    clock.to(2699);
    assertThat(lease.isHeld()).isTrue();
    clock.to(2700);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void a_loss_is_announced_once_and_keeps_its_first_reason() {
    KeptLease lease = lease();

    assertThat(lease.lose(LossReason.NOT_FOUND)).isTrue();
    assertThat(lease.lose(LossReason.DEADLINE)).isFalse();

    assertThat(announced).containsExactly(LossReason.NOT_FOUND);
    assertThat(lease.lossReason()).isEqualTo(LossReason.NOT_FOUND);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void what_was_ended_cannot_be_lost() {
    KeptLease lease = lease();

    lease.end();

    assertThat(lease.lose(LossReason.EXPIRED)).isFalse();
    assertThat(announced).isEmpty();
    assertThat(lease.lossReason()).isNull();
  }

  @Test
  void a_loss_interrupts_the_owner() {
    KeptLease lease = lease();
    lease.interruptOnLoss(Thread.currentThread());

    lease.lose(LossReason.NOT_FOUND);

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void an_owner_that_comes_after_the_loss_is_interrupted_too() {
    KeptLease lease = lease();
    lease.lose(LossReason.NOT_FOUND);

    lease.interruptOnLoss(Thread.currentThread());

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void the_end_takes_back_an_interrupt_that_nobody_noticed() {
    KeptLease lease = lease();
    lease.interruptOnLoss(Thread.currentThread());
    lease.lose(LossReason.NOT_FOUND);

    lease.end();

    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void the_end_keeps_an_interrupt_that_came_from_elsewhere() {
    KeptLease lease = lease();
    lease.interruptOnLoss(Thread.currentThread());
    Thread.currentThread().interrupt();

    lease.end();

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void an_owner_named_after_the_end_is_never_interrupted() {
    KeptLease lost = lease();
    lost.lose(LossReason.NOT_FOUND);
    lost.end();
    lost.interruptOnLoss(Thread.currentThread());
    assertThat(Thread.interrupted()).isFalse();

    KeptLease held = lease();
    held.end();
    held.interruptOnLoss(Thread.currentThread());
    held.lose(LossReason.NOT_FOUND);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void an_interrupt_never_comes_after_the_end_has_returned() {
    int rounds = 50_000;
    AtomicReference<KeptLease> contested = new AtomicReference<>();
    Thread rival = Background.daemon("rival", () -> loseAll(contested, rounds));
    rival.start();

    int late = 0;
    for (int round = 0; round < rounds; round++) {
      KeptLease lease = lease((lost, reason) -> {});
      lease.interruptOnLoss(Thread.currentThread());
      contested.set(lease);
      for (int i = round % 300; i > 0; i--) {
        Thread.onSpinWait(); // so that now one and now the other comes first
      }
      lease.end();
      boolean rightAfter = Thread.interrupted();
      while (contested.get() != null) {
        Thread.yield();
      }
      late += rightAfter || Thread.interrupted() ? 1 : 0;
    }

    assertThat(late).isZero();
  }

  /** Loses each contested lease as soon as it appears, and takes it away afterwards. */
  private static void loseAll(AtomicReference<KeptLease> contested, int rounds) {
    for (int round = 0; round < rounds; round++) {
      KeptLease lease = contested.get();
      while (lease == null) {
        Thread.yield();
        lease = contested.get();
      }
      lease.lose(LossReason.DEADLINE);
      contested.set(null);
    }
  }

  private KeptLease lease() {
    return lease((lease, reason) -> announced.add(reason));
  }

  private KeptLease lease(BiConsumer<KeptLease, LossReason> announce) {
    return new KeptLease(
        new Lease(new LeaseKey("test", "a"), new Fence(1), Duration.ofSeconds(3)),
        new Trust(clock, clock.nanos(), 3000),
        new KeeperScene.Ears(),
        announce);
  }
}
