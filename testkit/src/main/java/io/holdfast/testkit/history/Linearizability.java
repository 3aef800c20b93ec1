package io.holdfast.testkit.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks for an order of the operations of a history that respects real time and that the model
 * allows.
 *
 * <p>The search is that of Wing and Gong with the memory of Lowe, arranged along the history: it
 * keeps every <em>configuration</em> that could be true now, which is a state together with those
 * operations under way that took effect already. When an operation returns, it must have taken
 * effect: each configuration without it is carried on by every sequence of operations under way
 * that ends with it. No configuration left: there is no such order. Configurations are compared, so
 * two ways to the same one are followed once.
 *
 * <p>This is the whole search and not a sample: every order that fits is a path through these
 * configurations, because an operation never needs to take effect earlier than just before some
 * answer requires it. Where nothing is under way a configuration is a state and no more, so a long
 * history costs no more than its busiest stretch. An operation without an answer stays under way
 * for good and doubles the work; there must be few.
 */
public final class Linearizability<S, A> {
  /** Generous for a handful of threads; far below what fills the memory. */
  public static final int DEFAULT_LIMIT = 20_000;

  private static final int SHOWN = 3;

  private final Model<S, A> model;
  private final int limit;

  /** One thing that could be true now. */
  private record Configuration<S, A>(S state, Set<Operation<A>> effective) {}

  /** One end of an operation. */
  private record Event<A>(long at, boolean isReturn, Operation<A> operation) {}

  /** Gives up, loudly, when more than {@code limit} configurations are possible at one moment. */
  public Linearizability(Model<S, A> model, int limit) {
    this.model = model;
    this.limit = limit;
  }

  /** The search gave up: nothing is known about the history. */
  public static final class GaveUp extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    GaveUp(String message) {
      super(message);
    }
  }

  /**
   * Passes if there is an order.
   *
   * @throws AssertionError if there is none; it names the first answer that nothing explains
   * @throws GaveUp if there were too many possibilities to tell
   */
  public void check(List<Operation<A>> history) {
    Set<Operation<A>> pending = new LinkedHashSet<>();
    Set<Configuration<S, A>> possible = new LinkedHashSet<>();
    possible.add(new Configuration<>(model.start(), Set.of()));
    for (Event<A> event : events(history)) {
      Operation<A> operation = event.operation();
      if (!event.isReturn()) {
        pending.add(operation);
        continue;
      }
      Set<Configuration<S, A>> next = carriedOn(possible, pending, operation);
      pending.remove(operation);
      if (next.isEmpty()) {
        throw new AssertionError(explain(operation, pending, possible));
      }
      possible = next;
    }
  }

  private static <A> List<Event<A>> events(List<Operation<A>> history) {
    List<Event<A>> events = new ArrayList<>();
    for (Operation<A> operation : history) {
      events.add(new Event<>(operation.invokedAt(), false, operation));
      if (operation.returnedAt() != Operation.NEVER) {
        events.add(new Event<>(operation.returnedAt(), true, operation));
      }
    }
    // At the same tick calls come before answers: they overlap, which allows more, never less.
    events.sort(Comparator.comparingLong((Event<A> e) -> e.at()).thenComparing(Event::isReturn));
    return events;
  }

  /** Everything that can be true once {@code returned} has taken effect. */
  private Set<Configuration<S, A>> carriedOn(
      Set<Configuration<S, A>> possible, Set<Operation<A>> pending, Operation<A> returned) {
    Set<Configuration<S, A>> done = new LinkedHashSet<>();
    Set<Configuration<S, A>> seen = new HashSet<>(possible);
    Deque<Configuration<S, A>> open = new ArrayDeque<>(possible);
    while (!open.isEmpty()) {
      Configuration<S, A> here = open.pop();
      if (here.effective().contains(returned)) {
        done.add(new Configuration<>(here.state(), without(here.effective(), returned)));
        continue;
      }
      for (Operation<A> operation : pending) {
        if (!here.effective().contains(operation)) {
          Optional<S> state = model.after(here.state(), operation.action());
          state
              .map(s -> new Configuration<>(s, with(here.effective(), operation)))
              .filter(seen::add)
              .ifPresent(open::push);
        }
      }
      if (seen.size() > limit) {
        throw new GaveUp("more than " + limit + " possibilities before the answer of " + returned);
      }
    }
    return done;
  }

  private static <T> Set<T> with(Set<T> set, T element) {
    Set<T> larger = new HashSet<>(set);
    larger.add(element);
    return larger;
  }

  private static <T> Set<T> without(Set<T> set, T element) {
    Set<T> smaller = new HashSet<>(set);
    smaller.remove(element);
    return smaller;
  }

  private String explain(
      Operation<A> operation, Set<Operation<A>> pending, Set<Configuration<S, A>> possible) {
    String before =
        possible.stream()
            .limit(SHOWN)
            .map(c -> c.state() + " after " + c.effective())
            .collect(Collectors.joining("\n  "));
    return "no order of the calls explains "
        + operation
        + "\nunder way: "
        + pending
        + "\npossible before, "
        + possible.size()
        + " in all:\n  "
        + before;
  }
}
