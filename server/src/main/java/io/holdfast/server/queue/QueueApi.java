package io.holdfast.server.queue;

import io.holdfast.client.queue.QueueMessages.QueueClearRequest;
import io.holdfast.client.queue.QueueMessages.QueueCompleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueDeleteRequest;
import io.holdfast.client.queue.QueueMessages.QueueExtendReply;
import io.holdfast.client.queue.QueueMessages.QueueExtendRequest;
import io.holdfast.client.queue.QueueMessages.QueueHandBackRequest;
import io.holdfast.client.queue.QueueMessages.QueueIdsRequest;
import io.holdfast.client.queue.QueueMessages.QueueInfoMessage;
import io.holdfast.client.queue.QueueMessages.QueueLeaseReply;
import io.holdfast.client.queue.QueueMessages.QueueLeaseRequest;
import io.holdfast.client.queue.QueueMessages.QueueLeaveRequest;
import io.holdfast.client.queue.QueueMessages.QueueNamed;
import io.holdfast.client.queue.QueueMessages.QueuePauseRequest;
import io.holdfast.client.queue.QueueMessages.QueueProduceReply;
import io.holdfast.client.queue.QueueMessages.QueueProduceRequest;
import io.holdfast.client.queue.QueueMessages.QueueRedriveReply;
import io.holdfast.client.queue.QueueMessages.QueueRedriveRequest;
import io.holdfast.client.queue.QueueMessages.QueueReply;
import io.holdfast.client.queue.QueueMessages.QueueRetryRequest;
import io.holdfast.client.queue.QueueMessages.QueueStatsReply;
import io.holdfast.client.queue.QueueMessages.QueuesListReply;
import io.holdfast.client.queue.QueueMessages.QueuesListRequest;
import io.holdfast.client.queue.QueueMessages.StorageImportReply;
import io.holdfast.client.queue.QueueMessages.StorageImportRequest;
import io.holdfast.client.queue.QueueMessages.StorageListReply;
import io.holdfast.client.queue.QueueMessages.StorageListRequest;
import io.holdfast.queue.Queues;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import java.util.concurrent.CompletionStage;

/** Every endpoint of queues. */
public final class QueueApi implements Api {
  private static final String PREFIX = "/v1/";

  private static final long PRODUCE = 5_000_000;
  private static final long IMPORT = 64_000_000;
  private static final long UPDATE = 512_000;
  private static final long SMALL = 64_000;

  private final HotCalls hot;
  private final AdminCalls admin;
  private final StorageCalls storage;

  /** For these queues. */
  public QueueApi(Queues queues, HeldTimes held) {
    this.hot = new HotCalls(queues, held);
    this.admin = new AdminCalls(queues);
    this.storage = new StorageCalls(queues);
  }

  /** Serves one kind of call. */
  @FunctionalInterface
  private interface Handler<Q extends Record> {
    CompletionStage<Answer> serve(QueueCall<Q> call);
  }

  /** Where calls of one kind arrive, and what they bring. */
  private record Place<Q extends Record>(Route route, Class<Q> takes) {
    Place<Q> limit(long bytes) {
      return new Place<>(route.limit(bytes), takes);
    }

    Place<Q> gives(Class<?> type) {
      return new Place<>(route.typed(takes, type), takes);
    }
  }

  private static <Q extends Record> Place<Q> at(
      String path, Role role, Class<Q> takes, String summary) {
    return new Place<>(
        Route.post(PREFIX + path, role, QueueDialect.INSTANCE, summary)
            .typed(takes, QueueReply.class)
            .tagged("queues"),
        takes);
  }

  private static <Q extends Record> void add(Routes routes, Place<Q> place, Handler<Q> handler) {
    routes.add(place.route, exchange -> handler.serve(QueueCall.read(place.takes, exchange)));
  }

  @Override
  public void mount(Routes routes) {
    routes.fallback(PREFIX, QueueDialect.INSTANCE);
    mountHot(routes);
    mountQueue(routes);
    mountQueues(routes);
    mountStorage(routes);
  }

