package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.Retry;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ends leases: one statement for all requests. Only requests with an item for an existing dead
 * queue need a transaction, which the first statement finds out without touching them.
 */
final class PostgresSettler implements ItemSettler {
  private static final int DEAD_QUEUE_TRIES = 3;

  private final PartitionContext context;
  private final Refusals refusals;
  private final DeadLetters dead;

  PostgresSettler(PartitionContext context) {
    this.context = context;
    this.refusals = new Refusals(context, false);
    this.dead = new DeadLetters(context);
  }

  /** Adds up what several statements changed. */
  private static final class Sum {
    private Changes changes = Changes.NONE;

    void add(Changes more) {
      changes = changes.plus(more);
    }
  }

  @Override
  public Settled complete(List<List<String>> requests, StoreCall call) {
    Sum sum = new Sum();
    List<@Nullable Fault> faults =
        refusals.settle(requests, call, places -> completeSome(requests, places, sum, call));
    return new Settled(faults, sum.changes);
  }

  private record Completed(boolean active, List<Integer> done, int removed) {}

  private List<Integer> completeSome(
      List<List<String>> requests, List<Integer> places, Sum sum, StoreCall call) {
    List<Integer> numbers = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (int place : places) {
      for (String id : requests.get(place)) {
        numbers.add(place);
        ids.add(id);
      }
    }
    Completed completed = context.change("complete", call, watch -> complete(watch, numbers, ids));
    if (!completed.active()) {
      throw context.noQueue();
    }
    sum.add(new Changes(0, null, 0, completed.removed(), List.of()));
    return completed.done();
  }

  private Completed complete(Watch watch, List<Integer> numbers, List<String> ids)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(context.sql.complete)) {
      Binds.of(statement).text(context.name()).integers(numbers).texts(ids);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Completed(
            row.getBoolean("active"), ItemRows.integers(row, "done"), row.getInt("removed"));
      }
    }
  }

  @Override
  public Settled retry(List<List<Retry>> requests, StoreCall call) {
    Sum sum = new Sum();
    List<List<String>> ids =
        requests.stream().map(request -> request.stream().map(Retry::id).toList()).toList();
    List<@Nullable Fault> faults =
        refusals.settle(ids, call, places -> retrySome(new Batch(requests, places), sum, call));
    context.arrived(sum.changes.firstReady());
    return new Settled(faults, sum.changes);
  }

  /** Some of the requests, flat. */
  private record Batch(List<List<Retry>> requests, List<Integer> places) {
    List<Integer> numbers() {
      List<Integer> numbers = new ArrayList<>();
      places.forEach(place -> requests.get(place).forEach(item -> numbers.add(place)));
      return numbers;
    }

    List<Retry> items() {
      return places.stream().flatMap(place -> requests.get(place).stream()).toList();
    }

    List<String> ids() {
      return items().stream().map(Retry::id).toList();
    }

    List<@Nullable Instant> instants() {
      List<@Nullable Instant> instants = new ArrayList<>();
      items().forEach(item -> instants.add(item.retryAt()));
      return instants;
    }
  }

  /** What the statement did; {@code deferred} are those it left for a transaction. */
  private record Retried(List<Integer> done, List<Integer> deferred, Outcome outcome) {}

  private Set<Integer> retrySome(Batch batch, Sum sum, StoreCall call) {
    Retried retried = required(context.change("retry", call, watch -> retry(watch, batch, null)));
    Set<Integer> done = new TreeSet<>(retried.done());
    sum.add(retried.outcome().changes(0));
    for (int i = 0; i < DEAD_QUEUE_TRIES && !retried.deferred().isEmpty(); i++) {
      retried = bury(new Batch(batch.requests(), retried.deferred()), retried.outcome(), sum, call);
      done.addAll(retried.done());
    }
    return done;
  }

  private Retried bury(Batch batch, Outcome seen, Sum sum, StoreCall call) {
    String expected = seen.deadQueue();
    if (expected == null) {
      throw new IllegalStateException("deferred without a dead queue");
    }
    dead.prepare(new DeadLetters.Target(expected, seen.deadPartitions()), batch.ids(), call);
    List<Changes> moved = new ArrayList<>();
    Retried retried =
        required(
            dead.moving(
                "retry",
                call,
                watch -> {
                  Retried result = retry(watch, batch, expected);
                  moved.clear();
                  if (result != null) {
                    moved.add(dead.bury(watch, result.outcome()));
                  }
                  return result;
                }));
    sum.add(retried.outcome().changes(0));
    moved.forEach(sum::add);
    return retried;
  }

  private Retried required(@Nullable Retried retried) {
    if (retried == null) {
      throw context.noQueue();
    }
    return retried;
  }

  private @Nullable Retried retry(Watch watch, Batch batch, @Nullable String deadQueue)
      throws SQLException {
    List<Retry> items = batch.items();
    try (PreparedStatement statement = watch.prepare(context.sql.retry)) {
      Binds.of(statement)
          .now(context.kernel.time())
          .text(context.name())
          .number(context.nextPrefix())
          .integers(batch.numbers())
          .texts(batch.ids())
          .instants(batch.instants())
          .flags(items.stream().map(Retry::dead).toList())
          .texts(context.kernel.suffixes().take(items.size()))
          .text(deadQueue);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new Retried(
                ItemRows.integers(row, "done"), ItemRows.integers(row, "deferred"), Outcome.of(row))
            : null;
      }
    }
  }
}
