package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.util.List;
import java.util.function.Function;

/** One partition as one process has it open: every call is one {@link MemoryStep}. */
final class MemoryPartition implements Partition {
  private final MemoryQueues data;
  private final IdSuffixes suffixes;
  private final PartitionInfo info;
  private volatile QueueInfo queue;
  private volatile boolean closed;

  MemoryPartition(MemoryQueues data, IdSuffixes suffixes, QueueInfo queue, PartitionInfo info) {
    this.data = data;
    this.suffixes = suffixes;
    this.queue = queue;
    this.info = info;
  }

  private <T> T step(Function<MemoryStep, T> transition) {
    if (closed) {
      throw QueueException.closed("queue is shutting down");
    }
    synchronized (data) {
      return transition.apply(data.step(queue.name(), info.number(), suffixes));
    }
  }

  private <T> T admin(Function<MemoryItemAdmin, T> transition) {
    return step(step -> transition.apply(new MemoryItemAdmin(step)));
  }

  private <T> T lifecycle(Function<MemoryLifecycle, T> transition) {
    return step(step -> transition.apply(new MemoryLifecycle(step)));
  }

  @Override
  public Produced produce(List<List<NewItem>> requests, StoreCall call) {
    return step(step -> step.produce(requests));
  }

  @Override
  public List<LeasedItem> lease(int limit, StoreCall call) {
    return step(step -> step.lease(limit));
  }

  @Override
  public List<Extension> extend(List<Extend> requests, StoreCall call) {
    return step(step -> requests.stream().map(step::extend).toList());
  }

  @Override
  public int handBack(List<String> ids, StoreCall call) {
    return step(step -> step.handBack(ids));
  }

  @Override
  public Changes takeBack(List<String> ids, StoreCall call) {
    return step(step -> step.takeBack(ids));
  }

  @Override
  public Settled complete(List<List<String>> requests, StoreCall call) {
    return step(step -> step.complete(requests));
  }

  @Override
  public Settled retry(List<List<Retry>> requests, StoreCall call) {
    return step(step -> step.retry(requests));
  }

  @Override
  public List<StoredItem> list(String pivot, int limit, StoreCall call) {
    return admin(admin -> admin.list(pivot, limit, false));
  }

  @Override
  public List<StoredItem> listScheduled(String pivot, int limit, StoreCall call) {
    return admin(admin -> admin.list(pivot, limit, true));
  }

  @Override
  public QueueStats.ItemCounts stats(StoreCall call) {
    return admin(MemoryItemAdmin::stats);
  }

  @Override
  public int countReady(int cap, StoreCall call) {
    return step(step -> (int) step.items.ready().limit(cap).count());
  }

  @Override
  public Imported add(List<StoredItem> items, StoreCall call) {
    return admin(admin -> admin.add(items));
  }

  @Override
  public Changes delete(List<String> ids, StoreCall call) {
    return admin(admin -> admin.delete(ids));
  }

  @Override
  public Changes clear(Clear what, StoreCall call) {
    return admin(admin -> admin.clear(what));
  }

  @Override
  public Redrive redrive(int limit, StoreCall call) {
    return admin(admin -> admin.redrive(limit, data.byName::containsKey));
  }

  @Override
  public List<Due> scanScheduled(int limit, StoreCall call) {
    return lifecycle(lifecycle -> lifecycle.scanScheduled(limit));
  }

  @Override
  public List<Due> scanActions(int limit, StoreCall call) {
    return lifecycle(lifecycle -> lifecycle.scanActions(limit));
  }

  @Override
  public Changes takeAction(List<Due> page, StoreCall call) {
    return lifecycle(lifecycle -> lifecycle.takeAction(page));
  }

  @Override
  public Info lifecycleInfo(StoreCall call) {
    if (closed) {
      throw QueueException.closed("queue is shutting down");
    }
    synchronized (data) {
      return data.byName.containsKey(queue.name())
          ? lifecycle(MemoryLifecycle::info)
          : Info.NOTHING;
    }
  }

  boolean hasLeasable() {
    return step(step -> step.leasable().findAny().isPresent());
  }

  @Override
  public PartitionInfo info() {
    return info;
  }

  @Override
  public QueueInfo queue() {
    return queue;
  }

  @Override
  public void updateQueueInfo(QueueInfo next) {
    queue = next;
  }

  @Override
  public void reset() {}

  @Override
  public void hinted(String id) {}

  @Override
  public void close() {
    closed = true;
  }
}
