package io.holdfast.benchmarks;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.postgres.PostgresHoldfast;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reserves 64 jobs of a table of a certain size, one caller. What was reserved is acknowledged and
 * replaced, outside of the time that counts, so the size stays. What is compared is the inverse of
 * the median.
 */
final class JobReserves implements Contender {
  static final int BATCH = 64;
  static final long SMALL = 10_000;

  private final String title;
  private final PostgresHoldfast holdfast;

  private JobReserves(String title, PostgresHoldfast holdfast) {
    this.title = title;
    this.holdfast = holdfast;
  }

  /** A small table and a large one. */
  static List<JobReserves> all(Place place, JobProfile profile) throws SQLException {
    List<JobReserves> all = new ArrayList<>();
    for (long rows : new long[] {SMALL, profile.rows()}) {
      BenchJobs jobs = new BenchJobs(place, "bench_reserve_" + rows);
      PostgresHoldfast holdfast = jobs.open();
      holdfast
          .jobs()
          .queues()
          .configure(JobQueueConfig.of(BenchJobs.QUEUE).keepDone(Duration.ZERO));
      jobs.loadReady(rows);
      all.add(new JobReserves(Targets.text("%,d ready", rows), holdfast));
    }
    return all;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    ReserveRequest request = ReserveRequest.of(BenchJobs.QUEUE, BATCH);
    return Medians.of(
        Load.run(
            1,
            time,
            turn -> {
              long start = System.nanoTime();
              Reserved reserved = holdfast.jobs().reserve(request);
              long took = System.nanoTime() - start;
              replace(reserved);
              return took;
            }));
  }

  private void replace(Reserved reserved) {
    if (reserved.jobs().size() != BATCH) {
      throw new IllegalStateException("a reserve brought " + reserved.jobs().size());
    }
    holdfast
        .jobs()
        .settle(reserved.jobs().stream().map(LeasedJob::held).map(Settlement.Ack::of).toList());
    holdfast.jobs().enqueue(BenchJobs.drafts(0, BATCH));
  }

  @Override
  public void close() {
    holdfast.close();
  }
}
