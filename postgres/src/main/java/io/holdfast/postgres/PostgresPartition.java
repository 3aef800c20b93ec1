package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.util.List;

/** One partition: joins its roles. Safe for use by many threads. */
final class PostgresPartition implements Partition {
  private final PartitionContext context;
  private final PostgresProducer producer;
  private final PostgresLeaser leaser;
  private final PostgresSettler settler;
  private final PostgresBrowser browser;
  private final PostgresItemAdmin admin;
  private final PostgresLifecycle lifecycle;

  PostgresPartition(PartitionContext context, PartitionSurvey survey) {
    this.context = context;
    this.producer = new PostgresProducer(context);
    this.leaser = new PostgresLeaser(context);
    this.settler = new PostgresSettler(context);
    this.browser = new PostgresBrowser(context);
    this.admin = new PostgresItemAdmin(context);
    this.lifecycle = new PostgresLifecycle(context, survey);
  }

  PartitionContext context() {
    return context;
  }

  @Override
  public Produced produce(List<List<NewItem>> requests, StoreCall call) {
    return producer.produce(requests, call);
  }

  @Override
  public List<LeasedItem> lease(int limit, StoreCall call) {
    return leaser.lease(limit, call);
  }

  @Override
  public List<Extension> extend(List<Extend> requests, StoreCall call) {
    return leaser.extend(requests, call);
  }

  @Override
  public int handBack(List<String> ids, StoreCall call) {
    return leaser.handBack(ids, call);
  }

  @Override
  public Changes takeBack(List<String> ids, StoreCall call) {
    return leaser.takeBack(ids, call);
  }

  @Override
  public Settled complete(List<List<String>> requests, StoreCall call) {
    return settler.complete(requests, call);
  }

  @Override
  public Settled retry(List<List<Retry>> requests, StoreCall call) {
    return settler.retry(requests, call);
  }

  @Override
  public List<StoredItem> list(String pivot, int limit, StoreCall call) {
    return browser.list(pivot, limit, call);
  }

  @Override
  public List<StoredItem> listScheduled(String pivot, int limit, StoreCall call) {
    return browser.listScheduled(pivot, limit, call);
  }

  @Override
  public QueueStats.ItemCounts stats(StoreCall call) {
    return browser.stats(call);
  }

  @Override
  public int countReady(int cap, StoreCall call) {
    return browser.countReady(cap, call);
  }

  @Override
  public Imported add(List<StoredItem> items, StoreCall call) {
    return admin.add(items, call);
  }

  @Override
  public Changes delete(List<String> ids, StoreCall call) {
    return admin.delete(ids, call);
  }

  @Override
  public Changes clear(Clear what, StoreCall call) {
    return admin.clear(what, call);
  }

  @Override
  public Redrive redrive(int limit, StoreCall call) {
    return admin.redrive(limit, call);
  }

  @Override
  public List<Due> scanScheduled(int limit, StoreCall call) {
    return lifecycle.scanScheduled(limit, call);
  }

  @Override
  public List<Due> scanActions(int limit, StoreCall call) {
    return lifecycle.scanActions(limit, call);
  }

  @Override
  public Changes takeAction(List<Due> page, StoreCall call) {
    return lifecycle.takeAction(page, call);
  }

  @Override
  public Info lifecycleInfo(StoreCall call) {
    return lifecycle.lifecycleInfo(call);
  }

  @Override
  public PartitionInfo info() {
    return context.info;
  }

  @Override
  public QueueInfo queue() {
    return context.queue();
  }

  @Override
  public void updateQueueInfo(QueueInfo queue) {
    context.update(queue);
  }

  @Override
  public void reset() {
    context.forget();
  }

  @Override
  public void hinted(String id) {
    context.hint.lower(id);
  }

  @Override
  public void close() {
    context.close();
  }
}
