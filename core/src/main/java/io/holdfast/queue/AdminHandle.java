package io.holdfast.queue;

import java.util.ArrayList;
import java.util.List;

/** What operators do with one queue of a service. */
final class AdminHandle implements QueueAdmin {
  private final QueueEngine engine;
  private final String name;

  AdminHandle(QueueEngine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  @Override
  public QueueInfo pause() {
    return pause(Pause.LEASE);
  }

  @Override
  public QueueInfo resume() {
    return pause(Pause.NONE);
  }

  private QueueInfo pause(Pause pause) {
    engine.start();
    QueueRules.checkName(name);
    QueueInfo changed =
        engine.call(() -> engine.backend.catalog().pause(name, pause, engine.storeCall()));
    engine.take(changed).wakeAll();
    return changed;
  }

  @Override
  public QueueStats stats() {
    LiveQueue queue = find();
    List<QueueStats.PartitionStats> partitions = new ArrayList<>();
    int produces = queue.produces.stranded();
    int completes = 0;
    int inFlight = 0;
    for (LivePartition partition : queue.partitions()) {
      QueueStats.ItemCounts counts = engine.call(() -> partition.store.stats(engine.storeCall()));
      synchronized (queue.lock) {
        partitions.add(new QueueStats.PartitionStats(partition.number, counts, partition.failures));
        produces += partition.producer.waiting();
        completes += partition.waitingSettles();
        inFlight += partition.inFlight();
      }
    }
    return new QueueStats(produces, queue.leases.parked(), completes, inFlight, partitions);
  }

  @Override
  public QueueFlow flow() {
    LiveQueue queue = engine.known(name);
    return queue == null ? QueueFlow.NONE : queue.flow.now();
  }

  @Override
  public void clear(Clear what) {
    LiveQueue queue = find();
    ItemRules.checkClear(what);
    for (LivePartition partition : queue.partitions()) {
      queue.changed(partition, engine.call(() -> partition.store.clear(what, engine.storeCall())));
    }
  }

  @Override
  public Redriven redrive(int limit) {
    LiveQueue queue = find();
    if (limit < 1) {
      throw QueueException.invalid("limit is invalid; it must be at least 1");
    }
    long moved = 0;
    long skipped = 0;
    for (LivePartition partition : queue.partitions()) {
      boolean isMore = moved < limit;
      while (isMore) {
        int page = (int) Math.min(ItemRules.MAX_ITEMS, limit - moved);
        ItemAdmin.Redrive done =
            engine.call(() -> partition.store.redrive(page, engine.storeCall()));
        queue.changed(partition, done.changes());
        moved += done.result().moved();
        isMore = done.result().moved() == page && moved < limit;
        skipped += isMore ? 0 : done.result().skipped();
      }
    }
    return new Redriven(moved, skipped);
  }

  @Override
  public void reload() {
    engine.start();
    QueueRules.checkName(name);
    LiveQueue queue = engine.read(name);
    for (LivePartition partition : queue.partitions()) {
      partition.store.reset();
      int ready = engine.call(() -> partition.store.countReady(10_000, engine.storeCall()));
      synchronized (queue.lock) {
        partition.counted(ready);
      }
      queue.recovered(partition);
      engine.sweeper.lookSoon(partition);
    }
  }

  @Override
  public void wake() {
    LiveQueue queue = find();
    for (LivePartition partition : queue.partitions()) {
      partition.store.reset();
      engine.sweeper.lookSoon(partition);
    }
    queue.wakeAll();
  }

  @Override
  public List<StoredItem> list(int partition, String pivot, int limit) {
    LivePartition live = listed(partition, pivot, limit);
    return engine.call(
        () -> live.store.list(pivot.strip(), ItemRules.limit(limit), engine.storeCall()));
  }

  @Override
  public List<StoredItem> listScheduled(int partition, String pivot, int limit) {
    LivePartition live = listed(partition, pivot, limit);
    return engine.call(
        () -> live.store.listScheduled(pivot.strip(), ItemRules.limit(limit), engine.storeCall()));
  }

  private LivePartition listed(int partition, String pivot, int limit) {
    LivePartition live = partition(engine, find(), partition);
    ItemRules.checkPivot(pivot);
    ItemRules.limit(limit);
    return live;
  }

  @Override
  public List<StoredItem> importItems(int partition, List<StoredItem> items) {
    LiveQueue queue = find();
    LivePartition live = partition(engine, queue, partition);
    ItemRules.checkImport(items);
    ItemAdmin.Imported done =
        engine.call(() -> live.store.add(List.copyOf(items), engine.storeCall()));
    queue.changed(live, done.changes());
    engine.sweeper.lookSoon(live);
    return done.items();
  }

  @Override
  public void deleteItems(int partition, List<String> ids) {
    LiveQueue queue = find();
    LivePartition live = partition(engine, queue, partition);
    ItemRules.checkDelete(ids);
    queue.changed(live, engine.call(() -> live.store.delete(List.copyOf(ids), engine.storeCall())));
  }

  private LiveQueue find() {
    QueueRules.checkName(name);
    return engine.find(name);
  }

  /** The partition of this number; one that another process added is looked up. */
  static LivePartition partition(QueueEngine engine, LiveQueue queue, int number) {
    LivePartition partition = queue.partition(number);
    if (partition == null && number >= 0 && number < QueueRules.MAX_PARTITIONS) {
      partition = engine.read(queue.name()).partition(number);
    }
    if (partition == null) {
      throw QueueException.invalid(
          "partition is invalid; " + number + " is not one of " + queue.partitions().size());
    }
    return partition;
  }
}
