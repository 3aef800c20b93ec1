package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.Handling;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Each customer's orders are handled in order, one at a time; one that fails comes again first. */
public final class OrderedStreamMain {
  private static final ConsumerOptions OPTIONS = ConsumerOptions.DEFAULTS.withConcurrency(2);

  private final CountDownLatch handled = new CountDownLatch(4);

  private OrderedStreamMain() {}

  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Streams streams = holdfast.streams();
      streams.configure(StreamConfig.of("orders").retrying(3, Duration.ofMillis(100)));
      new OrderedStreamMain().run(streams);
      streams.delete("orders");
    }
  }

  private void run(Streams streams) throws InterruptedException {
    // tag::ordered[]
    streams.push(
        List.of(
            NewMessage.to("orders", "ann: tea").in("ann"),
            NewMessage.to("orders", "bob: nails").in("bob"),
            NewMessage.to("orders", "ann: milk").in("ann")));
    StreamConsumer consumer = streams.consume("orders", "billing", this::bill, OPTIONS);
    // end::ordered[]
    streams.push(List.of(NewMessage.to("orders", "ann: sugar").in("ann")));
    handled.await();
    consumer.close();
  }

  private void bill(Handling order) {
    String text = order.message().payload().text();
    if (text.equals("ann: tea") && order.attempt() == 1) {
      System.out.println("failed " + text);
      throw new IllegalStateException("the printer is out of paper");
    }
    System.out.println("billed " + text);
    handled.countDown();
  }
}
