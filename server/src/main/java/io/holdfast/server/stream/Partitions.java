package io.holdfast.server.stream;

import io.holdfast.server.http.Exchange;
import io.holdfast.stream.Batch;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamBrowser;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of partitions by their ids, which never change; so what was learned once is not asked
 * again. Safe for use by many threads.
 */
final class Partitions {
  private static final int MANY = 100_000;

  private final StreamBrowser browser;
  private final Map<UUID, Name> known = new ConcurrentHashMap<>();

  /** What a partition is called. */
  record Name(String queue, String partition) {}

  Partitions(StreamBrowser browser) {
    this.browser = browser;
  }

  void learn(Popped popped) {
    String queue = popped.queue();
    if (queue != null) {
      for (Batch batch : popped.batches()) {
        learn(batch.partitionId(), new Name(queue, batch.partition()));
      }
    }
  }

  private Name learn(UUID id, Name name) {
    if (known.size() > MANY) {
      known.clear();
    }
    known.put(id, name);
    return name;
  }

  /** The name of one; may ask the store, so not on an event loop. */
  Optional<Name> find(UUID id) {
    Name name = known.get(id);
    return name != null
        ? Optional.of(name)
        : browser.partition(id).map(found -> learn(id, name(found)));
  }

  private static Name name(PartitionInfo found) {
    return new Name(found.queue(), found.name());
  }

  /** The names of those that there are; refuses if the caller may not use one of them. */
  CompletableFuture<Map<UUID, Name>> of(Exchange exchange, Collection<UUID> ids) {
    boolean isKnown = known.keySet().containsAll(ids);
    CompletableFuture<Map<UUID, Name>> names =
        isKnown ? CompletableFuture.completedFuture(all(ids)) : exchange.blocking(() -> all(ids));
    return names.thenApply(
        found -> {
          found.values().forEach(name -> exchange.caller().require(name.queue()));
          return found;
        });
  }

  private Map<UUID, Name> all(Collection<UUID> ids) {
    Map<UUID, Name> names = new HashMap<>();
    for (UUID id : ids) {
      find(id).ifPresent(name -> names.put(id, name));
    }
    return names;
  }

  /** Refuses if the partition is of a queue that the caller may not use. */
  void require(Exchange exchange, UUID id) {
    if (exchange.caller().isRestricted()) {
      find(id).ifPresent(name -> exchange.caller().require(name.queue()));
    }
  }

  /** The same for a lease; one that is over is nobody's. */
  void requireLease(Exchange exchange, UUID leaseId) {
    if (exchange.caller().isRestricted()) {
      browser.leases(null).stream()
          .filter(lease -> lease.leaseId().equals(leaseId))
          .forEach(lease -> exchange.caller().require(lease.cursor().queue()));
    }
  }
}
