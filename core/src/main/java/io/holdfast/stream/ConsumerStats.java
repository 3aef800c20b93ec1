package io.holdfast.stream;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Adds up how a consumer has gone. Safe for use by many threads. */
final class ConsumerStats {
  private static final int SLOWEST = 10;
  private static final int MANY = 1_000;

  private final Time time;
  private final int threads;
  private final long beganNanos;
  private final Map<String, Long> nanosByPartition = new HashMap<>();
  private long pops;
  private long messages;
  private long failures;
  private long nanos;

  ConsumerStats(Time time, int threads) {
    this.time = time;
    this.threads = threads;
    this.beganNanos = time.nanos();
  }

  /** A batch was handled. */
  synchronized void handled(Batch batch, long tookNanos, List<Ack> verdicts) {
    pops++;
    messages += batch.deliveries().size();
    failures += verdicts.stream().filter(v -> v.verdict() != Verdict.COMPLETED).count();
    nanos += tookNanos;
    nanosByPartition.merge(batch.partition(), tookNanos, Long::sum);
    if (nanosByPartition.size() > MANY) {
      // The quicker half is forgotten: it is only of interest who is slow.
      nanosByPartition.keySet().retainAll(slowest(MANY / 2).keySet());
    }
  }

  private Map<String, Duration> slowest(int count) {
    Map<String, Duration> slowest = new LinkedHashMap<>();
    nanosByPartition.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(count)
        .forEach(entry -> slowest.put(entry.getKey(), Duration.ofNanos(entry.getValue())));
    return slowest;
  }

  synchronized StreamConsumer.Stats now() {
    long lasted = Math.max(1, time.nanos() - beganNanos);
    double busy = Math.min(1, (double) nanos / ((double) lasted * threads));
    return new StreamConsumer.Stats(
        pops, messages, failures, busy, Duration.ofNanos(nanos), slowest(SLOWEST));
  }
}
