package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Queues;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.util.List;

/** An item fails as often as it may, ends in the dead queue, and is sent back from there. */
public final class DeadQueueMain {
  private static final LeaseRequest ONE = new LeaseRequest("example", 1, Duration.ofSeconds(5));

  private DeadQueueMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Queues queues = holdfast.queues();
      queues.create(NewQueue.named("payments-dead"));
      queues.create(NewQueue.named("payments").maxAttempts(2).deadQueue("payments-dead"));
      run(queues.queue("payments"), queues.queue("payments-dead"));
      queues.delete("payments", true);
      queues.delete("payments-dead", true);
    }
  }

  private static void run(Queue payments, Queue dead) {
    payments.produce(NewItem.text("invoice 7"));
    fail(payments);
    fail(payments);
    StoredItem given = dead.admin().list(0, "", 0).get(0);
    System.out.println(
        "dead: %s, %s, from %s"
            .formatted(
                given.content().text(), given.origin().deadReason(), given.origin().sourceQueue()));
    System.out.println("redriven: " + dead.admin().redrive(100).moved());
    LeasedItems again = payments.lease(ONE);
    System.out.println("leased again, attempt " + again.items().get(0).attempts());
    payments.complete(again);
  }

  private static void fail(Queue payments) {
    LeasedItems leased = payments.lease(ONE);
    LeasedItem item = leased.items().get(0);
    System.out.println("attempt " + item.attempts() + " failed");
    payments.retry(leased.partition(), List.of(Retry.now(item.id())));
  }
}
