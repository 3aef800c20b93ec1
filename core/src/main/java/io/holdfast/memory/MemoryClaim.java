package io.holdfast.memory;

import io.holdfast.stream.Batch;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One group's claims in one queue. The partition that has been ready longest goes first, then the
 * one with most pending. A cursor that turns out to have nothing to deliver is repaired instead.
 */
final class MemoryClaim {
  private static final int NARROWING_EXPIRIES = 3;

  final MemoryGroup group;
  private final @Nullable MemoryPartitionLog only;
  private final PopRequest request;
  private final Instant now;
  private final UUID leaseId;
  private final List<Batch> batches = new ArrayList<>();
  private int room;
  private long bytes;

  /** From one partition, or with null from any. */
  MemoryClaim(
      MemoryGroup group, @Nullable MemoryPartitionLog only, PopRequest request, Instant now) {
    this.group = group;
    this.only = only;
    this.request = request;
    this.now = now;
    this.leaseId = group.queue.newId();
    this.room = request.size().batch();
  }

  private Stream<MemoryCursor> cursors() {
    return group.cursors.values().stream()
        .filter(cursor -> cursor.readyAt != null && (only == null || cursor.log == only));
  }

  /** Since when the longest waiting partition is ready; null if none is. */
  @Nullable Instant oldest() {
    return cursors()
        .filter(cursor -> cursor.isReady(now))
        .map(MemoryClaim::readyAt)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** When the next partition will be ready; null if that is not known. */
  @Nullable Instant next() {
    return cursors()
        .filter(cursor -> !cursor.isReady(now) && !cursor.isParked())
        .map(MemoryClaim::readyAt)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static Instant readyAt(MemoryCursor cursor) {
    return Objects.requireNonNull(cursor.readyAt);
  }

  List<Batch> take() {
    List<MemoryCursor> candidates =
        cursors()
            .filter(cursor -> cursor.isReady(now))
            .sorted(
                Comparator.comparing(MemoryClaim::readyAt)
                    .thenComparing(cursor -> cursor.committed - cursor.log.lastOffset)
                    .thenComparing(cursor -> cursor.log.number))
            .toList();
    for (MemoryCursor cursor : candidates) {
      if (room == 0 || batches.size() == request.size().partitions()) {
        break;
      }
      skip(cursor);
      MemoryMessage head = cursor.head();
      if (head != null && !isTooEarly(cursor, head) && !fits(head)) {
        break;
      }
      takeOver(cursor);
      claim(cursor);
    }
    return batches;
  }

  /** Passes what was dropped, and what has waited for too long. */
  private void skip(MemoryCursor cursor) {
    cursor.advance(cursor.log.logStart - 1);
    Duration maxWait = settings().seconds(StreamOption.MAX_WAIT_TIME);
    if (maxWait.isZero()) {
      return;
    }
    long until = cursor.log.offsetAt(now.minus(maxWait));
    if (until <= cursor.committed) {
      return;
    }
    List<MemoryMessage> old =
        cursor.deliverable().takeWhile(message -> message.offset() <= until).toList();
    for (MemoryMessage message : old) {
      expire(cursor, message, message == old.get(0));
    }
    cursor.advance(until);
    cursor.forgetCounts();
  }

  private void expire(MemoryCursor cursor, MemoryMessage message, boolean isHead) {
    if (settings().is(StreamOption.MAX_WAIT_ACTION, "discard")) {
      group.expired++;
      return;
    }
    group.queue.bury(
        cursor,
        message,
        new DeadLetter.Failure(
            DeadLetter.Reason.MAX_WAIT,
            null,
            isHead ? cursor.retryCount : 0,
            message.offset() <= cursor.batchEnd ? cursor.attempt : 0,
            now));
  }

  private StreamSettings settings() {
    return group.queue.settings;
  }

  private boolean fits(MemoryMessage message) {
    return bytes == 0 || bytes + message.size() <= StreamRules.MAX_ANSWER;
  }

  private boolean isTooEarly(MemoryCursor cursor, MemoryMessage head) {
    return cursor.due(head, Instant.MIN).isAfter(now);
  }

  /** Its last holder never came back; that says nothing about the head, so it is not charged. */
  private void takeOver(MemoryCursor cursor) {
    if (cursor.isLapsed(now)) {
      cursor.endLease();
      cursor.expiries++;
      cursor.lastError = "Partition lease expired";
      cursor.lastFailedAt = now;
    }
  }

  private void claim(MemoryCursor cursor) {
    MemoryMessage head = cursor.head();
    if (head == null || isTooEarly(cursor, head)) {
      cursor.rest(Instant.MIN);
    } else if (cursor.attempt < settings().number(StreamOption.DELIVERY_LIMIT)) {
      if (fits(head)) { // one behind an exhausted head may not: the next pop takes it
        deliver(cursor);
      }
    } else if (settings().is(StreamOption.ON_EXHAUSTED, "park")) {
      cursor.park("delivery limit reached");
    } else {
      cursor.buryHead(head, DeadLetter.Reason.DELIVERY_LIMIT, cursor.lastError, now);
      cursor.advance(head.offset());
      cursor.forgetCounts();
      claim(cursor);
    }
  }

  private void deliver(MemoryCursor cursor) {
    cursor.attempt++;
    List<Delivery> deliveries = new ArrayList<>();
    long last = 0;
    for (MemoryMessage message : messages(cursor)) {
      int attempt = message.offset() <= cursor.batchEnd ? cursor.attempt : 1;
      deliveries.add(new Delivery(message.in(cursor.log), message.entry().isEncrypted(), attempt));
      last = message.offset();
    }
    room -= deliveries.size();
    cursor.fence++;
    cursor.batchEnd = last;
    Batch.Held held = request.autoAck() ? settle(cursor) : lease(cursor, deliveries.size());
    batches.add(new Batch(cursor.log.name, cursor.log.uid, held, List.copyOf(deliveries)));
  }

  /** The next messages that fit; a partition that keeps crashing consumers gives one at a time. */
  private List<MemoryMessage> messages(MemoryCursor cursor) {
    int most = cursor.expiries >= NARROWING_EXPIRIES ? 1 : room;
    List<MemoryMessage> taken = new ArrayList<>();
    for (MemoryMessage message : (Iterable<MemoryMessage>) cursor.deliverable()::iterator) {
      boolean isYoung = cursor.delayedUntil(message).isAfter(now);
      if (taken.size() == most || isYoung || !fits(message)) {
        break;
      }
      bytes += message.size();
      taken.add(message);
    }
    return taken;
  }

  private Batch.Held lease(MemoryCursor cursor, int messages) {
    Duration asked = request.leaseFor();
    Instant until = now.plus(asked == null ? settings().seconds(StreamOption.LEASE_TIME) : asked);
    cursor.leaseId = leaseId;
    cursor.leasedAt = now;
    cursor.batchCount = messages;
    cursor.readyAt = until;
    return new Batch.Held(leaseId, cursor.fence, until);
  }

  /** Delivered is settled: there is nothing to hold. */
  private Batch.@Nullable Held settle(MemoryCursor cursor) {
    cursor.leaseId = null;
    cursor.leasedAt = null;
    cursor.batchCount = 0;
    cursor.lastAckAt = now;
    cursor.advance(cursor.batchEnd);
    cursor.forgetCounts();
    cursor.forgetErrors();
    cursor.rest(now);
    return null;
  }
}
