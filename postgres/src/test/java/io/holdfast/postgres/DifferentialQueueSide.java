package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Changes.Arrival;
import io.holdfast.queue.ItemAdmin.Imported;
import io.holdfast.queue.ItemAdmin.Redrive;
import io.holdfast.queue.ItemSettler.Settled;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.StoredItem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of two stores that are asked the same. Ids differ between stores, so items have names: the
 * label in their payload and the how-many-eth id of that label it is, as {@code L7#2}. Every id a
 * store ever gave out keeps its name.
 */
final class DifferentialQueueSide {
  static final StoreCall CALL = StoreCall.plain();
  private static final int ALL = 1000;
  private static final Pattern ID = Pattern.compile("\\b[0-9A-Za-z]{27}\\b");
  private static final Pattern STORAGE = Pattern.compile("storage=[^,\\]]*");

  final QueueBackend backend;
  private final Map<String, QueueInfo> queues = new HashMap<>();
  private final Map<String, Partition> partitions = new HashMap<>();
  private final Map<String, String> nameOfId = new HashMap<>();
  private final Map<String, String> idOfName = new LinkedHashMap<>();
  private final Map<String, Integer> generations = new HashMap<>();
  private final Set<String> news = new TreeSet<>();

  DifferentialQueueSide(QueueBackend backend) {
    this.backend = backend;
  }

  /** Takes a queue over as a service does; a new one has new partitions, a stale one stays open. */
  QueueInfo created(QueueInfo queue) {
    partitions.keySet().removeIf(place -> place.startsWith(queue.name() + "/"));
    return changed(queue);
  }

  QueueInfo changed(QueueInfo queue) {
    queues.put(queue.name(), queue);
    queue.partitions().forEach(part -> partition(queue.name(), part.number()));
    return queue;
  }

  Partition partition(String queue, int number) {
    QueueInfo info = queues.get(queue);
    Partition open =
        partitions.computeIfAbsent(
            queue + "/" + number,
            place -> backend.partitions().open(info, info.partitions().get(number)));
    open.updateQueueInfo(info);
    return open;
  }

  /** Forgets what this process remembers of partitions. */
  Object reload() {
    partitions.values().forEach(Partition::reset);
    return "done";
  }

  /** As the service does with what arrived elsewhere. */
  Changes arrived(Changes changes) {
    changes.dead().forEach(there -> partition(there.queue(), 0).hinted(there.first()));
    return changes;
  }

  /** Everything in a partition, in whatever state. */
  List<StoredItem> items(String queue, int number) {
    try {
      Partition partition = partition(queue, number);
      return Stream.concat(
              partition.list("", ALL, CALL).stream(),
              partition.listScheduled("", ALL, CALL).stream())
          .toList();
    } catch (QueueException e) {
      return List.of();
    }
  }

  /** Gives names to new ids, in their order. */
  void learn(String queue) {
    for (int number = 0; number < queues.get(queue).partitions().size(); number++) {
      learn(queue, number);
    }
  }

  /** The same wherever the other store has just got new ids: the rest would cost too much time. */
  void learnAs(DifferentialQueueSide other) {
    other.news.forEach(
        place ->
            learn(place.substring(0, place.length() - 1), place.charAt(place.length() - 1) - '0'));
    other.news.clear();
  }

  private void learn(String queue, int number) {
    items(queue, number).stream()
        .sorted(Comparator.comparing(StoredItem::id))
        .forEach(item -> learn(item.id(), item.content().text(), queue + number));
  }

  private void learn(String id, String label, String place) {
    if (!nameOfId.containsKey(id)) {
      news.add(place);
      String name = label + "#" + generations.merge(label, 1, Integer::sum);
      nameOfId.put(id, name);
      idOfName.put(name, id);
    }
  }

  /** The id of that name; a text that is no name stands for itself. */
  String id(String name) {
    return idOfName.getOrDefault(name, name);
  }

  List<String> ids(List<String> names) {
    return names.stream().map(this::id).toList();
  }

  String name(String id) {
    return nameOfId.getOrDefault(id, id);
  }

  List<String> names() {
    return List.copyOf(idOfName.keySet());
  }

  /** An answer as text, with names in place of ids and without what stores may differ in. */
  String plain(Object answer) {
    String text = String.valueOf(comparable(answer));
    text = STORAGE.matcher(text).replaceAll("storage=*");
    return ID.matcher(text).replaceAll(id -> Matcher.quoteReplacement(name(id.group())));
  }

  private static Object comparable(Object answer) {
    if (answer instanceof QueueException e) {
      return e.kind() + " " + e.code();
    } else if (answer instanceof Changes changes) {
      return merged(changes);
    } else if (answer instanceof List<?> list) {
      return list.stream().map(DifferentialQueueSide::comparable).toList();
    } else if (answer instanceof Settled settled) {
      return settled.faults() + " " + merged(settled.changes());
    } else if (answer instanceof Imported imported) {
      return imported.items() + " " + merged(imported.changes());
    } else if (answer instanceof Redrive redrive) {
      return redrive.result() + " " + merged(redrive.changes());
    }
    return answer;
  }

  /** A store may tell of arrivals one by one or together. */
  private static Changes merged(Changes changes) {
    Map<String, Arrival> byPlace = new LinkedHashMap<>();
    for (Arrival arrival : changes.dead()) {
      byPlace.merge(
          arrival.queue() + "/" + arrival.partition(), arrival, DifferentialQueueSide::both);
    }
    return new Changes(
        changes.ready(),
        changes.firstReady(),
        changes.unready(),
        changes.removed(),
        new ArrayList<>(byPlace.values()));
  }

  private static Arrival both(Arrival a, Arrival b) {
    String first = a.first().compareTo(b.first()) < 0 ? a.first() : b.first();
    return new Arrival(a.queue(), a.partition(), a.count() + b.count(), first);
  }
}
