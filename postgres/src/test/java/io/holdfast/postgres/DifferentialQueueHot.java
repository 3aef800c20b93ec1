package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialQueueOp.one;
import static io.holdfast.postgres.DifferentialQueueSide.CALL;

import io.holdfast.postgres.DifferentialQueueOp.Question;
import io.holdfast.queue.Content;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemLeaser.Extend;
import io.holdfast.queue.ItemLeaser.Extension;
import io.holdfast.queue.ItemProducer.Produced;
import io.holdfast.queue.ItemSettler.Settled;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What producers and consumers ask. */
final class DifferentialQueueHot {
  private DifferentialQueueHot() {}

  /** A moment near the one from which on an item counts as scheduled, or well beyond it. */
  private static @Nullable Instant near(DifferentialQueueModel model, int n) {
    Long ms = one(n, null, 100L, 99L, 101L, 700L, null, 1500L, -5L, 1000L);
    return ms == null ? null : model.now().plusMillis(ms);
  }

  static Content content(String label) {
    return new Content(label.getBytes(StandardCharsets.UTF_8), label, "e" + label, "k" + label);
  }

  static Question produce(DifferentialQueueOp op, DifferentialQueueModel model) {
    List<List<NewItem>> requests = new ArrayList<>();
    for (int i = 0; i <= op.a() % 3; i++) {
      List<NewItem> request = new ArrayList<>();
      for (int j = 0; j <= op.b() % 3; j++) {
        int n = (op.c() + i * 5 + j) % 24;
        request.add(new NewItem(content(model.newLabel()), n < 10 ? null : near(model, n)));
      }
      requests.add(request);
    }
    List<String> places =
        requests.stream()
            .flatMap(List::stream)
            .map(NewItem::enqueueAt)
            .flatMap(at -> ahead("produce", model, at))
            .toList();
    int all = requests.size() * requests.get(0).size();
    return new Question(
        "produce " + requests + " to " + op.queue() + op.partition(),
        side -> side.partition(op.queue(), op.partition()).produce(requests, CALL),
        answer -> {
          if (!(answer instanceof Produced done)) {
            return List.of("produce:no queue");
          }
          return List.of(
              "produce:"
                  + (done.ready() == all ? "ready" : done.ready() == 0 ? "scheduled" : "both"));
        },
        places);
  }

  private static Stream<String> ahead(
      String what, DifferentialQueueModel model, @Nullable Instant at) {
    long ms = at == null ? 0 : model.now().until(at, java.time.temporal.ChronoUnit.MILLIS);
    return ms >= 99 && ms <= 101 ? Stream.of("%s ahead %d".formatted(what, ms)) : Stream.empty();
  }

  static Question lease(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op =
        given.b() % 4 == 3 ? given : given.where(model, DifferentialQueueModel::isReady);
    int limit = one(op.a(), 3, 1, 2, 10);
    List<StoredItem> ready =
        model.items(op.queue(), op.partition()).stream()
            .filter(DifferentialQueueModel::isReady)
            .toList();
    String nothing =
        model.isPaused(op.queue()) && !ready.isEmpty()
            ? "paused"
            : ready.isEmpty() ? "none" : "all expired";
    return new Question(
        "lease " + limit + " of " + op.queue() + op.partition(),
        side -> side.partition(op.queue(), op.partition()).lease(limit, CALL),
        answer -> {
          if (answer instanceof QueueException) {
            return List.of("lease:no queue");
          }
          return List.of("lease:" + (((List<?>) answer).isEmpty() ? nothing : "some"));
        },
        model.places("lease at expiry", ready, item -> item.times().expireDeadline()));
  }

  /** Where somebody holds something, mostly. */
  private static DifferentialQueueOp whereHeld(
      DifferentialQueueOp op, DifferentialQueueModel model) {
    if (op.a() % 8 == 7) {
      return op;
    }
    DifferentialQueueOp there = op.where(model, StoredItem::isLeased);
    return op.a() % 2 == 0
        ? there.where(model, item -> item.isLeased() && model.isExpired(item))
        : there;
  }

  /** Requests of one or two ids each, no id twice: held ones, and some that are not. */
  private static List<List<String>> requests(DifferentialQueueOp op, DifferentialQueueModel model) {
    String queue = op.queue();
    int part = op.partition();
    Set<String> pool = new LinkedHashSet<>();
    if (op.c() % 3 == 1) {
      pool.addAll(
          switch (op.a() % 4) {
            case 0 -> List.of(model.old(op.b()));
            case 1 -> model.names(queue, part, DifferentialQueueModel::isReady, op.a());
            case 2 -> model.names(queue, part, DifferentialQueueModel::isScheduled, op.a());
            default -> List.of(model.unknown(op.a()));
          });
    }
    List<String> bad = pool.stream().limit(1).toList();
    pool = new LinkedHashSet<>();
    List<String> held = new ArrayList<>();
    if (op.a() % 2 == 0) {
      held.addAll(model.names(queue, part, i -> i.isLeased() && model.isExpired(i), op.a()));
    }
    held.addAll(model.names(queue, part, StoredItem::isLeased, op.a()));
    held.stream().limit(op.b() % 3).forEach(pool::add);
    pool.addAll(bad);
    pool.addAll(held);
    List<String> names = pool.stream().limit(4).toList();
    if (names.isEmpty()) {
      return List.of(List.of(model.unknown(op.a())));
    }
    int size = 1 + op.b() % 2;
    List<List<String>> requests = new ArrayList<>();
    int most = 1 + op.b() / 2 % 3;
    for (int from = 0; from < names.size() && requests.size() < most; from += size) {
      requests.add(names.subList(from, Math.min(names.size(), from + size)));
    }
    return requests;
  }

