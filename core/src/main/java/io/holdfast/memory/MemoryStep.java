package io.holdfast.memory;

import io.holdfast.queue.Changes;
import io.holdfast.queue.Content;
import io.holdfast.queue.Fault;
import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.ItemProducer;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.queue.TableHash;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What items go through on the hot paths: one step, at one moment, under the lock of the data. */
final class MemoryStep {
  private static final Duration IMMEDIATE = Duration.ofMillis(100);
  private static final int MAX_PAYLOAD = 16 * 1024 * 1024;

  private final MemoryQueues data;
  private final IdSuffixes suffixes;
  final MemoryQueues.Entry queue;
  final MemoryItems items;
  final Instant now;

  MemoryStep(
      MemoryQueues data,
      MemoryQueues.Entry queue,
      MemoryItems items,
      IdSuffixes suffixes,
      Instant now) {
    this.data = data;
    this.queue = queue;
    this.items = items;
    this.suffixes = suffixes;
    this.now = now;
  }

  QueueSettings settings() {
    return queue.info.settings();
  }

  List<String> newIds(int count) {
    return items.newIds(count, now, suffixes);
  }

  /** A moment so much later, in the microseconds that a database keeps. */
  static Instant after(Instant from, Duration duration) {
    return from.plus(duration).truncatedTo(ChronoUnit.MICROS);
  }

  /** T1: {@code nothing → ready or scheduled}. */
  ItemProducer.Produced produce(List<List<NewItem>> requests) {
    List<List<String>> ids = new ArrayList<>();
    int ready = 0;
    for (List<NewItem> request : requests) {
      List<String> own = newIds(request.size());
      for (int i = 0; i < own.size(); i++) {
        MemoryItem item = insert(own.get(i), request.get(i).content());
        item.enqueueAt = later(request.get(i).enqueueAt());
        if (item.enqueueAt == null) {
          ready++;
        } else {
          item.expireDeadline = after(item.enqueueAt, settings().expireTimeout());
        }
      }
      ids.add(own);
    }
    return new ItemProducer.Produced(ids, ready);
  }

  private MemoryItem insert(String id, Content content) {
    MemoryItem item = new MemoryItem(id, content, now, after(now, settings().expireTimeout()));
    items.put(item);
    return item;
  }

  /** The moment, or null when it is so near that it means now. */
  private @Nullable Instant later(@Nullable Instant at) {
    if (at == null) {
      return null;
    }
    Instant moment = at.truncatedTo(ChronoUnit.MICROS);
    return moment.isBefore(now.plus(IMMEDIATE)) ? null : moment;
  }

  /** T2: {@code ready → leased}. */
  List<LeasedItem> lease(int limit) {
    List<MemoryItem> picked = new ArrayList<>();
    long bytes = 0;
    for (MemoryItem item : (Iterable<MemoryItem>) leasable()::iterator) {
      bytes += item.content.payload().length;
      if (picked.size() == limit || (bytes > MAX_PAYLOAD && !picked.isEmpty())) {
        break;
      }
      picked.add(item);
    }
    for (MemoryItem item : picked) {
      item.isLeased = true;
      item.attempts++;
      item.leaseDeadline = after(now, settings().leaseTimeout());
    }
    return picked.stream().map(MemoryItem::leased).toList();
  }

  Stream<MemoryItem> leasable() {
    if (queue.info.paused() != Pause.NONE) {
      return Stream.empty();
    }
    return items.ready().filter(item -> !item.isExpired(now));
  }

  /** T3: {@code leased → leased}. */
  ItemLeaser.Extension extend(ItemLeaser.Extend request) {
    Fault fault = fault(request.ids(), true);
    if (fault != null) {
      return new ItemLeaser.Extension(null, fault);
    }
    Duration by = request.by();
    Instant deadline = after(now, by == null ? settings().leaseTimeout() : by);
    request.ids().forEach(id -> held(id).leaseDeadline = deadline);
    return new ItemLeaser.Extension(deadline, null);
  }

  /** T12: {@code leased → ready} as if it had not been leased. */
  int handBack(List<String> ids) {
    List<MemoryItem> held = undelivered(ids);
    held.forEach(MemoryItem::endLease);
    return held.size();
  }

  /** T12 for what somebody may have seen: {@code leased → ready}, at the tail. */
  Changes takeBack(List<String> ids) {
    Changes changes = Changes.NONE;
    for (MemoryItem item : undelivered(ids)) {
      changes = changes.plus(toTail(item));
    }
    return changes;
  }

  /** Those that are held; the attempt does not count. */
  private List<MemoryItem> undelivered(List<String> ids) {
    List<MemoryItem> held =
        ids.stream()
            .map(items.byId::get)
            .filter(item -> item != null && item.isLeased)
            .distinct()
            .toList();
    held.forEach(item -> item.attempts = Math.max(0, item.attempts - 1));
    return held;
  }

