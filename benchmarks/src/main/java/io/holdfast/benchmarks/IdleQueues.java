package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Counts what a process says to the server while nobody uses any of its queues. */
final class IdleQueues {
  /** After this long, what the start of a process has to look at is done; a tiny run waits less. */
  private static final Duration SETTLING = Duration.ofSeconds(6);

  private final StatementTimes statements = new StatementTimes();
  private final QueueProfile profile;
  private final Place place;

  IdleQueues(QueueProfile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  /** Makes the queues, each with a table that was used, then watches a process that only starts. */
  void measure() throws InterruptedException {
    create();
    try (PostgresHoldfast holdfast =
        PostgresHoldfast.open(place.url(), BenchQueue.options(place).withListener(statements))) {
      holdfast.queues().start();
      TimeUnit.MILLISECONDS.sleep(Math.min(SETTLING.toMillis(), profile.idleFor().toMillis()));
      statements.reset();
      TimeUnit.MILLISECONDS.sleep(profile.idleFor().toMillis());
    }
  }

  private void create() {
    try (PostgresHoldfast holdfast =
        PostgresHoldfast.open(place.url(), BenchQueue.options(place))) {
      for (int i = 0; i < profile.idleQueues(); i++) {
        Queue queue = holdfast.queues().queue("bench-idle-" + i);
        holdfast.queues().create(NewQueue.named(queue.name()));
        queue.produce(NewItem.of(BenchQueue.PAYLOAD));
        queue.complete(queue.lease(new LeaseRequest("idle", 1, BenchQueue.TIMEOUT)));
      }
    }
  }

  double perSecond() {
    return statements.total() / (profile.idleFor().toMillis() / 1e3);
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(StatementTimes.HEADER);
    rows.addAll(statements.rows("Holdfast"));
    return rows;
  }
}
