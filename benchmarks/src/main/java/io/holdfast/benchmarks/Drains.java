package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets subjects work off the same number of jobs in turns, forwards and backwards: A B C, C B A.
 * Storing the jobs does not count. The table is filled and analyzed before a subject starts, so its
 * plans are made for it; a checkpoint before that keeps the next one out of the round.
 */
final class Drains {
  private static final String DEAD =
      """
      SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables
       WHERE relid = ?::regclass OR relid IN (SELECT relid FROM pg_partition_tree(?::regclass))
      """;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Place place;
  private final ServerMeter meter;
  private final @Nullable ProcessHandle server;
  private long looks;

  Drains(Place place, ServerMeter meter) throws SQLException {
    this.place = place;
    this.meter = meter;
    this.server = Processor.server(place);
  }

  /** Runs and closes the subjects; one series for each, in their order. */
  List<DrainSeries> run(List<? extends Drained> subjects, JobProfile profile) throws Exception {
    List<DrainSeries> all = new ArrayList<>();
    try {
      for (Drained subject : subjects) {
        subject.setUp();
        drain(subject, profile.warmUp());
        all.add(new DrainSeries(subject));
      }
      List<Integer> turns = new ArrayList<>();
      for (int i = 0; i < subjects.size(); i++) {
        turns.add(i);
      }
      for (int round = 0; round < profile.rounds(); round++) {
        for (int i : turns) {
          all.get(i).add(drain(subjects.get(i), profile.jobs()));
        }
        Collections.reverse(turns);
      }
      return all;
    } finally {
      for (Drained subject : subjects) {
        subject.close();
      }
    }
  }

  private DrainRun drain(Drained subject, int jobs) throws Exception {
    checkpoint();
    place.run(subject.clearing());
    subject.fill(jobs);
    place.run("ANALYZE " + subject.table());
    long transactions = meter.transactions();
    looks = 0;
    ServerMeter.Reading before = meter.read();
    DrainRun run = work(subject, jobs);
    ServerMeter.Reading did = meter.read().since(before);
    long commits = meter.transactions() - transactions - looks;
    return new DrainRun(
        jobs,
        run.seconds(),
        did.walBytes(),
        commits,
        dead(subject.table()),
        run.serverSeconds(),
        run.clientSeconds());
  }

  /** Time and processor time; the rest is found by the caller. */
  private DrainRun work(Drained subject, int jobs) throws Exception {
    double server0 = Processor.ofServer(server);
    double client0 = subject.cpuSeconds();
    subject.start(jobs);
    try {
      long firstNanos = subject.awaitHandled();
      awaitFinished(subject);
      double seconds = (System.nanoTime() - firstNanos) / 1e9;
      return new DrainRun(
          jobs,
          seconds,
          0,
          0,
          0,
          Processor.ofServer(server) - server0,
          subject.cpuSeconds() - client0);
    } finally {
      subject.stop();
    }
  }

  private void awaitFinished(Drained subject) throws SQLException {
    String sql =
        "SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(subject.table(), subject.unfinished());
    long untilNanos = System.nanoTime() + PATIENCE_NANOS;
    try (Connection connection = place.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      while (true) {
        looks++;
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          if (!row.getBoolean(1)) {
            return;
          }
        }
        if (untilNanos - System.nanoTime() < 0) {
          throw new IllegalStateException(subject.title() + " leaves jobs unfinished");
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  private long dead(String table) throws SQLException {
    try (Connection connection = place.connect();
        PreparedStatement statement = connection.prepareStatement(DEAD)) {
      statement.setString(1, table);
      statement.setString(2, table);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** Only who may. */
  private void checkpoint() throws SQLException {
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      if (!"42501".equals(e.getSQLState())) {
        throw e;
      }
    }
  }
}