  /** T4: {@code leased → gone}. */
  ItemSettler.Settled complete(List<List<String>> requests) {
    return settle(requests, id -> id, (request, step) -> step.completed(request));
  }

  private Changes completed(List<String> ids) {
    ids.forEach(id -> items.remove(held(id)));
    return new Changes(0, null, 0, ids.size(), List.of());
  }

  /** T5 to T7: {@code leased → ready, scheduled or dead letter}. */
  ItemSettler.Settled retry(List<List<Retry>> requests) {
    return settle(requests, Retry::id, (request, step) -> step.retried(request));
  }

  private Changes retried(List<Retry> retries) {
    Changes changes = Changes.NONE;
    for (Retry retry : retries) {
      changes = changes.plus(retried(held(retry.id()), retry));
    }
    return changes;
  }

  private Changes retried(MemoryItem item, Retry retry) {
    if (retry.dead()) {
      return deadLetter(item, "dead");
    }
    if (isExhausted(item)) {
      return deadLetter(item, "exhausted");
    }
    Instant at = later(retry.retryAt());
    if (at == null) {
      return item.isExpired(now) ? deadLetter(item, "expired") : toTail(item);
    }
    item.endLease();
    item.enqueueAt = at;
    Instant expiry = after(at, settings().expireTimeout());
    item.expireDeadline = expiry.isAfter(item.expireDeadline) ? expiry : item.expireDeadline;
    return Changes.NONE;
  }

  private <T> ItemSettler.Settled settle(
      List<List<T>> requests,
      Function<T, String> id,
      BiFunction<List<T>, MemoryStep, Changes> transition) {
    List<@Nullable Fault> faults = new ArrayList<>();
    Changes changes = Changes.NONE;
    for (List<T> request : requests) {
      Fault fault = fault(request.stream().map(id).toList(), false);
      faults.add(fault);
      changes = fault == null ? changes.plus(transition.apply(request, this)) : changes;
    }
    return new ItemSettler.Settled(faults, changes);
  }

  /** What is wrong with the first id that is not a holder's; null when all are. */
  private @Nullable Fault fault(List<String> ids, boolean inTime) {
    for (String id : ids) {
      MemoryItem item = items.byId.get(id);
      if (item == null || item.isScheduled()) {
        return new Fault(id, Fault.Reason.NOT_FOUND);
      }
      if (!item.isLeased) {
        return new Fault(id, Fault.Reason.NOT_LEASED);
      }
      if (inTime && item.isLapsed(now)) {
        return new Fault(id, Fault.Reason.LAPSED);
      }
    }
    return null;
  }

  private MemoryItem held(String id) {
    return Objects.requireNonNull(items.byId.get(id));
  }

  boolean isExhausted(MemoryItem item) {
    int most = settings().maxAttempts();
    return most != 0 && item.attempts >= most;
  }

  /** {@code any state → ready}, under a new id and behind all others. */
  Changes toTail(MemoryItem item) {
    items.remove(item);
    item.endLease();
    item.enqueueAt = null;
    item.id = newIds(1).get(0);
    items.put(item);
    return new Changes(1, item.id, 0, 0, List.of());
  }

  /** T11: gone from here, and ready in the dead queue if there is one. */
  Changes deadLetter(MemoryItem item, String reason) {
    items.remove(item);
    Changes gone = new Changes(0, null, item.isReady() ? 1 : 0, 1, List.of());
    String dead = settings().deadQueue();
    if (dead.isEmpty()) {
      return gone;
    }
    StoredItem.Origin origin = new StoredItem.Origin(item.id, queue.info.name(), reason);
    return gone.plus(arrive(dead, item, origin));
  }

  /** Inserts a copy into another queue, as a new item; one with its source id there is enough. */
  Changes arrive(String name, MemoryItem item, StoredItem.Origin origin) {
    MemoryQueues.Entry target = data.get(name);
    int partition = TableHash.partition(item.id, target.partitions.size());
    MemoryStep there =
        new MemoryStep(data, target, target.partitions.get(partition), suffixes, now);
    String sourceId = origin.sourceId();
    if (sourceId != null && there.items.bySource(sourceId).isPresent()) {
      return Changes.NONE;
    }
    MemoryItem arrived = there.insert(there.newIds(1).get(0), item.content);
    arrived.origin = origin;
    arrived.maxAttempts = item.maxAttempts;
    Changes.Arrival arrival = new Changes.Arrival(name, partition, 1, arrived.id);
    return new Changes(0, null, 0, 0, List.of(arrival));
  }
}
