package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.util.List;

/** A group reads again what it has read before: messages stay until retention drops them. */
public final class ReplayMain {
  private ReplayMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Streams streams = holdfast.streams();
      streams.push(
          List.of(
              NewMessage.to("meter", "1 kWh"),
              NewMessage.to("meter", "2 kWh"),
              NewMessage.to("meter", "3 kWh")));
      read(streams);
      // tag::replay[]
      streams.admin().seek("meter", "report", null, Position.offset(2));
      // end::replay[]
      System.out.println("back to the second");
      read(streams);
      streams.delete("meter");
    }
  }

  private static void read(Streams streams) {
    Popped popped = streams.pop(PopRequest.of("meter").group("report").batch(100));
    popped.messages().forEach(m -> System.out.println(m.payload().text()));
    streams.ack(popped.ackAll(Verdict.COMPLETED));
  }
}
