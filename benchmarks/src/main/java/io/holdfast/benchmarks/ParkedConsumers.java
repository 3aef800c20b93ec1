package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Counts what a process says to the server while its consumers wait for something to come. */
final class ParkedConsumers {
  private static final String QUEUE = "bench-parked";

  /** After this long every group is registered; a tiny run waits less. */
  private static final Duration SETTLING = Duration.ofSeconds(10);

  private final StatementTimes statements = new StatementTimes();
  private final StreamProfile profile;
  private final Place place;
  private double perSecond;

  ParkedConsumers(StreamProfile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  void measure() throws InterruptedException {
    try (PostgresHoldfast holdfast =
        PostgresHoldfast.open(place.url(), BenchQueue.options(place).withListener(statements))) {
      holdfast.streams().configure(StreamConfig.of(QUEUE));
      List<CompletableFuture<Popped>> waiting = park(holdfast);
      TimeUnit.MILLISECONDS.sleep(Math.min(SETTLING.toMillis(), profile.parkedFor().toMillis()));
      statements.reset();
      long start = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(profile.parkedFor().toMillis());
      perSecond = statements.total() / ((System.nanoTime() - start) / 1e9);
      if (waiting.stream().anyMatch(CompletableFuture::isDone)) {
        throw new IllegalStateException("a consumer does not wait any more");
      }
      waiting.forEach(pop -> pop.cancel(true));
    }
  }

  private List<CompletableFuture<Popped>> park(PostgresHoldfast holdfast) {
    List<CompletableFuture<Popped>> waiting = new ArrayList<>();
    for (int i = 0; i < profile.parked(); i++) {
      waiting.add(
          holdfast
              .streams()
              .popAsync(
                  PopRequest.of(QUEUE)
                      .group("group-" + i % profile.groups())
                      .waiting(Duration.ofMinutes(10))));
    }
    return waiting;
  }

  double perSecond() {
    return perSecond;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(StatementTimes.HEADER);
    rows.addAll(statements.rows("Holdfast"));
    return rows;
  }
}
