package io.holdfast.benchmarks;

import io.holdfast.job.Jobs;
import io.holdfast.postgres.PostgresHoldfast;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores jobs, a thousand in each call, one caller: ours, or a hand-written INSERT into the same
 * table and indexes, which knows neither keys nor duplicates.
 */
abstract class JobEnqueues implements Contender {
  static final int BATCH = 1_000;

  private final BenchJobs jobs;
  private int next;

  private JobEnqueues(BenchJobs jobs) {
    this.jobs = jobs;
  }

  static List<JobEnqueues> all(BenchJobs jobs) throws SQLException {
    return List.of(new Ours(jobs), new HandWritten(jobs));
  }

  @Override
  public void prepare(Duration time) throws SQLException {
    jobs.place().run("TRUNCATE " + jobs.table());
  }

  /** Stores jobs that are numbered from {@code from} on. */
  abstract void enqueue(int from) throws SQLException;

  @Override
  public Run run(Duration time) throws Exception {
    Load.Outcome calls =
        Load.run(
            1,
            time,
            turn -> {
              long start = System.nanoTime();
              enqueue(next);
              next += BATCH;
              return System.nanoTime() - start;
            });
    return Run.of(
        new Load.Outcome(
            calls.operations() * BATCH, calls.seconds(), calls.busySeconds(), calls.latency()));
  }

  /** Through the public door, which also checks the jobs and makes their ids. */
  private static final class Ours extends JobEnqueues {
    private final PostgresHoldfast holdfast;

    Ours(BenchJobs jobs) {
      super(jobs);
      this.holdfast = jobs.open();
      holdfast.jobs().ping();
    }

    @Override
    public String title() {
      return "Holdfast";
    }

    @Override
    void enqueue(int from) {
      Jobs door = holdfast.jobs();
      door.enqueue(BenchJobs.drafts(from, BATCH));
    }

    @Override
    public void close() {
      holdfast.close();
    }
  }

  /** What has to be done at least. */
  private static final class HandWritten extends JobEnqueues {
    private static final String INSERT =
        """
        INSERT INTO {table} (id, type, queue, payload, created_at)
        SELECT id, 'bench', 'bench', payload, clock_timestamp()
          FROM unnest(?::text[], ?::bytea[]) AS draft (id, payload)
        """;

    private final Connection connection;
    private final PreparedStatement insert;

    HandWritten(BenchJobs jobs) throws SQLException {
      super(jobs);
      this.connection = jobs.place().connect();
      this.insert = connection.prepareStatement(INSERT.replace("{table}", jobs.table()));
    }

    @Override
    public String title() {
      return "hand-written unnest INSERT";
    }

    @Override
    void enqueue(int from) throws SQLException {
      @Nullable String[] ids = new String[BATCH];
      byte[][] payloads = new byte[BATCH][];
      for (int i = 0; i < BATCH; i++) {
        ids[i] = "%016x%016x".formatted(System.nanoTime(), from + i);
        payloads[i] = BenchJobs.payload(from + i);
      }
      insert.setArray(1, connection.createArrayOf("text", ids));
      insert.setArray(2, connection.createArrayOf("bytea", payloads));
      insert.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
