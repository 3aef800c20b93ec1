package io.holdfast.server.dashboard;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.Settlement;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Queues;
import io.holdfast.queue.Retry;
import io.holdfast.server.Services;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A small shop with something in every state, for pages to show. */
final class Shop {
  static final UUID TRACE = UUID.fromString("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");
  static final String KEY = "deploy/shop";
  private static final Duration SOON = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Services services;

  Shop(Services services) {
    this.services = services;
  }

  /** Fills everything. */
  void open() {
    queues();
    streams();
    jobs();
    services.locks().acquire(KEY, LONG);
    services.locks().acquire("nightly/report", LONG);
  }

  private void queues() {
    Queues queues = services.queues();
    queues.create(NewQueue.named("mails-dead"));
    queues.create(NewQueue.named("mails").deadQueue("mails-dead").maxAttempts(3));
    queues.create(NewQueue.named("thumbnails").partitions(3));
    Queue mails = queues.queue("mails");
    for (String customer : List.of("ada", "alan", "grace", "leslie", "ken", "edsger", "barbara")) {
      mails.produce(
          NewItem.text("{\"to\":\"" + customer + "@example.com\",\"template\":\"welcome\"}")
              .withKind("mail")
              .withReference(customer));
    }
    LeasedItems given = mails.lease(new LeaseRequest("given-up", 2, SOON));
    mails.retry(given.partition(), given.ids().stream().map(Retry::dead).toList());
    mails.lease(new LeaseRequest("consumer", 2, SOON));
    mails.produce(NewItem.text("{\"to\":\"later@example.com\"}").at(Instant.now().plus(LONG)));
    for (int i = 0; i < 12; i++) {
      queues.queue("thumbnails").produce(NewItem.text("{\"image\":" + i + "}").withKind("image"));
    }
  }

  private void streams() {
    Streams streams = services.streams();
    streams.configure(
        StreamConfig.of("orders").labelled("shop", "orders").retrying(0, Duration.ofSeconds(5)));
    streams.pop(PopRequest.of("orders").group("billing"));
    streams.pop(PopRequest.of("orders").group("shipping"));
    for (String customer : List.of("ada", "alan", "grace", "ken", "leslie")) {
      for (int i = 0; i < 4; i++) {
        NewMessage order = NewMessage.to("orders", "{\"order\":" + i + ",\"total\":129}");
        streams.push(List.of(order.in(customer).traced(i == 0 ? TRACE : null)));
      }
    }
    Popped first = streams.pop(PopRequest.of("orders").group("billing").batch(4));
    streams.ack(first.ackAll(Verdict.COMPLETED));
    Popped failed = streams.pop(PopRequest.of("orders").group("shipping").batch(1));
    streams.ack(
        failed.ackAll(Verdict.DEAD_LETTER).stream()
            .map(ack -> ack.because("the address does not exist"))
            .toList());
    streams.pop(PopRequest.of("orders").group("shipping").batch(2));
    streams.admin().park(new CursorKey("orders", "leslie", "shipping"), "customs ask for papers");
  }

  private void jobs() {
    Jobs jobs = services.jobs();
    jobs.queues().configure(JobQueueConfig.of("reports").keepDone(LONG));
    jobs.schedules()
        .put(ScheduleSpec.of("daily-digest", "0 7 * * *", NewJob.of("digest").queue("reports")));
    NewJob report = NewJob.of("report").queue("reports").traced(TRACE.toString());
    jobs.enqueue(report.payload("{\"customer\":\"ada\"}").id("dead-report"));
    LeasedJob dead = run();
    jobs.fail(dead.held(), "handler error: the printer is on fire");
    jobs.enqueue(report.payload("{\"customer\":\"alan\"}").id("done-report"));
    jobs.ack(run().held());
    jobs.enqueue(report.payload("{\"customer\":\"grace\"}").id("running-report"));
    jobs.settle(List.of(new Settlement.Report(run().held(), 40, "40 of 100 rows", null)));
    jobs.enqueue(report.payload("{\"customer\":\"ken\"}").id("ready-report"));
    jobs.enqueue(report.id("later-report").runIn(LONG));
  }

  private LeasedJob run() {
    return services
        .jobs()
        .reserve(ReserveRequest.of("reports", 1).leaseFor(LONG).by("worker-1"))
        .jobs()
        .get(0);
  }
}
