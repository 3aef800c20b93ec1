package io.holdfast.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A keeper whose duties a test steps by hand, over a store that answers as told; its runners stand
 * still. Safe for use by many threads.
 */
final class KeeperScene implements AutoCloseable {
  static final Duration TTL = Duration.ofSeconds(3);

  final HandClock clock = new HandClock();
  final List<List<String>> batches = new CopyOnWriteArrayList<>();
  final List<String> alone = new CopyOnWriteArrayList<>();
  final List<String> reserve = new CopyOnWriteArrayList<>();
  final AtomicInteger failingTakes = new AtomicInteger();
  final LeaseKeeper keeper = new LeaseKeeper(clock, new Store(), new Spare());

  volatile Function<String, Renewal> answer = name -> Renewal.until(clock.nanos());
  volatile Function<String, Renewal> answerAlone = name -> Renewal.until(clock.nanos());

  /** What a holder hears. */
  static final class Ears implements KeptLease.Listener {
    final List<Long> renewals = new CopyOnWriteArrayList<>();
    final List<LossReason> losses = new CopyOnWriteArrayList<>();

    @Override
    public void renewed(long expiresAtMs) {
      renewals.add(expiresAtMs);
    }

    @Override
    public void lost(LossReason reason) {
      losses.add(reason);
    }
  }

  /** Stops the runners for good, once they have nothing more to start with. */
  KeeperScene() {
    KeptLease first = keep("first", Duration.ofDays(1), new Ears());
    clock.awaitParked(2);
    clock.freeze();
    clock.awaitParked(2);
    keeper.end(first);
    keeper.renewals().work();
    reserve.clear();
  }

  KeptLease keep(String name) {
    return keep(name, TTL, new Ears());
  }

  KeptLease keep(String name, Duration ttl, KeptLease.Listener listener) {
    return keep(name, ttl, listener, clock.nanos());
  }

  KeptLease keep(String name, Duration ttl, KeptLease.Listener listener, long requestedNanos) {
    Lease lease = new Lease(new LeaseKey("test", name), new Fence(1), ttl);
    return keeper.keep(lease, new Trust(clock, requestedNanos, ttl.toMillis()), listener);
  }

  /** Both duties, the renewing one first. */
  void step() {
    keeper.renewals().work();
    keeper.deadlines().work();
  }

  /** Moves the clock from {@code fromMs} to {@code toMs}, doing each duty whenever it is due. */
  void run(long fromMs, long toMs) {
    for (long ms = fromMs; ms <= toMs; ms++) {
      clock.to(ms);
      if (isDue(keeper.renewals()) || isDue(keeper.deadlines())) {
        step();
      }
    }
  }

  static Renewal fail(String name) {
    throw new IllegalStateException("the store is away");
  }

  private boolean isDue(Duty duty) {
    return duty.dueNanos() - clock.nanos() <= 0;
  }

  @Override
  public void close() {
    clock.thaw();
    keeper.close();
  }

  private final class Store implements LeaseKeeper.Renewer {
    @Override
    public List<Renewal> renewAll(List<Lease> leases) {
      List<String> names = leases.stream().map(lease -> lease.key().name()).toList();
      batches.add(names);
      List<Renewal> answers = new ArrayList<>();
      names.forEach(name -> answers.add(answer.apply(name)));
      return answers;
    }

    @Override
    public Renewal renewOne(Lease lease) {
      alone.add(lease.key().name());
      return answerAlone.apply(lease.key().name());
    }
  }

  private final class Spare implements Reserve {
    @Override
    public void take() {
      reserve.add("take");
      if (failingTakes.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IllegalStateException("no connection to spare");
      }
    }

    @Override
    public void giveBack() {
      reserve.add("give back");
    }
  }
}
