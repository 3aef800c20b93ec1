package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.Delivery;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueConsumer;
import io.holdfast.queue.Queues;
import io.holdfast.queue.RetryPolicy;
import java.util.concurrent.CountDownLatch;

/** Produces items and consumes them; one fails at first and comes again, behind the others. */
public final class QueueMain {
  private static final ConsumeOptions OPTIONS =
      ConsumeOptions.DEFAULTS.withPrefetch(0).withRetry(RetryPolicy.immediate());

  private final CountDownLatch sent = new CountDownLatch(3);

  private QueueMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Queues queues = holdfast.queues();
      queues.create(NewQueue.named("mail"));
      new QueueMain().run(queues);
      queues.delete("mail", true);
    }
  }

  private void run(Queues queues) throws InterruptedException {
    // tag::queue[]
    Queue mail = queues.queue("mail");
    mail.produce(NewItem.text("to ann"), NewItem.text("to bob"), NewItem.text("to eve"));
    QueueConsumer consumer = mail.consume(this::send, OPTIONS);
    sent.await();
    consumer.close(); // finishes what it began and hands back the rest
    // end::queue[]
  }

  private void send(Delivery delivery) {
    String mail = delivery.item().text();
    if (mail.equals("to ann") && delivery.item().attempts() == 1) {
      System.out.println("failed " + mail);
      throw new IllegalStateException("the mail server is busy");
    }
    System.out.println("sent " + mail);
    sent.countDown();
  }
}
