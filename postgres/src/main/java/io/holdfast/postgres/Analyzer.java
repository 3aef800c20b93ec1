package io.holdfast.postgres;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Duty;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the planner about tables that have grown, off everybody's way. A statement that was
 * prepared while its table was empty keeps a plan for an empty table; fresh statistics end that.
 * Safe for use by many threads.
 */
final class Analyzer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Analyzer.class);
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long IDLE_MS = Duration.ofMinutes(10).toMillis();
  private static final long FIRST = 1000;

  private final Transactions transactions;
  private final Set<String> pending = new LinkedHashSet<>();
  private final DutyRunner runner =
      new DutyRunner("holdfast-analyze", new Analyzing(), Time.system());

  Analyzer(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Counts what one table got, and speaks up at the first thousand and each tenfold of it. */
  final class Growth {
    private final String table;
    private long rows;
    private long next = FIRST;

    Growth(String table) {
      this.table = table;
    }

    void inserted(int count) {
      synchronized (this) {
        rows += count;
        if (rows < next) {
          return;
        }
        while (next <= rows) {
          next *= 10;
        }
      }
      request(table);
    }
  }

  private void request(String table) {
    synchronized (pending) {
      pending.add(table);
    }
    runner.wake();
  }

  @Override
  public void close() {
    runner.close();
  }

  private final class Analyzing implements Duty {
    @Override
    public int work() {
      Set<String> tables;
      synchronized (pending) {
        tables = Set.copyOf(pending);
        pending.clear();
      }
      tables.forEach(this::analyze);
      return tables.size();
    }

    private void analyze(String table) {
      Statements.Limits limits = Statements.Limits.of(Cancellation.never(), LIMIT);
      try {
        transactions.single(
            "analyze",
            limits,
            watch -> {
              Migrations.execute(watch, "ANALYZE " + table);
              return true;
            });
      } catch (SQLException e) {
        LOG.debug("{} was not analyzed: {}", table, e.getMessage());
      }
    }

    @Override
    public long dueNanos() {
      return Time.after(System.nanoTime(), IDLE_MS);
    }
  }
}
