package io.holdfast.testkit.history;

import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One partition, step by step: what is ready, in the order of ids, and what is leased.
 *
 * <p>A lease takes the oldest ready items. It may pass over items that a lease with an overlapping
 * call takes, for a store lets rivals skip what another is about to take; so overlapping leases are
 * one claim, whose union is the prefix. An empty answer has no such excuse: there must be a moment
 * at which nothing was ready.
 */
final class QueueModel implements Model<QueueModel.State, QueueStep> {
  /** Ids by state; one that is in neither is gone, or not there yet. */
  record State(NavigableSet<String> ready, Set<String> leased) {
    private State moved(Collection<String> outOfReady, Collection<String> intoLeased) {
      NavigableSet<String> less = new TreeSet<>(ready);
      less.removeAll(Set.copyOf(outOfReady));
      Set<String> more = new TreeSet<>(leased);
      more.addAll(intoLeased);
      return new State(less, more);
    }

    private State returned(Collection<String> outOfLeased, Collection<String> intoReady) {
      NavigableSet<String> more = new TreeSet<>(ready);
      more.addAll(intoReady);
      Set<String> less = new TreeSet<>(leased);
      less.removeAll(Set.copyOf(outOfLeased));
      return new State(more, less);
    }
  }

  @Override
  public State start() {
    return new State(new TreeSet<>(), new TreeSet<>());
  }

  @Override
  public Optional<State> after(State state, QueueStep step) {
    if (step instanceof QueueStep.Add add) {
      return Optional.of(state.returned(List.of(), add.ids()));
    }
    if (step instanceof QueueStep.Take take) {
      return Optional.of(state)
          .filter(s -> allows(s, take))
          .map(s -> s.moved(take.ids(), take.ids()));
    }
    if (step instanceof QueueStep.Settle settle) {
      return Optional.of(state)
          .filter(s -> s.leased().containsAll(settle.ids()))
          .map(s -> s.returned(settle.ids(), settle.next()));
    }
    if (step instanceof QueueStep.Refuse refuse) {
      return Optional.of(state).filter(s -> !s.leased().containsAll(refuse.ids()));
    }
    QueueStep.Expire expire = (QueueStep.Expire) step;
    if (expire.before() != null && state.leased().contains(expire.before())) {
      return Optional.empty();
    }
    return Optional.of(
        state.leased().contains(expire.id())
            ? state.returned(List.of(expire.id()), List.of(expire.next()))
            : state);
  }

  private static boolean allows(State state, QueueStep.Take take) {
    List<String> ids = take.ids();
    if (ids.isEmpty()) {
      return state.ready().isEmpty();
    }
    boolean isFull = ids.size() == take.batch();
    NavigableSet<String> older =
        isFull ? state.ready().headSet(ids.get(ids.size() - 1), false) : state.ready();
    return state.ready().containsAll(ids)
        && older.stream().allMatch(id -> ids.contains(id) || take.rivals().contains(id));
  }
}
