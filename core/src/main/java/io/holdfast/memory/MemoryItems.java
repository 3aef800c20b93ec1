package io.holdfast.memory;

import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.ItemIds;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The items of one partition by id, which is their order. */
final class MemoryItems {
  final NavigableMap<String, MemoryItem> byId = new TreeMap<>();
  private long lastPrefix = -1;

  /**
   * Ids for the tail, in growing order. A clock that stands still or went back gives no prefix
   * beyond the last one, so then the next number is taken.
   */
  List<String> newIds(int count, Instant now, IdSuffixes suffixes) {
    lastPrefix = Math.max(ItemIds.prefix(now), lastPrefix + 1);
    String prefix = ItemIds.digits(lastPrefix);
    return suffixes.take(count).stream().map(prefix::concat).toList();
  }

  void put(MemoryItem item) {
    byId.put(item.id, item);
  }

  void remove(MemoryItem item) {
    byId.remove(item.id);
  }

  /** Ready items, oldest first. */
  Stream<MemoryItem> ready() {
    return all().filter(MemoryItem::isReady);
  }

  Stream<MemoryItem> all() {
    return byId.values().stream();
  }

  Optional<MemoryItem> bySource(String sourceId) {
    return all().filter(item -> sourceId.equals(item.origin.sourceId())).findFirst();
  }
}
