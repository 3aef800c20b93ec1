package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.Extended;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamLeases;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Every way a cursor of {@link MemoryStreamData} changes hands or moves on. */
final class MemoryStreamLeases implements StreamLeases {
  private final MemoryStreamData data;

  MemoryStreamLeases(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public List<PopAnswer> pop(List<PopRequest> requests, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      List<PopAnswer> answers = new ArrayList<>();
      requests.forEach(request -> answers.add(new MemoryPop(data, request, now).answer()));
      return answers;
    }
  }

  @Override
  public AckAnswer ack(List<Ack> acks, StoreCall call) {
    synchronized (data) {
      return new MemoryAcks(data, Set.of(), cursor -> {}, data.now()).settle(acks);
    }
  }

  @Override
  public AckPopAnswer ackAndPop(List<Ack> acks, List<PopRequest> requests, StoreCall call) {
    synchronized (data) {
      AckAnswer acked = ack(acks, call);
      return new AckPopAnswer(acked, pop(requests, call));
    }
  }

  @Override
  public List<Extended> extend(List<Extension> extensions, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return extensions.stream().map(extension -> extend(extension, now)).toList();
    }
  }

  private Extended extend(Extension extension, Instant now) {
    List<MemoryCursor> held = held(extension.leaseId(), now);
    for (MemoryCursor cursor : held) {
      cursor.group.seen(now);
      cursor.readyAt = MemoryCursor.later(readyAt(cursor), now.plus(extension.by()));
    }
    return held.stream()
        .map(MemoryStreamLeases::readyAt)
        .min(Comparator.naturalOrder())
        .map(first -> new Extended(held.size(), first))
        .orElse(Extended.LOST);
  }

  private static Instant readyAt(MemoryCursor cursor) {
    return Objects.requireNonNull(cursor.readyAt);
  }

  private List<MemoryCursor> held(UUID leaseId, Instant now) {
    MemoryStream queue = data.queueOf(leaseId);
    return queue == null
        ? List.of()
        : queue.cursors().filter(cursor -> cursor.isHeldUnder(leaseId, now)).toList();
  }

  @Override
  public Returned release(UUID leaseId, @Nullable UUID partitionId, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      List<MemoryCursor> returned =
          held(leaseId, now).stream()
              .filter(cursor -> partitionId == null || cursor.log.uid.equals(partitionId))
              .toList();
      List<Ready> ready = new ArrayList<>();
      for (MemoryCursor cursor : returned) {
        cursor.endLease();
        handBack(cursor, now);
        MemoryAcks.ready(cursor, now, ready);
      }
      return new Returned(returned.size(), ready);
    }
  }

  /** As if it had not been delivered. */
  private static void handBack(MemoryCursor cursor, Instant now) {
    cursor.attempt = Math.max(cursor.attempt - 1, 0);
    cursor.rest(now);
  }

  @Override
  public boolean revoke(CursorKey key, @Nullable Long fence, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryCursor cursor = find(key);
      if (cursor == null || !cursor.isLeased(now) || (fence != null && fence != cursor.fence)) {
        return false;
      }
      cursor.takeAway();
      handBack(cursor, now);
      return true;
    }
  }

  private @Nullable MemoryCursor find(CursorKey key) {
    MemoryStream queue = data.byName.get(key.queue());
    return queue == null
        ? null
        : queue.cursors().filter(cursor -> cursor.key().equals(key)).findFirst().orElse(null);
  }

  @Override
  public void park(CursorKey key, String reason, StoreCall call) {
    synchronized (data) {
      data.get(key.queue()).cursor(key, data.now()).park(reason);
    }
  }

  @Override
  public boolean unpark(CursorKey key, boolean isSkippingHead, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryCursor cursor = data.get(key.queue()).cursor(key, now);
      if (!cursor.isParked()) {
        return false;
      }
      MemoryMessage head = cursor.head();
      if (isSkippingHead && head != null) {
        cursor.buryHead(head, DeadLetter.Reason.SKIPPED, cursor.parkReason, now);
        cursor.advance(head.offset());
      }
      cursor.takeAway();
      cursor.forgetCounts();
      cursor.forgetErrors();
      cursor.parkReason = null;
      cursor.rest(now);
      return true;
    }
  }
}
