package io.holdfast.testkit.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What concurrent callers did with one partition, and the proof that it could have been done one
 * call after the other: nothing is leased twice at a time or after its end, nothing is lost, an
 * empty answer was true at some moment, and what came first is leased first.
 *
 * <p>Items are told apart by labels, which every payload carries and no two items share, because
 * the id under which an item comes back is told to nobody. A later lease shows it: ids of a label
 * only grow, so the id after the one that was given back is the one it got. An item that is never
 * leased again keeps an id that sorts last: it stands in nobody's way, and still belies a later
 * empty answer.
 *
 * <p>Recording is safe for use by many threads.
 */
public final class QueueHistory {
  private final Recorder<Call> recorder = new Recorder<>();
  private final Duration slack;

  /** Of a queue that ends leases at most {@code slack} after their deadline. */
  public QueueHistory(Duration slack) {
    this.slack = slack;
  }

  private sealed interface Call {}

  private record Produce(List<String> labels, List<String> ids) implements Call {}

  private record Lease(int batch, List<Taken> items) implements Call {}

  private record Settle(List<String> ids, boolean isRetry, boolean isDone) implements Call {}

  private record Sweep(Instant clock) implements Call {}

  /** An item in a lease answer. */
  public record Taken(String id, String label, Instant deadline) {}

  /** A call is about to be made; answers what to pass on when it is over. */
  public long begin() {
    return recorder.begin();
  }

  /** A produce was acknowledged with these ids. */
  public void produced(long begun, List<String> labels, List<String> ids) {
    recorder.end(begun, new Produce(labels, ids));
  }

  /** A produce was sent, and its answer lost. */
  public void produceLost(long begun, List<String> labels) {
    recorder.lost(begun, new Produce(labels, List.of()));
  }

  /** A lease was answered, perhaps with nothing. */
  public void leased(long begun, int batch, List<Taken> items) {
    recorder.end(begun, new Lease(batch, items));
  }

  /** A complete was done, or refused because some id was not leased. */
  public void completed(long begun, List<String> ids, boolean isDone) {
    recorder.end(begun, new Settle(ids, false, isDone));
  }

  /** A complete was sent, and its answer lost. */
  public void completeLost(long begun, List<String> ids) {
    recorder.lost(begun, new Settle(ids, false, true));
  }

  /** An immediate retry was done, or refused because some id was not leased. */
  public void retried(long begun, List<String> ids, boolean isDone) {
    recorder.end(begun, new Settle(ids, true, isDone));
  }

  /** The clock was moved to {@code clock} and every lease that is over for long was ended. */
  public void swept(long begun, Instant clock) {
    recorder.end(begun, new Sweep(clock));
  }

  /** Passes if all this could have happened one after the other. */
  public void check() {
    check(Linearizability.DEFAULT_LIMIT);
  }

  void check(int limit) {
    Resolved resolved = new Resolved(recorder.operations(), slack);
    resolved.checkAnswers();
    List<Operation<QueueStep>> steps = resolved.steps();
    checkTail(steps);
    new Linearizability<>(new QueueModel(), limit).check(steps);
  }

  /** What arrives after an arrival was answered stands behind it. */
  private static void checkTail(List<Operation<QueueStep>> steps) {
    List<Operation<NavigableSet<String>>> arrivals = new ArrayList<>();
    for (Operation<QueueStep> step : steps) {
      NavigableSet<String> ids = new TreeSet<>(arriving(step.action()));
      ids.removeIf(Resolved::isUnseen);
      if (!ids.isEmpty()) {
        arrivals.add(new Operation<>(ids, step.invokedAt(), step.returnedAt()));
      }
    }
    for (Operation<NavigableSet<String>> first : arrivals) {
      for (Operation<NavigableSet<String>> second : arrivals) {
        if (first.precedes(second)) {
          require(
              first.action().last().compareTo(second.action().first()) < 0,
              "a later arrival stands before an earlier one: " + first + ", " + second);
        }
      }
    }
  }

