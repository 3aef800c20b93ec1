package io.holdfast.benchmarks;

import io.holdfast.postgres.LockTables;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a key gets slower with its history: pairs of one caller on one key of tables of its own,
 * in blocks, the first against the last. The machine may have changed in between, so afterwards
 * blocks on the aged tables take turns with first blocks on fresh ones.
 */
final class Ageing {
  private static final String KEY = "bench:aged";
  private static final String TABLES =
      """
      SELECT coalesce(sum(n_dead_tup), 0), coalesce(sum(autovacuum_count), 0),
             coalesce(sum(pg_total_relation_size(relid)), 0)
        FROM pg_stat_user_tables WHERE relname LIKE 'bench\\_aged\\_%'
      """;

  private final Profile profile;
  private final Place place;

  Ageing(Profile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  Report.Ageing measure() throws Exception {
    try (Subject subject = open("aged");
        Subject.Caller caller = subject.caller()) {
      warmUp(caller);
      List<Double> blocks = new ArrayList<>();
      long until = System.nanoTime() + profile.ageingLimit().toNanos();
      long done = 0;
      while (done < profile.ageingPairs() && until - System.nanoTime() > 0) {
        blocks.add(block(caller));
        done += profile.ageingBlock();
      }
      Report.Aged tables = tables();
      return new Report.Ageing(
          done,
          profile.ageingBlock(),
          blocks.get(0),
          blocks.get(blocks.size() - 1),
          Spread.of(blocks),
          againstFresh(caller),
          tables);
    }
  }

  private Spread againstFresh(Subject.Caller aged) throws Exception {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < profile.rounds(); round++) {
      try (Subject subject = open("fresh" + round);
          Subject.Caller fresh = subject.caller()) {
        warmUp(fresh);
        double reference = block(fresh);
        ratios.add(block(aged) / reference);
      }
    }
    return Spread.of(ratios);
  }

  private Subject open(String name) {
    return new HoldfastSubject(
        place,
        LockTables.DEFAULTS.named("bench_" + name + "_locks", "bench_" + name + "_counters"));
  }

  private void warmUp(Subject.Caller caller) throws Exception {
    for (int i = 0; i < profile.ageingBlock() / 10; i++) {
      pair(caller, "bench:warm");
    }
  }

  private double block(Subject.Caller caller) throws Exception {
    long start = System.nanoTime();
    for (int i = 0; i < profile.ageingBlock(); i++) {
      pair(caller, KEY);
    }
    return profile.ageingBlock() / ((System.nanoTime() - start) / 1e9);
  }

  private static void pair(Subject.Caller caller, String key) throws Exception {
    if (!caller.tryAcquire(key)) {
      throw new IllegalStateException(key + " should have been free");
    }
    caller.release();
  }

  private Report.Aged tables() throws SQLException {
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(TABLES)) {
      row.next();
      return new Report.Aged(row.getLong(1), row.getLong(2), row.getLong(3));
    }
  }
}
