package io.holdfast.examples;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.postgres.PostgresHoldfast;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A handler writes its rows and completes its job in one transaction. Worker processes are killed
 * at random for a while, and still every effect is there exactly once.
 *
 * <p>Arguments: a database, and for how many seconds to kill. A process that is itself a worker
 * gets the word {@code worker} and the database.
 */
public final class EffectivelyOnceMain {
  private static final String QUEUE = "once";
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final int BATCH = 200;
  private static final int MAX_DELIVERIES = 10_000;

  private EffectivelyOnceMain() {}

  public static void main(String... args) throws Exception {
    if (args.length == 2 && args[0].equals("worker")) {
      work(args[1]);
      return;
    }
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url());
        Connection connection = DriverManager.getConnection(database.url())) {
      int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
      execute(connection, "DROP TABLE IF EXISTS example_effects");
      execute(connection, "CREATE TABLE example_effects (job text)");
      Jobs jobs = holdfast.jobs();
      // Being killed is nobody's fault here: it must not bring jobs among the dead letters.
      jobs.queues().configure(JobQueueConfig.of(QUEUE).deliveryLimit(MAX_DELIVERIES));
      int count = killForAWhile(jobs, database.url(), seconds);
      finish(jobs, database.url());
      System.out.println("every effect exactly once: " + isOnce(connection, count));
      execute(connection, "DROP TABLE example_effects");
    }
  }

  /** A worker process, until it is killed. */
  private static void work(String url) throws InterruptedException {
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url)) {
      holdfast
          .jobs()
          .worker()
          .queue(QUEUE)
          .lease(LEASE)
          .action("effect", String.class, (text, context) -> effect(url, context))
          .start();
      new CountDownLatch(1).await();
    }
  }

  // tag::once[]
  private static void effect(String url, JobContext context) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      insertEffect(connection, context.id());
      context.completeIn(connection, null); // fails when somebody else has the job by now
      connection.commit();
    }
  }

  // end::once[]

  private static int killForAWhile(Jobs jobs, String url, int seconds) throws Exception {
    Random random = new Random();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int count = 0;
    int kills = 0;
    while (System.nanoTime() - until < 0) {
      if (jobs.queues().stats(QUEUE).counts().get(JobState.READY).count() < BATCH) {
        jobs.enqueue(IntStream.range(0, BATCH).mapToObj(i -> job()).toList());
        count += BATCH;
      }
      Process worker = start(url);
      worker.waitFor(500 + random.nextInt(2000), TimeUnit.MILLISECONDS);
      worker.destroyForcibly().waitFor();
      kills++;
    }
    System.out.println(kills > 0 ? "killed workers at random" : "killed nobody");
    return count;
  }

  private static NewJob job() {
    return NewJob.of("effect").queue(QUEUE);
  }

  /** Lets one worker live until nothing is left to do. */
  private static void finish(Jobs jobs, String url) throws Exception {
    Process worker = start(url);
    while (isOpen(jobs)) {
      if (worker.waitFor(100, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("the last worker ended by itself");
      }
    }
    worker.destroyForcibly().waitFor();
  }

  private static boolean isOpen(Jobs jobs) {
    var counts = jobs.queues().stats(QUEUE).counts();
    return List.of(JobState.READY, JobState.SCHEDULED, JobState.INFLIGHT).stream()
        .anyMatch(state -> counts.get(state).count() > 0);
  }

  private static Process start(String url) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return new ProcessBuilder(
            java.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            EffectivelyOnceMain.class.getName(),
            "worker",
            url)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void insertEffect(Connection connection, String job) throws SQLException {
    String sql = "INSERT INTO example_effects VALUES (?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, job);
      statement.executeUpdate();
    }
  }

  private static boolean isOnce(Connection connection, int jobs) throws SQLException {
    String sql = "SELECT count(*), count(DISTINCT job) FROM example_effects";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      System.err.printf("%d jobs, %d effects of %d of them%n", jobs, row.getInt(1), row.getInt(2));
      return row.getInt(1) == jobs && row.getInt(2) == jobs;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