  /** The items that such names stand for and that are held. */
  private static List<StoredItem> held(
      DifferentialQueueOp op, DifferentialQueueModel model, List<List<String>> requests) {
    Set<String> names = requests.stream().flatMap(List::stream).collect(Collectors.toSet());
    return model.items(op.queue(), op.partition()).stream()
        .filter(item -> item.isLeased() && names.contains(model.memory.name(item.id())))
        .toList();
  }

  private static List<String> faults(String what, List<@Nullable Fault> faults) {
    List<String> seen = new ArrayList<>();
    for (Fault fault : faults) {
      seen.add(what + ":" + (fault == null ? "done" : fault.reason()));
    }
    if (faults.contains(null) && seen.stream().distinct().count() > 1) {
      seen.add(what + ":some of the requests");
    }
    return seen;
  }

  static Question complete(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op = whereHeld(given, model);
    List<List<String>> requests = requests(op, model);
    List<StoredItem> held = held(op, model, requests);
    boolean isLate = held.stream().anyMatch(model::isLapsed);
    return new Question(
        "complete " + requests + " of " + op.queue() + op.partition(),
        side ->
            side.partition(op.queue(), op.partition())
                .complete(requests.stream().map(side::ids).toList(), CALL),
        answer -> {
          if (!(answer instanceof Settled settled)) {
            return List.of("complete:no queue");
          }
          List<String> seen = new ArrayList<>(faults("complete", settled.faults()));
          if (isLate && settled.changes().removed() > 0) {
            seen.add("complete:late");
          }
          return seen;
        },
        model.places("complete at deadline", held, item -> item.times().leaseDeadline()));
  }

  static Question extend(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op = whereHeld(given, model);
    List<List<String>> requests = requests(op, model);
    Duration by = one(op.c(), null, Duration.ofMillis(200), Duration.ofMillis(1500));
    return new Question(
        "extend " + requests + " of " + op.queue() + op.partition() + " by " + by,
        side ->
            side.partition(op.queue(), op.partition())
                .extend(requests.stream().map(ids -> new Extend(side.ids(ids), by)).toList(), CALL),
        answer -> {
          if (answer instanceof QueueException) {
            return List.of("extend:no queue");
          }
          List<@Nullable Fault> faults = new ArrayList<>();
          ((List<?>) answer).forEach(each -> faults.add(((Extension) each).fault()));
          return faults("extend", faults);
        },
        model.places(
            "extend at deadline", held(op, model, requests), item -> item.times().leaseDeadline()));
  }

  static Question handBack(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op = whereHeld(given, model);
    List<String> names = requests(op, model).get(0);
    return new Question(
        "hand back " + names + " of " + op.queue() + op.partition(),
        side -> side.partition(op.queue(), op.partition()).handBack(side.ids(names), CALL),
        answer ->
            List.of(
                "hand back:"
                    + (answer instanceof QueueException
                        ? "no queue"
                        : answer.equals(0) ? "none" : "some")));
  }

  static Question retry(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op = whereHeld(given, model);
    List<List<Retry>> requests = retries(op, model);
    List<String> steps = new ArrayList<>();
    for (Retry retry : requests.stream().flatMap(List::stream).toList()) {
      step(op, model, retry).ifPresent(steps::add);
    }
    List<StoredItem> held =
        held(
            op,
            model,
            requests.stream().map(each -> each.stream().map(Retry::id).toList()).toList());
    List<String> places =
        new ArrayList<>(
            model.places("retry at expiry", held, item -> item.times().expireDeadline()));
    requests.stream()
        .flatMap(List::stream)
        .flatMap(retry -> ahead("retry", model, retry.retryAt()))
        .forEach(places::add);
    return new Question(
        "retry " + requests + " of " + op.queue() + op.partition(),
        side -> {
          List<List<Retry>> own =
              requests.stream()
                  .map(
                      each ->
                          each.stream()
                              .map(r -> new Retry(side.id(r.id()), r.retryAt(), r.dead()))
                              .toList())
                  .toList();
          Settled settled = side.partition(op.queue(), op.partition()).retry(own, CALL);
          side.arrived(settled.changes());
          return settled;
        },
        answer -> {
          if (!(answer instanceof Settled settled)) {
            return List.of("retry:no queue");
          }
          List<String> seen = new ArrayList<>(faults("retry", settled.faults()));
          if (settled.faults().stream().allMatch(fault -> fault == null)) {
            steps.forEach(step -> seen.add("retry:" + step));
          }
          return seen;
        },
        places);
  }

  /**
   * Requests that need no dead queue come first: a store may do them before the others, and calls
   * that are under way together have no order.
   */
  private static List<List<Retry>> retries(DifferentialQueueOp op, DifferentialQueueModel model) {
    List<List<Retry>> requests = new ArrayList<>();
    int n = op.c();
    for (List<String> names : requests(op, model)) {
      List<Retry> request = new ArrayList<>();
      for (String name : names) {
        request.add(new Retry(name, near(model, n), n % 5 == 2));
        n += 7;
      }
      requests.add(request);
    }
    if (model.hasDeadQueue(op.queue())) {
      requests.sort(
          Comparator.comparing(
              each ->
                  each.stream()
                      .flatMap(retry -> step(op, model, retry).stream())
                      .anyMatch(step -> !step.startsWith("again") && !step.startsWith("later"))));
    }
    return requests;
  }

  private static java.util.Optional<String> step(
      DifferentialQueueOp op, DifferentialQueueModel model, Retry retry) {
    return model
        .item(op.queue(), op.partition(), retry.id())
        .filter(StoredItem::isLeased)
        .map(item -> model.step(op.queue(), item, retry))
        .map(
            step ->
                step.equals("again") || step.equals("later") || model.hasDeadQueue(op.queue())
                    ? step
                    : step + " without dead queue");
  }
}
