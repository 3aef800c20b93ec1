package io.holdfast.benchmarks;

import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A new group over many partitions, each with a message: how soon it is given one, and how soon it
 * has a cursor everywhere while it does nothing more. Each round is a group of its own.
 */
final class Seeding {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long LOOK_MILLIS = 20;

  private final StreamProfile profile;
  private final Place place;
  private final List<Double> firsts = new ArrayList<>();
  private final List<Double> wholes = new ArrayList<>();

  Seeding(StreamProfile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  void measure() throws SQLException, InterruptedException {
    try (BenchStream stream = BenchStream.create(place, "bench-seeding")) {
      stream.load(profile.partitions(), 1, 0);
      BenchStream.settle(place);
      for (int round = 0; round < profile.base().rounds(); round++) {
        round(stream, "new-" + round);
      }
    }
  }

  private void round(BenchStream stream, String group) throws InterruptedException {
    PopRequest request = PopRequest.of(stream.name()).group(group).waiting(LIMIT);
    long start = System.nanoTime();
    Popped popped = stream.streams().pop(request);
    if (popped.isEmpty()) {
      throw new IllegalStateException("a new group was given nothing");
    }
    firsts.add((System.nanoTime() - start) / 1e9);
    while (!isSeeded(stream, group) && System.nanoTime() - start < LIMIT.toNanos()) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    wholes.add((System.nanoTime() - start) / 1e9);
  }

  private static boolean isSeeded(BenchStream stream, String group) {
    return stream.streams().admin().groups(stream.name()).stream()
        .filter(info -> info.name().equals(group))
        .allMatch(GroupInfo::isSeeded);
  }

  /** Seconds to the first message. */
  Spread first() {
    return Spread.of(firsts);
  }

  /** Seconds until every partition has a cursor of the group. */
  Spread whole() {
    return Spread.of(wholes);
  }
}
