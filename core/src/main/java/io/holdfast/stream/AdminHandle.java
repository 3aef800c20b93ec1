package io.holdfast.stream;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks operators' arguments, makes the call, and wakes whom it concerns. */
final class AdminHandle implements StreamAdmin {
  private static final int MOST = 10_000;

  private final StreamEngine engine;

  AdminHandle(StreamEngine engine) {
    this.engine = engine;
  }

  private static void checkOptionalQueue(@Nullable String queue) {
    if (queue != null) {
      StreamRules.checkQueue(queue);
    }
  }

  @Override
  public Optional<StreamInfo> find(String queue) {
    StreamRules.checkQueue(queue);
    return engine.call(() -> engine.store.catalog().find(queue, engine.storeCall()));
  }

  @Override
  public List<StreamInfo> list(@Nullable String after, int limit) {
    checkOptionalQueue(after);
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(() -> engine.store.catalog().list(after, limit, engine.storeCall()));
  }

  @Override
  public List<String> partitions(String queue, @Nullable String after, int limit) {
    StreamRules.checkQueue(queue);
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(
        () -> engine.store.catalog().partitions(queue, after, limit, engine.storeCall()));
  }

  @Override
  public void pausePush(@Nullable String queue) {
    pausePush(queue, true);
  }

  @Override
  public void resumePush(@Nullable String queue) {
    pausePush(queue, false);
    engine.drainSoon();
  }

  @Override
  public void holdPush(@Nullable String queue) {
    checkOptionalQueue(queue);
    engine.call(
        () -> {
          engine.store.holds().begin(queue, engine.storeCall());
          return true;
        });
  }

  @Override
  public long held(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> engine.store.holds().count(queue, engine.storeCall()));
  }

  private void pausePush(@Nullable String queue, boolean isPaused) {
    checkOptionalQueue(queue);
    engine.call(
        () -> {
          engine.store.catalog().pausePush(queue, isPaused, engine.storeCall());
          return true;
        });
  }

  @Override
  public void pausePop(@Nullable String queue) {
    pausePop(queue, true);
  }

  @Override
  public void resumePop(@Nullable String queue) {
    pausePop(queue, false);
    engine.pops.wakeAll();
    engine.news.changed(queue == null ? "" : queue);
  }

  private void pausePop(@Nullable String queue, boolean isPaused) {
    checkOptionalQueue(queue);
    engine.call(
        () -> {
          engine.store.catalog().pausePop(queue, isPaused, engine.storeCall());
          return true;
        });
  }

  @Override
  public StreamInfo.Paused pausedAll() {
    return engine.call(() -> engine.store.catalog().pausedAll(engine.storeCall()));
  }

  @Override
  public int seek(String queue, String group, @Nullable String partition, Position to) {
    StreamRules.checkQueue(queue);
    StreamRules.checkGroup(group);
    if (partition != null) {
      StreamRules.checkPartition(partition);
    }
    if (to.kind() == Position.Kind.TIMESTAMP) {
      StreamRules.checkInstant("position", to.at());
    }
    StreamRules.require(to.offset() >= 0, "the offset must not be negative");
    int moved =
        engine.call(
            () -> engine.store.groups().seek(queue, group, partition, to, engine.storeCall()));
    engine.becameReady(queue);
    return moved;
  }

  @Override
  public int deleteGroup(String group, @Nullable String queue, boolean isKeepingStart) {
    StreamRules.checkGroup(group);
    checkOptionalQueue(queue);
    int deleted =
        engine.call(
            () -> engine.store.groups().delete(group, queue, isKeepingStart, engine.storeCall()));
    engine.pops.wakeAll();
    return deleted;
  }

  @Override
  public int startGroupAt(String group, Instant at) {
    StreamRules.checkGroup(group);
    StreamRules.require(
        !group.equals(PopRequest.QUEUE_MODE), "the group without a name has no start of its own");
    StreamRules.checkInstant("start", at);
    return engine.call(() -> engine.store.groups().startAt(group, at, engine.storeCall()));
  }

  @Override
  public List<GroupInfo> groups(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> engine.store.groups().list(queue, engine.storeCall()));
  }

  @Override
  public List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit) {
    StreamRules.checkQueue(queue);
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(
        () -> engine.store.groups().cursors(queue, group, after, limit, engine.storeCall()));
  }

  @Override
  public void park(CursorKey cursor, String reason) {
    StreamRules.checkCursor(cursor);
    StreamRules.checkStorable("reason", reason);
    engine.call(
        () -> {
          engine.store.leases().park(cursor, reason, engine.storeCall());
          return true;
        });
  }

  @Override
  public boolean unpark(CursorKey cursor, boolean isSkippingHead) {
    StreamRules.checkCursor(cursor);
    boolean wasParked =
        engine.call(() -> engine.store.leases().unpark(cursor, isSkippingHead, engine.storeCall()));
    engine.becameReady(cursor.queue());
    return wasParked;
  }

  @Override
  public boolean revoke(CursorKey cursor, @Nullable Long fence) {
    StreamRules.checkCursor(cursor);
    boolean wasHeld =
        engine.call(() -> engine.store.leases().revoke(cursor, fence, engine.storeCall()));
    engine.becameReady(cursor.queue());
    return wasHeld;
  }
}
