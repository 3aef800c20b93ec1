package io.holdfast.benchmarks;

import io.holdfast.stream.NewMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Pushes of a hundred messages over a hundred partitions, one caller; what counts are messages. */
final class StreamPushes implements Contender {
  static final int BATCH = 100;

  private final boolean isNamed;
  private final BenchStream stream;

  private StreamPushes(Place place, boolean isNamed) {
    this.isNamed = isNamed;
    this.stream = BenchStream.create(place, isNamed ? "bench-push-once" : "bench-push");
    stream.streams().push(stream.spread(BATCH));
  }

  /** Ours, the least that has to be done on the same tables, and ours with ids to tell repeats. */
  static List<Contender> all(Place place) throws SQLException {
    List<Contender> all =
        List.of(
            new StreamPushes(place, false),
            new HandWrittenPushes(place, BATCH),
            new StreamPushes(place, true));
    BenchStream.settle(place);
    return all;
  }

  @Override
  public String title() {
    return isNamed ? "Holdfast, with transaction ids" : "Holdfast";
  }

  @Override
  public Run run(Duration time) throws Exception {
    return perMessage(
        Load.run(
            1,
            time,
            turn -> {
              List<NewMessage> messages = isNamed ? named() : stream.spread(BATCH);
              long start = System.nanoTime();
              stream.streams().push(messages);
              return System.nanoTime() - start;
            }));
  }

  private List<NewMessage> named() {
    List<NewMessage> messages = new ArrayList<>(BATCH);
    stream.spread(BATCH).forEach(m -> messages.add(m.once(UUID.randomUUID().toString())));
    return messages;
  }

  /** The same with messages as what counts. */
  static Run perMessage(Load.Outcome calls) {
    return Run.of(
        new Load.Outcome(
            calls.operations() * BATCH, calls.seconds(), calls.busySeconds(), calls.latency()));
  }

  @Override
  public void close() {
    stream.close();
  }
}
