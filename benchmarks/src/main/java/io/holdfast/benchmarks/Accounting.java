package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Counts what a pair costs, apart from time: round trips as they pass on the wire, and transactions
 * as the server reports them.
 */
final class Accounting {
  private static final int WARM_UP = 10;
  private static final int COUNTED = 20;
  private static final int FEW = 10;
  private static final int MANY = 110;

  private final BenchDatabase database;
  private final Place place;
  private final ServerMeter meter;

  Accounting(BenchDatabase database, Place place, ServerMeter meter) {
    this.database = database;
    this.place = place;
    this.meter = meter;
  }

  Report.Account of(Kind kind) throws Exception {
    RoundTrips roundTrips = roundTrips(kind);
    check(kind, roundTrips);
    // Opening and closing cost the same both times, so the difference is that of the pairs.
    double transactions = (double) (transactions(kind, MANY) - transactions(kind, FEW));
    return new Report.Account(
        kind.title(), roundTrips.acquire, roundTrips.release, transactions / (MANY - FEW));
  }

  private record RoundTrips(double acquire, double release) {}

  private RoundTrips roundTrips(Kind kind) throws Exception {
    try (FarServer server = new FarServer(database, Duration.ZERO);
        Subject subject = kind.open(server.place(place.poolSize()));
        Subject.Caller caller = subject.caller()) {
      pairs(caller, WARM_UP);
      return count(caller, server::roundTrips);
    }
  }

  private static RoundTrips count(Subject.Caller caller, LongSupplier wire) throws Exception {
    long acquires = 0;
    long releases = 0;
    for (int i = 0; i < COUNTED; i++) {
      long before = wire.getAsLong();
      caller.tryAcquire("bench:counted");
      long between = wire.getAsLong();
      caller.release();
      acquires += between - before;
      releases += wire.getAsLong() - between;
    }
    return new RoundTrips((double) acquires / COUNTED, (double) releases / COUNTED);
  }

  /** The two references are defined by their round trips. */
  private static void check(Kind kind, RoundTrips counted) {
    RoundTrips wanted =
        switch (kind) {
          case SYNCGUARD ->
              new RoundTrips(
                  SyncGuardSubject.ACQUIRE_ROUND_TRIPS, SyncGuardSubject.RELEASE_ROUND_TRIPS);
          case HAND_WRITTEN -> new RoundTrips(1, 1);
          default -> counted;
        };
    if (!wanted.equals(counted)) {
      throw new IllegalStateException(
          "%s should make %s and makes %s".formatted(kind.title(), wanted, counted));
    }
  }

  private long transactions(Kind kind, int pairs) throws Exception {
    long before = meter.transactions();
    try (Subject subject = kind.open(place);
        Subject.Caller caller = subject.caller()) {
      pairs(caller, pairs);
    }
    return meter.transactions() - before;
  }

  private static void pairs(Subject.Caller caller, int pairs) throws Exception {
    for (int i = 0; i < pairs; i++) {
      if (!caller.tryAcquire("bench:counted")) {
        throw new IllegalStateException("bench:counted should have been free");
      }
      caller.release();
    }
  }
}
