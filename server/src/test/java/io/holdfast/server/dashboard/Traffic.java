package io.holdfast.server.dashboard;

import io.holdfast.job.JobWorker;
import io.holdfast.job.NewJob;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.Wait;
import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.NewItem;
import io.holdfast.server.Services;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.NewMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Waves of work that consumers just about cope with, so that charts have something to show. */
final class Traffic implements AutoCloseable {
  private static final List<String> CUSTOMERS =
      List.of("ada", "alan", "barbara", "edsger", "grace", "ken");

  private static final List<String> KEYS = List.of("deploy/billing", "import/warehouse");

  private final Services services;
  private final Random random = new Random(7);
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final List<Runnable> consumers = new ArrayList<>();
  private final ExecutorService lockers = Executors.newCachedThreadPool();
  private int ticks;

  Traffic(Services services) {
    this.services = services;
  }

  void start() {
    ConsumeOptions two = ConsumeOptions.DEFAULTS.withConcurrency(2);
    consumers.add(services.queues().queue("mails").consume(item -> work(330), two)::close);
    consumers.add(services.queues().queue("thumbnails").consume(item -> work(600), two)::close);
    ConsumerOptions pair = ConsumerOptions.DEFAULTS.withConcurrency(2).withBatch(5);
    consumers.add(services.streams().consume("orders", "billing", h -> work(90), pair)::close);
    consumers.add(services.streams().consume("orders", "shipping", h -> work(140), pair)::close);
    JobWorker worker =
        services
            .jobs()
            .worker()
            .queue("reports")
            .concurrency(3)
            .action(
                "report",
                byte[].class,
                (payload, context) -> {
                  for (int percent = 0; percent <= 100; percent += 20) {
                    context.progress(percent, percent + " of 100 rows");
                    work(400);
                  }
                })
            .start();
    consumers.add(worker::close);
    for (int i = 0; i < 3; i++) {
      lockers.execute(this::deploy);
    }
    clock.scheduleWithFixedDelay(this::tick, 0, 100, TimeUnit.MILLISECONDS);
  }

  private void work(int millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis / 2 + random.nextInt(millis));
  }

  private void deploy() {
    try {
      while (true) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        LockAttempt attempt =
            services
                .locks()
                .acquire(key, Duration.ofSeconds(20), Wait.upTo(Duration.ofSeconds(5)).fair());
        if (attempt instanceof Acquired held) {
          try (held) {
            work(4_000);
          }
        }
        work(1_500);
      }
    } catch (InterruptedException | LockException e) {
      Thread.currentThread().interrupt(); // the pictures are taken
    }
  }

  private void tick() {
    double wave = 1 + Math.sin(ticks++ / 60.0);
    if (random.nextDouble() < 0.65 * wave) {
      String customer = CUSTOMERS.get(random.nextInt(CUSTOMERS.size()));
      services
          .queues()
          .queue("mails")
          .produce(
              NewItem.text("{\"to\":\"" + customer + "@example.com\"}")
                  .withKind("mail")
                  .withReference(customer));
      services.streams().push(List.of(NewMessage.to("orders", "{\"total\":42}").in(customer)));
    }
    if (random.nextDouble() < 0.3 * wave) {
      services.queues().queue("thumbnails").produce(NewItem.text("{}").withKind("image"));
    }
    if (random.nextDouble() < 0.12 * wave) {
      services.jobs().enqueue(NewJob.of("report").queue("reports").payload("{}"));
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    lockers.shutdownNow();
    consumers.forEach(Runnable::run);
  }
}
