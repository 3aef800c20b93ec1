package io.holdfast.benchmarks;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jspecify.annotations.Nullable;

/** JobRunr with its PostgreSQL storage, polling as often as it allows. */
final class JobRunrDrain implements Drained {
  private static final int POLL_SECONDS = 5;
  private static final Duration STOP = Duration.ofSeconds(1);

  private final Place place;
  private volatile @Nullable Countdown countdown;
  private @Nullable HikariDataSource pool;

  JobRunrDrain(Place place) {
    this.place = place;
  }

  /** One job, which does nothing. */
  public record Request(int id) implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
      return Handler.class;
    }
  }

  /** Counts. */
  public static final class Handler implements JobRequestHandler<Request> {
    private final Countdown countdown;

    Handler(Countdown countdown) {
      this.countdown = countdown;
    }

    @Override
    public void run(Request request) {
      countdown.call();
    }
  }

  @Override
  public String title() {
    return "JobRunr";
  }

  @Override
  public String remark() {
    return "keeps finished jobs";
  }

  @Override
  public String table() {
    return "jobrunr_jobs";
  }

  @Override
  public String unfinished() {
    return "state <> 'SUCCEEDED'";
  }

  @Override
  public void setUp() {
    try (HikariDataSource source = place.pool("jobrunr-setup")) {
      new PostgresStorageProvider(source).close();
    }
  }

  @Override
  public void fill(int jobs) {
    try (HikariDataSource source = place.pool("jobrunr-fill")) {
      JobRequestScheduler scheduler =
          JobRunr.configure()
              .useStorageProvider(new PostgresStorageProvider(source))
              .initialize()
              .getJobRequestScheduler();
      for (int from = 0; from < jobs; from += FILLED_AT_ONCE) {
        scheduler.enqueue(
            IntStream.range(from, Math.min(jobs, from + FILLED_AT_ONCE)).mapToObj(Request::new));
      }
      JobRunr.destroy();
    }
  }

  @Override
  public void start(int jobs) {
    Countdown calls = new Countdown(jobs);
    countdown = calls;
    HikariDataSource source = place.pool("jobrunr");
    pool = source;
    JobRunr.configure()
        .useJobActivator(activator(new Handler(calls)))
        .useStorageProvider(new PostgresStorageProvider(source))
        .useBackgroundJobServer(
            usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(CONCURRENCY)
                .andPollIntervalInSeconds(POLL_SECONDS)
                .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(STOP))
        .initialize();
  }

  private static JobActivator activator(Handler handler) {
    return new JobActivator() {
      @Override
      public <T> T activateJob(Class<T> type) {
        return type.cast(handler);
      }
    };
  }

  @Override
  public long awaitHandled() throws InterruptedException {
    return Objects.requireNonNull(countdown).await();
  }

  @Override
  public void stop() {
    JobRunr.destroy();
    Objects.requireNonNull(pool).close();
  }

  @Override
  public double cpuSeconds() {
    return Processor.own();
  }

  @Override
  public void close() {}
}
