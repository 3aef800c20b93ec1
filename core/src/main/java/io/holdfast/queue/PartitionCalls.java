package io.holdfast.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The statements that calls share, and what follows from each for those who wait. */
final class PartitionCalls {
  private final LiveQueue queue;
  private final LivePartition partition;
  private final QueueEngine engine;

  PartitionCalls(LiveQueue queue, LivePartition partition, QueueEngine engine) {
    this.queue = queue;
    this.partition = partition;
    this.engine = engine;
  }

  List<List<String>> produce(List<List<NewItem>> requests) {
    ItemProducer.Produced done =
        engine.call(() -> partition.store.produce(requests, engine.storeCall()));
    int all = requests.stream().mapToInt(List::size).sum();
    if (done.ready() < all) {
      engine.sweeper.lookSoon(partition);
    }
    engine.sweeper.dueIn(partition, settings().expireTimeout());
    if (done.ready() > 0) {
      queue.becameReady(partition, done.ready(), done.first());
    }
    queue.flow.produced.add(all);
    return done.ids();
  }

  List<Optional<Fault>> complete(List<List<String>> requests) {
    ItemSettler.Settled done =
        engine.call(() -> partition.store.complete(requests, engine.storeCall()));
    queue.flow.completed.add(accepted(requests, done));
    return settled(done);
  }

  List<Optional<Fault>> retry(List<List<Retry>> requests) {
    ItemSettler.Settled done =
        engine.call(() -> partition.store.retry(requests, engine.storeCall()));
    if (requests.stream().flatMap(List::stream).anyMatch(retry -> retry.retryAt() != null)) {
      engine.sweeper.lookSoon(partition);
    }
    queue.flow.retried.add(accepted(requests, done));
    return settled(done);
  }

  private static long accepted(List<? extends List<?>> requests, ItemSettler.Settled done) {
    long items = 0;
    for (int i = 0; i < requests.size(); i++) {
      items += done.faults().get(i) == null ? requests.get(i).size() : 0;
    }
    return items;
  }

  List<ItemLeaser.Extension> extend(List<ItemLeaser.Extend> requests) {
    List<ItemLeaser.Extension> done =
        engine.call(() -> partition.store.extend(requests, engine.storeCall()));
    OptionalLong shortest =
        requests.stream().mapToLong(r -> orLeaseTimeout(r.by()).toNanos()).min();
    engine.sweeper.dueIn(partition, Duration.ofNanos(shortest.orElse(0)));
    return done;
  }

  private List<Optional<Fault>> settled(ItemSettler.Settled done) {
    queue.changed(partition, done.changes());
    List<Optional<Fault>> faults = new ArrayList<>();
    for (Fault fault : done.faults()) {
      faults.add(Optional.ofNullable(fault));
    }
    return faults;
  }

  private Duration orLeaseTimeout(@Nullable Duration given) {
    return given == null ? settings().leaseTimeout() : given;
  }

  private QueueSettings settings() {
    return queue.info().settings();
  }
}
