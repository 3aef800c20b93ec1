package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Queues;
import java.time.Duration;
import java.time.Instant;

/** Produces an item for later: nobody can lease it before its moment. */
public final class ScheduledMain {
  private ScheduledMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Queues queues = holdfast.queues();
      queues.create(NewQueue.named("reminders"));
      remind(queues.queue("reminders"));
      queues.delete("reminders", true);
    }
  }

  private static void remind(Queue reminders) {
    Instant later = Instant.now().plusMillis(1500);
    reminders.produce(NewItem.text("in a moment").at(later), NewItem.text("now"));
    System.out.println("scheduled: " + reminders.admin().listScheduled(0, "", 0).size());
    for (int i = 0; i < 2; i++) {
      LeasedItems due = reminders.lease(new LeaseRequest("example", 10, Duration.ofSeconds(10)));
      System.out.println("due: " + due.items().get(0).text());
      reminders.complete(due);
    }
  }
}
