package io.holdfast.benchmarks;

import io.holdfast.stream.Popped;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.HdrHistogram.Histogram;

/**
 * Pops one message, extends its lease, settles it and asks for the depth, one caller, on a queue of
 * a certain filling; then replaces the message, outside of the time that counts. What is compared
 * is the median of each call, round by round.
 */
final class StreamCalls implements Contender {
  private static final int STEP = 7919;

  private final Filling filling;
  private final BenchStream stream;
  private final Map<StreamCall, List<Double>> medians = new EnumMap<>(StreamCall.class);
  private final Map<StreamCall, Histogram> latencies = new EnumMap<>(StreamCall.class);
  private long turns;

  /**
   * What is in the queue.
   *
   * @param each messages that every partition retains
   * @param isAllPending whether every partition has one to read, as against one in all
   */
  record Filling(String title, int partitions, long each, boolean isAllPending) {}

  StreamCalls(Place place, Filling filling) throws SQLException {
    this.filling = filling;
    this.stream = BenchStream.create(place, "bench-" + filling.title.replaceAll("[ ,]+", "-"));
    stream.load(filling.partitions, filling.each, filling.isAllPending ? 1 : 0);
    if (!filling.isAllPending) {
      replace("1");
    }
    for (StreamCall call : StreamCall.values()) {
      medians.put(call, new ArrayList<>());
      latencies.put(call, new Histogram(3));
    }
  }

  @Override
  public String title() {
    return filling.title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    Map<StreamCall, Histogram> found = new EnumMap<>(StreamCall.class);
    for (StreamCall call : StreamCall.values()) {
      found.put(call, new Histogram(3));
    }
    Load.Outcome outcome = Load.run(1, time, turn -> cycle(found));
    found.forEach(
        (call, latency) -> {
          medians.get(call).add(latency.getValueAtPercentile(50) / 1e3);
          latencies.get(call).add(latency);
        });
    return Medians.of(outcome);
  }

  private long cycle(Map<StreamCall, Histogram> found) throws SQLException {
    Streams streams = stream.streams();
    long start = System.nanoTime();
    Popped popped = streams.pop(stream.request(1, 1));
    long isPopped = System.nanoTime();
    UUID lease = popped.leaseId();
    if (lease == null) {
      throw new IllegalStateException(filling.title + ": a pop brought nothing");
    }
    streams.extend(lease, Duration.ofHours(2));
    long isExtended = System.nanoTime();
    streams.ack(popped.ackAll(Verdict.COMPLETED));
    long isAcked = System.nanoTime();
    streams.browser().depth(stream.name());
    long end = System.nanoTime();
    found.get(StreamCall.POP).recordValue(isPopped - start);
    found.get(StreamCall.EXTEND).recordValue(isExtended - isPopped);
    found.get(StreamCall.ACK).recordValue(isAcked - isExtended);
    found.get(StreamCall.DEPTH).recordValue(end - isAcked);
    replace(filling.isAllPending ? popped.batches().get(0).partition() : another());
    return end - start;
  }

  /** Every partition has its turn, far from the one before. */
  private String another() {
    return Long.toString(++turns * STEP % filling.partitions + 1);
  }

  private void replace(String partition) {
    stream.streams().push(stream.messages(partition, 1));
  }

  /** How many times as long a call takes as on the other filling, round by round. */
  Spread over(StreamCalls other, StreamCall call) {
    List<Double> ours = medians.get(call);
    List<Double> theirs = other.medians.get(call);
    List<Double> ratios = new ArrayList<>();
    for (int i = 1; i < ours.size(); i++) { // the first run was the warm-up
      ratios.add(ours.get(i) / theirs.get(i));
    }
    return Spread.of(ratios);
  }

  static final List<String> HEADER =
      List.of("call", "filling", "median µs", "min to max", "p99 µs", "max µs");

  List<String> row(StreamCall call) {
    List<Double> all = medians.get(call);
    Spread spread = Spread.of(all.subList(1, all.size()));
    Report.Latency latency = Report.Latency.of(latencies.get(call));
    return List.of(
        Targets.lower(call),
        filling.title,
        Targets.text("%.0f", spread.median()),
        Targets.text("%.0f to %.0f", spread.min(), spread.max()),
        Targets.text("%.0f", latency.p99()),
        Targets.text("%.0f", latency.max()));
  }

  @Override
  public void close() {
    stream.close();
  }
}
