package io.holdfast.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one enqueue. Of rows that share an idempotency key only the first is stored.
 *
 * @param rows those to store
 * @param places for each job asked for, the index of its row
 */
public record Batch(List<JobRow> rows, List<Integer> places) {
  /** Divides rows; fails when two of them have one id and not one key. */
  public static Batch of(List<JobRow> all) {
    List<JobRow> rows = new ArrayList<>(all.size());
    List<Integer> places = new ArrayList<>(all.size());
    Map<String, Integer> keys = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (JobRow row : all) {
      String key = keyOf(row);
      Integer first = key == null ? null : keys.get(key);
      if (first != null) {
        places.add(first);
        continue;
      }
      if (!ids.add(row.id())) {
        throw JobException.duplicate(row.id());
      }
      if (key != null) {
        keys.put(key, rows.size());
      }
      places.add(rows.size());
      rows.add(row);
    }
    return new Batch(rows, places);
  }

  private static @Nullable String keyOf(JobRow row) {
    String key = row.keys().idempotency();
    return key == null ? null : row.queue() + '\0' + key;
  }

  /** What no other call of the same statement may name. */
  Collection<String> names() {
    List<String> names = new ArrayList<>();
    for (JobRow row : rows) {
      if (row.draft().id() != null) {
        names.add("id " + row.id());
      }
      String key = keyOf(row);
      if (key != null) {
        names.add("key " + key);
      }
    }
    return names;
  }

  /** The answers for the jobs asked for, from those for the rows. */
  public List<Enqueued> answers(List<Enqueued> stored) {
    List<Enqueued> answers = new ArrayList<>(places.size());
    Set<Integer> seen = new HashSet<>();
    for (int place : places) {
      Enqueued row = stored.get(place);
      answers.add(seen.add(place) ? row : new Enqueued(row.id(), true));
    }
    return answers;
  }
}
