package io.holdfast.benchmarks;

import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.util.List;

/** What the processes of the soak of streams agree on. */
final class StreamSoakPlan {
  static final String QUEUE = "soak";
  static final List<String> GROUPS = List.of("audit", "mail", "search");

  /** Short, so that what a killed consumer held is soon another's. */
  static final Duration LEASE = Duration.ofSeconds(5);

  private StreamSoakPlan() {}

  /**
   * Makes the queue and its groups. Nothing is given up, however often it fails or is forgotten.
   */
  static void prepare(Streams streams) {
    streams.configure(
        StreamConfig.of(QUEUE)
            .leaseFor(LEASE)
            .retrying(1000, Duration.ofMillis(100))
            .with(StreamOption.DELIVERY_LIMIT, 10_000));
    GROUPS.forEach(group -> streams.pop(PopRequest.of(QUEUE).group(group)));
  }

  static String partition(int number) {
    return "p" + number;
  }

  /** What the message with this number in this partition carries. */
  static String payload(String partition, long offset) {
    return partition + "/" + offset;
  }
}
