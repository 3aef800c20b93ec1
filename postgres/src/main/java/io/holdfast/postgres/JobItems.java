package io.holdfast.postgres;

import io.holdfast.job.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some of the items of a call, in the order of their ids, which is the order in which rows are
 * locked. Statements know an item by its number here, from 1.
 *
 * @param items the items
 * @param places where each of them was in the call
 */
record JobItems<T>(List<T> items, List<Integer> places, Function<? super T, Held> held) {
  /** Those of {@code all} that are of {@code type}. */
  static <T, S extends T> JobItems<S> of(
      List<? extends T> all, Class<S> type, Function<? super S, Held> held) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (type.isInstance(all.get(i))) {
        places.add(i);
      }
    }
    places.sort(Comparator.comparing(i -> held.apply(type.cast(all.get(i))).id()));
    List<S> items = new ArrayList<>(places.size());
    places.forEach(place -> items.add(type.cast(all.get(place))));
    return new JobItems<>(items, places, held);
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  int size() {
    return items.size();
  }

  /** The run that the item of this index is about. */
  Held heldAt(int index) {
    return held.apply(items.get(index));
  }

  List<String> ids() {
    return each(item -> held.apply(item).id());
  }

  List<String> tokens() {
    return each(item -> held.apply(item).token());
  }

  <V extends @Nullable Object> List<V> each(Function<? super T, V> field) {
    List<V> values = new ArrayList<>(items.size());
    items.forEach(item -> values.add(field.apply(item)));
    return values;
  }
}
