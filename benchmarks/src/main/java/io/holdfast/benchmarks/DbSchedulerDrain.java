package io.holdfast.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler with its lock-and-fetch polling, at the limits that its guide gives for high
 * throughput.
 */
final class DbSchedulerDrain implements Drained {
  private static final double FETCH_BELOW = 1.0;
  private static final double FETCH_UP_TO = 4.0;

  /** As its guide has it, without the index for priorities, which are not used. */
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS scheduled_tasks (
        task_name text NOT NULL,
        task_instance text NOT NULL,
        task_data bytea,
        execution_time timestamptz,
        picked boolean NOT NULL,
        picked_by text,
        last_success timestamptz,
        last_failure timestamptz,
        consecutive_failures int,
        last_heartbeat timestamptz,
        version bigint NOT NULL,
        priority smallint,
        state text,
        PRIMARY KEY (task_name, task_instance));
      CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      """;

  private final Place place;
  private volatile @Nullable Countdown countdown;
  private final OneTimeTask<Integer> task =
      Tasks.oneTime("bench", Integer.class)
          .execute((instance, context) -> Objects.requireNonNull(countdown).call());
  private @Nullable HikariDataSource pool;
  private @Nullable Scheduler scheduler;

  DbSchedulerDrain(Place place) {
    this.place = place;
  }

  @Override
  public String title() {
    return "db-scheduler";
  }

  @Override
  public String remark() {
    return "lock and fetch; deletes finished jobs";
  }

  @Override
  public String table() {
    return "scheduled_tasks";
  }

  @Override
  public String unfinished() {
    return "true";
  }

  @Override
  public void setUp() throws SQLException {
    place.run(TABLE);
  }

  @Override
  public void fill(int jobs) {
    try (HikariDataSource source = place.pool("db-scheduler-fill")) {
      SchedulerClient client = SchedulerClient.Builder.create(source, task).build();
      for (int from = 0; from < jobs; from += FILLED_AT_ONCE) {
        List<TaskInstance<?>> batch = new ArrayList<>();
        for (int i = from; i < Math.min(jobs, from + FILLED_AT_ONCE); i++) {
          batch.add(task.instance(Integer.toString(i), i));
        }
        client.scheduleBatch(batch, Instant.now());
      }
    }
  }

  @Override
  public void start(int jobs) {
    countdown = new Countdown(jobs);
    HikariDataSource source = place.pool("db-scheduler");
    pool = source;
    Scheduler started =
        Scheduler.create(source, task)
            .threads(CONCURRENCY)
            .pollingInterval(Duration.ofSeconds(1))
            .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
            .build();
    scheduler = started;
    started.start();
  }

  @Override
  public long awaitHandled() throws InterruptedException {
    return Objects.requireNonNull(countdown).await();
  }

  @Override
  public void stop() {
    Objects.requireNonNull(scheduler).stop();
    Objects.requireNonNull(pool).close();
  }

  @Override
  public double cpuSeconds() {
    return Processor.own();
  }

  @Override
  public void close() {}
}
