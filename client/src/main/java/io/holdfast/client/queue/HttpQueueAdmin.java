package io.holdfast.client.queue;

import io.holdfast.client.queue.QueueChannel.Question;
import io.holdfast.client.queue.QueueMessages.QueueClearRequest;
import io.holdfast.client.queue.QueueMessages.QueueIdsRequest;
import io.holdfast.client.queue.QueueMessages.QueueNamed;
import io.holdfast.client.queue.QueueMessages.QueuePauseRequest;
import io.holdfast.client.queue.QueueMessages.QueueRedriveReply;
import io.holdfast.client.queue.QueueMessages.QueueRedriveRequest;
import io.holdfast.client.queue.QueueMessages.QueueStatsReply;
import io.holdfast.client.queue.QueueMessages.StorageImportReply;
import io.holdfast.client.queue.QueueMessages.StorageImportRequest;
import io.holdfast.client.queue.QueueMessages.StorageItem;
import io.holdfast.client.queue.QueueMessages.StorageListReply;
import io.holdfast.client.queue.QueueMessages.StorageListRequest;
import io.holdfast.queue.Clear;
import io.holdfast.queue.QueueAdmin;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators do with one queue of a server. */
final class HttpQueueAdmin implements QueueAdmin {
  /** How long the server may take. */
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final QueueChannel channel;
  private final String name;

  HttpQueueAdmin(QueueChannel channel, String name) {
    this.channel = channel;
    this.name = name;
  }

  private <R extends Record, T extends @Nullable Object> T call(Question<R, T> question) {
    return channel.call(question.waiting(LONGEST));
  }

  @Override
  public QueueInfo pause() {
    return call(HttpQueues.changed("queue.pause", new QueuePauseRequest(name, "")));
  }

  @Override
  public QueueInfo resume() {
    return call(HttpQueues.changed("queue.resume", new QueueNamed(name)));
  }

  @Override
  public QueueStats stats() {
    return call(
        Question.look("queue.stats", new QueueNamed(name), QueueStatsReply.class, Values::stats));
  }

  @Override
  public void clear(Clear what) {
    call(
        Question.change(
            "queue.clear",
            new QueueClearRequest(name, what.scheduled(), what.queue(), what.destructive())));
  }

  @Override
  public Redriven redrive(int limit) {
    return call(
        Question.change(
            "queue.redrive",
            new QueueRedriveRequest(name, limit),
            QueueRedriveReply.class,
            reply -> new Redriven(reply.moved(), reply.skipped())));
  }

  @Override
  public void reload() {
    call(Question.change("queue.reload", new QueueNamed(name)));
  }

  @Override
  public void wake() {
    call(Question.change("queue.wake", new QueueNamed(name)));
  }

  @Override
  public List<StoredItem> list(int partition, String pivot, int limit) {
    return listed("storage/items.list", new StorageListRequest(name, partition, pivot, limit));
  }

  @Override
  public List<StoredItem> listScheduled(int partition, String pivot, int limit) {
    return listed("storage/scheduled.list", new StorageListRequest(name, partition, pivot, limit));
  }

  private List<StoredItem> listed(String path, StorageListRequest request) {
    return call(
        Question.look(path, request, StorageListReply.class, reply -> stored(reply.items())));
  }

  private static List<StoredItem> stored(List<StorageItem> items) {
    return items.stream().map(Values::stored).toList();
  }

  @Override
  public List<StoredItem> importItems(int partition, List<StoredItem> items) {
    return call(
        Question.change(
            "storage/items.import",
            new StorageImportRequest(name, partition, items.stream().map(Values::message).toList()),
            StorageImportReply.class,
            reply -> stored(reply.items())));
  }

  @Override
  public void deleteItems(int partition, List<String> ids) {
    call(Question.change("storage/items.delete", new QueueIdsRequest(name, partition, ids)));
  }
}