  private static List<String> arriving(QueueStep step) {
    if (step instanceof QueueStep.Add add) {
      return add.ids();
    }
    if (step instanceof QueueStep.Settle settle) {
      return settle.next();
    }
    return step instanceof QueueStep.Expire expire ? List.of(expire.next()) : List.of();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  /** The history with an id for every arrival. */
  private static final class Resolved {
    private final List<Operation<Call>> calls;
    private final Duration slack;
    private final Map<String, NavigableSet<String>> idsOfLabel = new HashMap<>();
    private final Map<String, String> labelOfId = new HashMap<>();
    private final Set<String> settled = new HashSet<>();
    private final Map<String, Long> seen = new HashMap<>();

    Resolved(List<Operation<Call>> calls, Duration slack) {
      this.calls = calls;
      this.slack = slack;
      Set<String> produced = new HashSet<>();
      for (Operation<Call> call : calls) {
        if (call.action() instanceof Produce produce) {
          produce.labels().forEach(l -> require(produced.add(l), "label used twice: " + l));
          for (int i = 0; i < produce.ids().size(); i++) {
            note(produce.labels().get(i), produce.ids().get(i));
          }
        } else if (call.action() instanceof Lease lease) {
          lease.items().forEach(item -> note(item.label(), item.id()));
          lease.items().forEach(item -> seen.put(item.id(), call.returnedAt()));
        } else if (call.action() instanceof Settle settle
            && settle.isDone()
            && call.returnedAt() != Operation.NEVER) {
          settled.addAll(settle.ids());
        }
      }
    }

    private void note(String label, String id) {
      String before = labelOfId.put(id, label);
      require(before == null || before.equals(label), "two items have the id " + id);
      idsOfLabel.computeIfAbsent(label, l -> new TreeSet<>()).add(id);
    }

    static boolean isUnseen(String id) {
      return id.startsWith("~");
    }

    private String firstId(String label) {
      NavigableSet<String> ids = idsOfLabel.get(label);
      return ids == null ? "~" + label : ids.first();
    }

    private String nextId(String id) {
      String label = Objects.requireNonNull(labelOfId.get(id), () -> "nobody was given " + id);
      String next = Objects.requireNonNull(idsOfLabel.get(label)).higher(id);
      return next == null ? "~" + label : next;
    }

    /** What each answer has to be like by itself. */
    void checkAnswers() {
      for (Operation<Call> call : calls) {
        if (call.action() instanceof Produce produce && !produce.ids().isEmpty()) {
          require(produce.ids().size() == produce.labels().size(), "an id per item: " + call);
          require(isGrowing(produce.ids()), "a request keeps its order: " + call);
          produce.labels().stream()
              .filter(label -> !produce.ids().contains(firstId(label)))
              .forEach(label -> require(false, label + " came back under a smaller id"));
        } else if (call.action() instanceof Lease lease) {
          require(lease.items().size() <= lease.batch(), "more than its batch: " + call);
          require(isGrowing(ids(lease)), "a lease answers in the order of ids: " + call);
        }
      }
    }

    private static boolean isGrowing(List<String> ids) {
      return ids.stream().sorted().distinct().toList().equals(ids);
    }

    private static List<String> ids(Lease lease) {
      return lease.items().stream().map(Taken::id).toList();
    }

    List<Operation<QueueStep>> steps() {
      List<Operation<QueueStep>> steps = new ArrayList<>();
      for (Operation<Call> call : calls) {
        if (call.action() instanceof Produce produce) {
          steps.add(as(call, new QueueStep.Add(resolved(produce))));
        } else if (call.action() instanceof Lease lease) {
          steps.add(as(call, new QueueStep.Take(lease.batch(), ids(lease), rivals(call))));
          expiries(call, lease, steps);
        } else if (call.action() instanceof Settle settle) {
          steps.add(as(call, step(settle)));
        }
      }
      return inOrder(steps);
    }

    private static Operation<QueueStep> as(Operation<Call> call, QueueStep step) {
      return new Operation<>(step, call.invokedAt(), call.returnedAt());
    }

    private List<String> resolved(Produce produce) {
      return produce.labels().stream().map(this::firstId).toList();
    }

    private QueueStep step(Settle settle) {
      if (!settle.isDone()) {
        return new QueueStep.Refuse(settle.ids());
      }
      List<String> next =
          settle.isRetry() ? settle.ids().stream().map(this::nextId).toList() : List.of();
      return new QueueStep.Settle(settle.ids(), next);
    }

    private Set<String> rivals(Operation<Call> mine) {
      Set<String> taken = new HashSet<>();
      for (Operation<Call> other : calls) {
        if (other != mine && other.action() instanceof Lease lease && other.overlaps(mine)) {
          taken.addAll(ids(lease));
        }
      }
      return taken;
    }

    /**
     * A lease ends once its deadline has passed, and not later than the slack allows or somebody
     * has the item again. One that its holder settled did not end that way, or he would have been
     * refused.
     */
    private void expiries(Operation<Call> call, Lease lease, List<Operation<QueueStep>> into) {
      for (Taken item : lease.items()) {
        List<Operation<Call>> due = sweeps(call, item.deadline());
        if (!due.isEmpty() && !settled.contains(item.id())) {
          String next = nextId(item.id());
          long latest =
              sweeps(call, item.deadline().plus(slack)).stream()
                  .mapToLong(Operation::returnedAt)
                  .findFirst()
                  .orElse(Operation.NEVER);
          long seenAt = seen.getOrDefault(next, Operation.NEVER);
          into.add(
              new Operation<>(
                  new QueueStep.Expire(item.id(), next, null),
                  due.get(0).invokedAt(),
                  Math.min(latest, seenAt)));
        }
      }
    }

    /** Those that could see this lease with its deadline passed, the first of them first. */
    private List<Operation<Call>> sweeps(Operation<Call> lease, Instant deadline) {
      return calls.stream()
          .filter(sweep -> sweep.returnedAt() > lease.invokedAt())
          .filter(sweep -> isDue(sweep.action(), deadline))
          .sorted(Comparator.comparingLong(Operation::invokedAt))
          .toList();
    }

    /**
     * Leases end in the order of the ids their items get, because each gets the greatest. Saying so
     * spares the search all other orders, of which a sweep over many items has too many.
     */
    private static List<Operation<QueueStep>> inOrder(List<Operation<QueueStep>> steps) {
      NavigableMap<String, String> ended = new TreeMap<>();
      for (Operation<QueueStep> step : steps) {
        if (step.action() instanceof QueueStep.Expire expire && !isUnseen(expire.next())) {
          ended.put(expire.next(), expire.id());
        }
      }
      return steps.stream()
          .map(
              step -> {
                if (!(step.action() instanceof QueueStep.Expire expire)) {
                  return step;
                }
                Map.Entry<String, String> before = ended.lowerEntry(expire.next());
                return new Operation<QueueStep>(
                    new QueueStep.Expire(
                        expire.id(), expire.next(), before == null ? null : before.getValue()),
                    step.invokedAt(),
                    step.returnedAt());
              })
          .toList();
    }

    private static boolean isDue(Call call, Instant deadline) {
      return call instanceof Sweep sweep && !sweep.clock().isBefore(deadline);
    }
  }
}
