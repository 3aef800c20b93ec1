package io.holdfast.examples;

import io.holdfast.job.Backoff;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobContext;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.Unrecoverable;
import io.holdfast.postgres.PostgresHoldfast;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A worker retries what may succeed later, and gives up at once what cannot. */
public final class WorkerMain {
  private static final RetryPolicy POLICY =
      RetryPolicy.DEFAULT.backoff(Backoff.fixed(Duration.ofMillis(50)));

  private final CountDownLatch settled = new CountDownLatch(3);

  private WorkerMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      new WorkerMain().run(holdfast.jobs());
    }
  }

  private void run(Jobs jobs) throws InterruptedException {
    // tag::worker[]
    jobs.enqueue(NewJob.of("resize").queue("images").payload("cat.png").once("resize cat.png"));
    JobWorker worker =
        jobs.worker()
            .queue("images")
            .action("resize", String.class, this::resize)
            .retry(POLICY)
            .start();
    // end::worker[]
    String broken = jobs.enqueue(NewJob.of("resize").queue("images").payload("broken.png")).id();
    settled.await();
    worker.close(); // finishes what it began and hands back the rest
    System.out.println("given up: " + jobs.inspect(broken).history().dead().reason());
    System.out.println("dead letters: " + jobs.dead().purge(DeadQuery.of("images")).count());
  }

  private void resize(String file, JobContext context) {
    System.out.println("attempt " + context.attempt() + " of " + file);
    settled.countDown();
    if (file.equals("broken.png")) {
      throw new Unrecoverable("not an image");
    }
    if (context.attempt() == 1) {
      throw new IllegalStateException("the disk is full");
    }
  }
}
