package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Start;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.util.List;

/** Every group gets every message, at its own pace; a late one may skip what is there. */
public final class FanOutMain {
  private FanOutMain() {}

  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      Streams streams = holdfast.streams();
      streams.push(List.of(NewMessage.to("news", "first"), NewMessage.to("news", "second")));
      read(streams, "archive", Start.ALL);
      read(streams, "live", Start.NEW);
      streams.push(List.of(NewMessage.to("news", "third")));
      read(streams, "archive", Start.ALL);
      read(streams, "live", Start.NEW);
      streams.delete("news");
    }
  }

  private static void read(Streams streams, String group, Start start) {
    // tag::fanout[]
    PopRequest request = PopRequest.of("news").group(group).startingAt(start).batch(100);
    Popped popped = streams.pop(request);
    popped.messages().forEach(m -> System.out.println(group + " got " + m.payload().text()));
    streams.ack(popped.ackAll(Verdict.COMPLETED));
    // end::fanout[]
    if (popped.isEmpty()) {
      System.out.println(group + " got nothing");
    }
  }
}
