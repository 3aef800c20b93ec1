package io.holdfast.postgres;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobException;
import io.holdfast.job.JobWorker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A worker in a process of its own, to be killed or stopped. Used by one thread. */
final class JobVictim implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader output;

  /** What its handler does, after it has said that it runs. */
  enum Manner {
    /** Ends the process. */
    DIES,
    /** Waits to be told. */
    WAITS,
    /** Writes what it has done, says so, and waits to be told. */
    ACTS,
    /** Waits to be told, then completes the job together with what it writes, or says why not. */
    COMPLETES
  }

  private JobVictim(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  /** Starts one. What its handlers write goes to the table {@code effects} beside the jobs. */
  static JobVictim start(JobFixture jobs, Manner manner, Duration lease, int places)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(JobVictim.class.getName());
    command.addAll(List.of(jobs.tables.ownSchema(), manner.name(), "" + lease.toMillis()));
    command.add("" + places);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("VICTIMS_DATABASE", TestDatabase.url("ApplicationName=victim"));
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    return new JobVictim(builder.start());
  }

  /** Waits until it says {@code word}; answers the rest of that line. */
  String hear(String word) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(word)) {
        return line.substring(word.length()).strip();
      }
    }
    throw new AssertionError("it ended before it said " + word);
  }

  /** Tells its handlers to go on. */
  void goOn() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  void awaitEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end");
    }
  }

  /** Ends it without a word. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitEnd();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Arguments: schema, manner, lease in ms, places. */
  public static void main(String[] arguments) throws IOException {
    String url = System.getenv("VICTIMS_DATABASE");
    String schema = arguments[0];
    Manner manner = Manner.valueOf(arguments[1]);
    PostgresOptions options = PostgresOptions.DEFAULTS.withJobTables(new JobTables(schema, schema));
    CountDownLatch told = new CountDownLatch(1);
    PostgresHoldfast holdfast = PostgresHoldfast.open(url, options);
    JobWorker worker =
        holdfast
            .jobs()
            .worker()
            .queue(JobFixture.QUEUE)
            .lease(Duration.ofMillis(Long.parseLong(arguments[2])))
            .poll(Duration.ofMillis(50))
            .concurrency(Integer.parseInt(arguments[3]))
            .action(
                "t",
                String.class,
                (text, context) -> run(context, manner, url, "INSERT INTO " + schema, told))
            .start();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (input.readLine() != null) {
      told.countDown();
      input.readLine();
    }
    worker.close();
  }

  private static void run(
      JobContext context, Manner manner, String url, String insert, CountDownLatch told)
      throws Exception {
    say("running " + context.id());
    try (Connection connection = DriverManager.getConnection(url)) {
      String effect = insert + ".effects VALUES ('" + context.id() + "')";
      switch (manner) {
        case DIES -> Runtime.getRuntime().halt(1);
        case WAITS -> told.await();
        case ACTS -> {
          RaceFixture.run(connection, effect);
          say("acted " + context.id());
          told.await();
        }
        case COMPLETES -> complete(context, connection, effect, told);
        default -> throw new IllegalStateException();
      }
    }
  }

  private static void complete(
      JobContext context, Connection connection, String effect, CountDownLatch told)
      throws Exception {
    boolean wasInterrupted = false;
    while (told.getCount() > 0) {
      try {
        told.await();
      } catch (InterruptedException e) {
        wasInterrupted = true;
        say("interrupted " + context.endReason().orElseThrow());
      }
    }
    connection.setAutoCommit(false);
    RaceFixture.run(connection, effect);
    try {
      context.completeIn(connection, null);
      connection.commit();
      say("completed " + wasInterrupted);
    } catch (JobException e) {
      connection.rollback();
      say("refused " + e.error());
    }
  }

  /** A line of its own, at once. */
  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
