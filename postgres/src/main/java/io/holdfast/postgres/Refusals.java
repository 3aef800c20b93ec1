package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Fault;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests that are done as a whole or not at all, and finds out why one was refused. The read
 * comes after the statement that refused, so it may find nothing wrong: then the request runs once
 * more, and if it is refused again, the item keeps changing.
 */
final class Refusals {
  private final PartitionContext context;
  private final boolean needsTime;

  /**
   * For requests about held items.
   *
   * @param needsTime whether a lease that ran out is a fault too
   */
  Refusals(PartitionContext context, boolean needsTime) {
    this.context = context;
    this.needsTime = needsTime;
  }

  /** Runs some requests, named by their places, and answers which were done. */
  interface Step {
    Collection<Integer> run(List<Integer> places);
  }

  /** Per request, null where it was done. */
  List<@Nullable Fault> settle(List<List<String>> requests, StoreCall call, Step step) {
    List<@Nullable Fault> faults = new ArrayList<>();
    List<Integer> left = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      faults.add(null);
      left.add(i);
    }
    left.removeAll(Set.copyOf(step.run(left)));
    if (left.isEmpty()) {
      return faults;
    }
    Map<Integer, Fault> found = classify(requests, left, call);
    found.forEach(faults::set);
    left.removeAll(found.keySet());
    if (!left.isEmpty()) {
      left.removeAll(Set.copyOf(step.run(List.copyOf(left))));
      left.forEach(i -> faults.set(i, new Fault(requests.get(i).get(0), Fault.Reason.UNSTABLE)));
    }
    return faults;
  }

  private record State(boolean isLeased, boolean isScheduled, boolean isLapsed) {}

  private Map<Integer, Fault> classify(
      List<List<String>> requests, List<Integer> places, StoreCall call) {
    Set<String> ids =
        places.stream()
            .flatMap(i -> requests.get(i).stream())
            .collect(Collectors.toCollection(TreeSet::new));
    Map<String, State> states =
        context.look("classify", call, Map.of(), watch -> states(watch, List.copyOf(ids)));
    Map<Integer, Fault> faults = new LinkedHashMap<>();
    for (int place : places) {
      for (String id : requests.get(place)) {
        Fault.Reason reason = reason(states.get(id));
        if (reason != null) {
          faults.put(place, new Fault(id, reason));
          break;
        }
      }
    }
    return faults;
  }

  private Fault.@Nullable Reason reason(@Nullable State state) {
    if (state == null || state.isScheduled()) {
      return Fault.Reason.NOT_FOUND;
    }
    if (!state.isLeased()) {
      return Fault.Reason.NOT_LEASED;
    }
    return needsTime && state.isLapsed() ? Fault.Reason.LAPSED : null;
  }

  private Map<String, State> states(Watch watch, List<String> ids) throws SQLException {
    Map<String, State> states = new HashMap<>();
    try (PreparedStatement statement = watch.prepare(context.sql.classify)) {
      Binds.of(statement).now(context.kernel.time()).texts(ids);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          states.put(
              rows.getString("id"),
              new State(
                  rows.getBoolean("is_leased"),
                  rows.getBoolean("is_scheduled"),
                  rows.getBoolean("is_lapsed")));
        }
      }
    }
    return states;
  }
}
