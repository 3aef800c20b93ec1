package io.holdfast.benchmarks;

import io.holdfast.job.JobWorker;
import io.holdfast.postgres.PostgresHoldfast;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts what a process with a worker says to the server while there is nothing to do. The service
 * names each statement or transaction; the server counts transactions, which must not be more.
 */
final class IdleWorker {
  /** After this long, what the start of a process has to look at is done; a tiny run waits less. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private final StatementTimes statements = new StatementTimes();
  private final BenchJobs jobs;
  private final Duration time;
  private double seconds;
  private long transactions;

  IdleWorker(BenchJobs jobs, Duration time) {
    this.jobs = jobs;
    this.time = time;
  }

  /** What a statement is for. */
  enum Cause {
    POLL,
    HEARTBEAT,
    DUTY;

    private static Cause of(String operation) {
      return switch (operation) {
        case "reserve" -> POLL;
        case "heartbeat" -> HEARTBEAT;
        default -> DUTY;
      };
    }
  }

  void measure(ServerMeter meter) throws InterruptedException, SQLException {
    jobs.place().run("TRUNCATE " + jobs.table());
    long before = meter.transactions();
    try (PostgresHoldfast holdfast = jobs.open(statements);
        JobWorker worker = worker(holdfast)) {
      TimeUnit.MILLISECONDS.sleep(Math.min(SETTLING.toMillis(), time.toMillis()));
      statements.reset();
      long start = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(time.toMillis());
      seconds = (System.nanoTime() - start) / 1e9;
      if (worker.stats().active() > 0) {
        throw new IllegalStateException("the worker is not idle");
      }
    }
    transactions = meter.transactions() - before;
  }

  private static JobWorker worker(PostgresHoldfast holdfast) {
    return holdfast
        .jobs()
        .worker()
        .queue(BenchJobs.QUEUE)
        .action(BenchJobs.TYPE, byte[].class, (payload, context) -> {})
        .start();
  }

  /** Statements of a cause per second. */
  double perSecond(Cause cause) {
    long count = 0;
    for (Map.Entry<String, Long> entry : statements.counts().entrySet()) {
      count += Cause.of(entry.getKey()) == cause ? entry.getValue() : 0;
    }
    return count / seconds;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("statement", "for", "times", "per s"));
    statements
        .counts()
        .forEach(
            (operation, times) ->
                rows.add(
                    List.of(
                        operation,
                        Targets.lower(Cause.of(operation)),
                        Long.toString(times),
                        Targets.text("%.2f", times / seconds))));
    rows.add(
        List.of(
            "transactions of the server, start and end included",
            "",
            Long.toString(transactions),
            ""));
    return rows;
  }
}
