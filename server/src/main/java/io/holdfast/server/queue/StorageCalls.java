package io.holdfast.server.queue;

import io.holdfast.client.queue.QueueMessages.QueueIdsRequest;
import io.holdfast.client.queue.QueueMessages.QueueRedriveReply;
import io.holdfast.client.queue.QueueMessages.QueueRedriveRequest;
import io.holdfast.client.queue.QueueMessages.StorageImportReply;
import io.holdfast.client.queue.QueueMessages.StorageImportRequest;
import io.holdfast.client.queue.QueueMessages.StorageItem;
import io.holdfast.client.queue.QueueMessages.StorageListReply;
import io.holdfast.client.queue.QueueMessages.StorageListRequest;
import io.holdfast.queue.QueueAdmin;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Queues;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.StoredItem;
import io.holdfast.server.http.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What is done with stored items. */
final class StorageCalls {
  private static final int PAGE = 1_000;

  /** Of items that have up to 5 MB each. */
  private static final int PAGE_OF_LARGE = 10;

  private final Queues queues;

  StorageCalls(Queues queues) {
    this.queues = queues;
  }

  private QueueAdmin admin(QueueCall<?> call, String queue) {
    return queues.queue(call.named(queue)).admin();
  }

  CompletableFuture<Answer> list(QueueCall<StorageListRequest> call) {
    StorageListRequest request = call.request();
    QueueAdmin admin = admin(call, request.queueName());
    return call.blocking(
        () -> listed(call, admin.list(request.partition(), request.pivot(), request.limit())));
  }

  CompletableFuture<Answer> listScheduled(QueueCall<StorageListRequest> call) {
    StorageListRequest request = call.request();
    QueueAdmin admin = admin(call, request.queueName());
    return call.blocking(
        () ->
            listed(
                call, admin.listScheduled(request.partition(), request.pivot(), request.limit())));
  }

  private static Answer listed(QueueCall<?> call, List<StoredItem> items) {
    return call.answer(new StorageListReply(items.stream().map(Wire::stored).toList()));
  }

  CompletableFuture<Answer> importItems(QueueCall<StorageImportRequest> call) {
    StorageImportRequest request = call.request();
    QueueAdmin admin = admin(call, request.queueName());
    request.items().stream()
        .map(StorageItem::sourceQueue)
        .filter(source -> !source.isEmpty())
        .forEach(call::named);
    List<StoredItem> items = request.items().stream().map(Wire::stored).toList();
    return call.blocking(
        () ->
            call.answer(
                new StorageImportReply(
                    admin.importItems(request.partition(), items).stream()
                        .map(Wire::stored)
                        .toList())));
  }

  CompletableFuture<Answer> delete(QueueCall<QueueIdsRequest> call) {
    QueueIdsRequest request = call.request();
    QueueAdmin admin = admin(call, request.queueName());
    return call.blocking(
        () -> {
          admin.deleteItems(request.partition(), request.ids());
          return call.done();
        });
  }

  CompletableFuture<Answer> redrive(QueueCall<QueueRedriveRequest> call) {
    String name = call.request().queueName();
    QueueAdmin admin = admin(call, name);
    return call.blocking(
        () -> {
          if (call.isRestricted()) {
            requireSources(call, queues.get(name).partitions().size(), admin);
          }
          Redriven done = admin.redrive(call.request().limit());
          return call.extended()
              .answer(
                  new QueueRedriveReply(
                      200, Wire.saturated(done.moved()), Wire.saturated(done.skipped())));
        });
  }

  /** Items go back to where they came from, which has to be for the caller too. */
  private static void requireSources(QueueCall<?> call, int partitions, QueueAdmin admin) {
    for (int partition = 0; partition < partitions; partition++) {
      List<StoredItem> page;
      String pivot = "";
      do {
        page = page(admin, partition, pivot);
        for (StoredItem item : page) {
          pivot = item.id();
          if (!item.origin().sourceQueue().isEmpty()) {
            call.named(item.origin().sourceQueue());
          }
        }
      } while (page.size() > 1); // each begins with the last item of the one before
    }
  }

  private static List<StoredItem> page(QueueAdmin admin, int partition, String pivot) {
    try {
      return admin.list(partition, pivot, PAGE);
    } catch (QueueException e) {
      if (e.kind() != QueueException.Kind.INVALID) {
        throw e;
      }
      return admin.list(partition, pivot, PAGE_OF_LARGE);
    }
  }
}
