package io.holdfast.benchmarks;

import io.holdfast.lock.Acquired;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PostgresHoldfast;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** How many statements it takes to keep many leases alive. */
final class Renewals {
  private static final int CALLERS = 8;
  private static final int PERIODS = 2;

  private Renewals() {}

  static Report.Renewing measure(Profile profile, Place place) throws Exception {
    AtomicLong renewals = new AtomicLong();
    try (PostgresHoldfast holdfast =
        PostgresHoldfast.open(
            place.url(),
            HoldfastSubject.options(place)
                .withListener((operation, took, error) -> count(renewals, operation)))) {
      Queue<Acquired> kept = new ConcurrentLinkedQueue<>();
      onAll(
          IntStream.range(0, profile.leases()).boxed().toList(),
          i -> kept.add(keep(holdfast.locks(), "bench:kept:" + i, profile.leaseTtl())));

      // The first period gathers leases that were taken one after the other.
      Duration period = profile.leaseTtl().dividedBy(3);
      OpenLoop.awaitNanos(System.nanoTime() + period.toNanos());
      long before = renewals.get();
      OpenLoop.awaitNanos(System.nanoTime() + period.multipliedBy(PERIODS).toNanos());
      double perPeriod = (double) (renewals.get() - before) / PERIODS;

      int held = (int) kept.stream().filter(Acquired::isHeld).count();
      onAll(List.copyOf(kept), Acquired::release);
      return new Report.Renewing(profile.leases(), held, period.toMillis() / 1e3, perPeriod);
    }
  }

  private static void count(AtomicLong renewals, String operation) {
    if (operation.startsWith("extend")) {
      renewals.incrementAndGet();
    }
  }

  private static Acquired keep(Locks locks, String key, Duration ttl) {
    if (locks.acquire(key, ttl) instanceof Acquired lock) {
      return lock.keep();
    }
    throw new IllegalStateException(key + " should have been free");
  }

  private static <T> void onAll(List<T> things, java.util.function.Consumer<T> work)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      var tasks = things.stream().map(thing -> threads.submit(() -> work.accept(thing))).toList();
      for (var task : tasks) {
        task.get(1, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
