package io.holdfast.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.lease.Background;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.Locks;
import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.Queues;
import io.holdfast.server.Services;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * Sample traffic of a small shop, so that a newcomer sees everything move: mails and thumbnails in
 * queues, orders in a stream that two groups read, reports as jobs, deployments under a lock. Some
 * of it fails, on purpose.
 */
final class Demo implements AutoCloseable {
  private static final List<String> CUSTOMERS =
      List.of("ada", "alan", "barbara", "edsger", "grace", "ken", "leslie", "margaret");
  private static final Duration BREATH = Duration.ofMillis(250);

  private final Services services;
  private final Random random = new Random();
  private final List<AutoCloseable> running = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  private Demo(Services services) {
    this.services = services;
  }

  /** Begins; the database may take its time. */
  static Demo start(Services services) {
    // What fails on purpose would fill the terminal.
    ((Logger) LoggerFactory.getLogger("io.holdfast")).setLevel(Level.ERROR);
    Demo demo = new Demo(services);
    demo.repeat("queues", demo::setUpQueues, demo::produce);
    demo.repeat("streams", demo::setUpStreams, demo::push);
    demo.repeat("jobs", demo::setUpJobs, demo::enqueue);
    demo.repeat("locks", () -> {}, () -> demo.deploy("deploy/shop"));
    demo.repeat("rival", () -> {}, () -> demo.deploy("deploy/shop"));
    return demo;
  }

  /** Something that is done. */
  private interface Step {
    void run() throws InterruptedException;
  }

  private void repeat(String name, Step first, Step then) {
    Thread thread =
        Background.daemon(
            "holdfast-demo-" + name,
            () -> {
              boolean isSetUp = false;
              while (!isOver) {
                try {
                  if (!isSetUp) {
                    first.run();
                    isSetUp = true;
                  }
                  then.run();
                } catch (InterruptedException e) {
                  return;
                } catch (RuntimeException e) {
                  breathe(8); // the database may be away
                }
              }
            });
    threads.add(thread);
    thread.start();
  }

  private void breathe(int times) {
    try {
      TimeUnit.MILLISECONDS.sleep(
          times * BREATH.toMillis() / 2 + random.nextInt((int) BREATH.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      isOver = true;
    }
  }

  /** Fails now and then, as the world does. */
  private void work(int millis, int failsOneIn) {
    try {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(millis) + 1L);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (random.nextInt(failsOneIn) == 0) {
      throw new IllegalStateException("the sample fails now and then");
    }
  }

  private void setUpQueues() {
    Queues queues = services.queues();
    create(queues, NewQueue.named("mails-dead"));
    create(queues, NewQueue.named("mails").deadQueue("mails-dead").maxAttempts(3));
    create(queues, NewQueue.named("thumbnails").partitions(2));
    ConsumeOptions options = ConsumeOptions.DEFAULTS.withConcurrency(2);
    keep(queues.queue("mails").consume(delivery -> work(150, 8), options));
    keep(queues.queue("thumbnails").consume(delivery -> work(600, 50), options));
  }

  private static void create(Queues queues, NewQueue queue) {
    try {
      queues.create(queue);
    } catch (QueueException e) {
      boolean isThere =
          queues.list(QueuePage.FIRST).stream().anyMatch(info -> info.name().equals(queue.name()));
      if (!isThere) {
        throw e;
      }
    }
  }

  private void keep(AutoCloseable consumer) {
    synchronized (running) {
      running.add(consumer);
    }
  }

  private String customer() {
    return CUSTOMERS.get(random.nextInt(CUSTOMERS.size()));
  }

  private void produce() {
    String customer = customer();
    services
        .queues()
        .queue("mails")
        .produce(
            NewItem.text("{\"to\":\"" + customer + "@example.com\",\"template\":\"welcome\"}")
                .withKind("mail")
                .withReference(customer));
    if (random.nextInt(3) == 0) {
      services
          .queues()
          .queue("thumbnails")
          .produce(NewItem.text("{\"image\":" + random.nextInt(100_000) + "}").withKind("image"));
    }
    breathe(1);
  }

  private void setUpStreams() {
    Streams streams = services.streams();
    streams.configure(
        StreamConfig.of("orders").labelled("shop", "orders").retrying(3, Duration.ofSeconds(5)));
    ConsumerOptions options = ConsumerOptions.DEFAULTS.withConcurrency(2).withBatch(5);
    keep(streams.consume("orders", "billing", handling -> work(60, 60), options));
    keep(streams.consume("orders", "shipping", handling -> work(350, 40), options));
  }

  private void push() {
    services
        .streams()
        .push(
            List.of(
                NewMessage.to(
                        "orders",
                        "{\"order\":"
                            + random.nextInt(1_000_000)
                            + ",\"total\":"
                            + random.nextInt(500)
                            + "}")
                    .in(customer())
                    .traced(UUID.randomUUID())));
    breathe(1);
  }

  private void setUpJobs() {
    Jobs jobs = services.jobs();
    jobs.queues().configure(JobQueueConfig.of("reports").keepDone(Duration.ofMinutes(10)));
    jobs.queues().configure(JobQueueConfig.of("imports").limit("warehouse", 1));
    jobs.schedules()
        .put(ScheduleSpec.of("daily-digest", "* * * * *", NewJob.of("digest").queue("reports")));
    keep(
        jobs.worker()
            .queue("reports")
            .queue("imports")
            .concurrency(3)
            .action("report", byte[].class, (payload, context) -> work(900, 10))
            .action("digest", byte[].class, (payload, context) -> work(400, 1_000))
            .action(
                "import",
                byte[].class,
                (payload, context) -> {
                  for (int percent = 0; percent <= 100; percent += 10) {
                    context.progress(percent, percent + " of 100 rows");
                    work(300, 1_000);
                  }
                })
            .start());
  }

  private void enqueue() {
    Jobs jobs = services.jobs();
    jobs.enqueue(
        NewJob.of("report")
            .queue("reports")
            .payload("{\"customer\":\"" + customer() + "\"}")
            .maxAttempts(3));
    if (random.nextInt(8) == 0) {
      jobs.enqueue(NewJob.of("import").queue("imports").limitedBy("warehouse").payload("{}"));
    }
    if (random.nextInt(10) == 0) {
      jobs.enqueue(
          NewJob.of("report").queue("reports").runIn(Duration.ofSeconds(30)).payload("{}"));
    }
    breathe(4);
  }

  private void deploy(String key) throws InterruptedException {
    Locks locks = services.locks();
    if (locks.acquire(key, Duration.ofSeconds(10)) instanceof Acquired held) {
      try (held) {
        TimeUnit.MILLISECONDS.sleep(1_500 + random.nextInt(2_000));
      }
    }
    breathe(6);
  }

  @Override
  public void close() {
    if (isOver) {
      return;
    }
    isOver = true;
    threads.forEach(Thread::interrupt);
    synchronized (running) {
      for (AutoCloseable consumer : running) {
        try {
          consumer.close();
        } catch (Exception e) {
          Problem.say("a sample consumer did not end: " + e.getMessage());
        }
      }
    }
  }
}