  private void mountHot(Routes routes) {
    add(
        routes,
        at("queue.produce", Role.PRODUCE, QueueProduceRequest.class, "Appends items")
            .limit(PRODUCE)
            .gives(QueueProduceReply.class),
        hot::produce);
    add(
        routes,
        at("queue.lease", Role.WORK, QueueLeaseRequest.class, "Leases items, waiting for some")
            .limit(SMALL)
            .gives(QueueLeaseReply.class),
        hot::lease);
    add(
        routes,
        at("queue.leave", Role.WORK, QueueLeaveRequest.class, "Ends a waiting lease"),
        hot::leave);
    add(
        routes,
        at("queue.complete", Role.WORK, QueueCompleteRequest.class, "Removes leased items"),
        hot::complete);
    add(
        routes,
        at("queue.retry", Role.WORK, QueueRetryRequest.class, "Returns leased items"),
        hot::retry);
    add(
        routes,
        at("queue.extend", Role.WORK, QueueExtendRequest.class, "Gives leased items more time")
            .gives(QueueExtendReply.class),
        hot::extend);
    add(
        routes,
        at(
            "queue.handback",
            Role.WORK,
            QueueHandBackRequest.class,
            "Returns leased items as if they had not been leased"),
        hot::handBack);
  }

  private void mountQueue(Routes routes) {
    add(
        routes,
        at("queue.clear", Role.ADMIN, QueueClearRequest.class, "Removes items").limit(SMALL),
        admin::clear);
    add(
        routes,
        at("queue.stats", Role.READ, QueueNamed.class, "Counts items and waiting calls")
            .limit(SMALL)
            .gives(QueueStatsReply.class),
        admin::stats);
    add(
        routes,
        at("queue.reload", Role.ADMIN, QueueNamed.class, "Reads the queue afresh").limit(SMALL),
        admin::reload);
    add(
        routes,
        at("queue.wake", Role.PRODUCE, QueueNamed.class, "Lets waiting leases look again"),
        admin::wake);
    add(
        routes,
        at("queue.pause", Role.ADMIN, QueuePauseRequest.class, "Grants no leases any more"),
        admin::pause);
    add(
        routes,
        at("queue.resume", Role.ADMIN, QueueNamed.class, "Grants leases again"),
        admin::resume);
    add(
        routes,
        at(
                "queue.redrive",
                Role.ADMIN,
                QueueRedriveRequest.class,
                "Returns dead items to the queues they came from")
            .gives(QueueRedriveReply.class),
        storage::redrive);
  }

  private void mountQueues(Routes routes) {
    add(
        routes,
        at("queues.create", Role.ADMIN, QueueInfoMessage.class, "Creates a queue"),
        admin::create);
    add(
        routes,
        at("queues.update", Role.ADMIN, QueueInfoMessage.class, "Changes settings of a queue")
            .limit(UPDATE),
        admin::update);
    add(
        routes,
        at("queues.info", Role.READ, QueueNamed.class, "Describes a queue")
            .gives(QueueInfoMessage.class),
        admin::info);
    add(
        routes,
        at("queues.delete", Role.ADMIN, QueueDeleteRequest.class, "Deletes a queue"),
        admin::delete);
    add(
        routes,
        at("queues.list", Role.READ, QueuesListRequest.class, "Lists queues by name")
            .gives(QueuesListReply.class),
        admin::list);
  }

  private void mountStorage(Routes routes) {
    add(
        routes,
        at("storage/items.list", Role.READ, StorageListRequest.class, "Lists ready, leased items")
            .gives(StorageListReply.class),
        storage::list);
    add(
        routes,
        at("storage/scheduled.list", Role.READ, StorageListRequest.class, "Lists scheduled items")
            .gives(StorageListReply.class),
        storage::listScheduled);
    add(
        routes,
        at("storage/items.import", Role.ADMIN, StorageImportRequest.class, "Inserts items as given")
            .limit(IMPORT)
            .gives(StorageImportReply.class),
        storage::importItems);
    add(
        routes,
        at("storage/items.delete", Role.ADMIN, QueueIdsRequest.class, "Deletes stored items"),
        storage::delete);
  }
}
