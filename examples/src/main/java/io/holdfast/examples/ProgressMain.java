package io.holdfast.examples;

import io.holdfast.job.Backoff;
import io.holdfast.job.Job;
import io.holdfast.job.JobContext;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.RetryPolicy;
import io.holdfast.postgres.PostgresHoldfast;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A long job tells how far it is, and after a failure goes on where it stood. */
public final class ProgressMain {
  private static final RetryPolicy POLICY =
      RetryPolicy.DEFAULT.backoff(Backoff.fixed(Duration.ofMillis(10)));

  private final CountDownLatch done = new CountDownLatch(1);

  private ProgressMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      new ProgressMain().run(holdfast.jobs());
    }
  }

  private void run(Jobs jobs) throws InterruptedException {
    String id = jobs.enqueue(NewJob.of("import").queue("imports")).id();
    JobWorker worker =
        jobs.worker()
            .queue("imports")
            .handler("import", String.class, this::importPages)
            .retry(POLICY)
            .start();
    done.await();
    worker.close();
    Job job = jobs.inspect(id);
    System.out.println(job.progress().percent() + " %, " + job.progress().note());
    System.out.println(job.state() == JobState.DONE ? output(job) : job.state().text());
  }

  // tag::progress[]
  private String importPages(String payload, JobContext context) {
    int first = context.checkpoint().map(ProgressMain::number).orElse(1);
    for (int page = first; page <= 4; page++) {
      importPage(page, context.attempt());
      context.saveCheckpoint(String.valueOf(page + 1).getBytes(StandardCharsets.UTF_8));
      context.progress(25 * page, "page " + page);
    }
    return "4 pages";
  }

  // end::progress[]

  private void importPage(int page, int attempt) {
    if (page == 3 && attempt == 1) {
      System.out.println("page 3 failed");
      throw new IllegalStateException("the other side hung up");
    }
    System.out.println("page " + page);
    if (page == 4) {
      done.countDown();
    }
  }

  private static int number(byte[] text) {
    return Integer.parseInt(new String(text, StandardCharsets.UTF_8));
  }

  private static String output(Job job) {
    Job.End end = job.history().end();
    return end == null || end.output() == null
        ? "no output"
        : new String(end.output(), StandardCharsets.UTF_8);
  }
}
