package io.holdfast.memory;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A group's place in a partition, and who has it.
 *
 * <p>{@code readyAt} is the one clock: the instant from which the group may claim the partition. It
 * is null when nothing is pending, the end of the lease while there is one, and {@link #NEVER}
 * while parked. It may be too early, then a claim finds nothing and repairs it; it is never too
 * late. {@code leaseId} outlives the lease, so that an ack that is repeated is recognized.
 */
final class MemoryCursor {
  /** When a parked partition is ready. */
  static final Instant NEVER = Instant.MAX;

  private static final int MOST_WINDOWS = 5;

  final MemoryPartitionLog log;
  final MemoryGroup group;
  long committed;
  long batchEnd;
  int batchCount;
  @Nullable UUID leaseId;
  @Nullable Instant leasedAt;
  long fence;
  @Nullable Instant readyAt;
  int attempt;
  int expiries;
  int retryCount;
  @Nullable String lastError;
  @Nullable Instant lastFailedAt;
  @Nullable Instant lastAckAt;
  @Nullable String parkReason;

  /** Exceptions above {@code committed}, by offset. */
  final NavigableMap<Long, MemoryRuling> marks = new TreeMap<>();

  /** A new one; its fence is beyond those of every cursor that was here before. */
  MemoryCursor(MemoryPartitionLog log, MemoryGroup group, Instant now) {
    this.log = log;
    this.group = group;
    this.fence = ChronoUnit.MICROS.between(Instant.EPOCH, now);
  }

  /** The same once more, to go back to. */
  MemoryCursor copy() {
    MemoryCursor copy = new MemoryCursor(log, group, Instant.EPOCH);
    copy.committed = committed;
    copy.batchEnd = batchEnd;
    copy.batchCount = batchCount;
    copy.leaseId = leaseId;
    copy.leasedAt = leasedAt;
    copy.fence = fence;
    copy.readyAt = readyAt;
    copy.attempt = attempt;
    copy.expiries = expiries;
    copy.retryCount = retryCount;
    copy.lastError = lastError;
    copy.lastFailedAt = lastFailedAt;
    copy.lastAckAt = lastAckAt;
    copy.parkReason = parkReason;
    copy.marks.putAll(marks);
    return copy;
  }

  CursorKey key() {
    return new CursorKey(log.queue.name, log.name, group.name);
  }

  StreamSettings settings() {
    return log.queue.settings;
  }

  boolean isReady(Instant now) {
    return readyAt != null && !readyAt.isAfter(now);
  }

  boolean isLeased(Instant now) {
    return leasedAt != null && !isReady(now);
  }

  boolean isLapsed(Instant now) {
    return leasedAt != null && isReady(now);
  }

  boolean isParked() {
    return NEVER.equals(readyAt);
  }

  boolean isHeldUnder(@Nullable UUID lease, Instant now) {
    return lease != null && lease.equals(leaseId) && isLeased(now);
  }

  /** Whether its group is through with this offset. */
  boolean isPassed(long offset) {
    MemoryRuling mark = marks.get(offset);
    return offset <= committed || (mark != null && mark.isDone());
  }

  /** What its group is still to get, in order. */
  Stream<MemoryMessage> deliverable() {
    return log.messages.tailMap(committed, false).values().stream()
        .filter(message -> message.isFor(group) && !isPassed(message.offset()));
  }

  /** The next message; null when nothing is pending. */
  @Nullable MemoryMessage head() {
    return deliverable().findFirst().orElse(null);
  }

  /** What was delivered last and has not been passed, also what is done ahead. */
  List<MemoryMessage> members() {
    return batchEnd <= committed
        ? List.of()
        : log.messages.subMap(committed, false, batchEnd, true).values().stream()
            .filter(message -> message.isFor(group))
            .toList();
  }

  boolean isMember(long offset) {
    MemoryMessage message = log.messages.get(offset);
    return offset > committed && offset <= batchEnd && message != null && message.isFor(group);
  }

  /** A message is about to go: of a batch that is held, it is no longer one that is unsettled. */
  void forget(long offset) {
    if (batchCount > 0 && isMember(offset) && !marks.containsKey(offset)) {
      batchCount--;
    }
  }

  /** Until when a head is too young; it may bear an instant that is still to come. */
  Instant delayedUntil(MemoryMessage head) {
    Duration delay = settings().seconds(StreamOption.DELAYED_PROCESSING);
    return delay.isZero() ? Instant.MIN : head.createdAt().plus(delay);
  }

  /** Until when more may come that shall be delivered with a head. */
  Instant heldUntil(MemoryMessage head) {
    Duration window = settings().seconds(StreamOption.WINDOW_BUFFER);
    Instant last = log.lastAt;
    return window.isZero() || last == null
        ? Instant.MIN
        : earlier(last.plus(window), head.createdAt().plus(window.multipliedBy(MOST_WINDOWS)));
  }

  /** When a head may be delivered, if not before {@code base}. */
  Instant due(MemoryMessage head, Instant base) {
    return later(base, later(delayedUntil(head), heldUntil(head)));
  }

  /** Waits for its head, or for a push. */
  void await(Instant base) {
    MemoryMessage head = head();
    readyAt = head == null ? null : due(head, base);
  }

  /** The same, and passes what is left when nothing of it is for this group. */
  void rest(Instant base) {
    await(base);
    if (readyAt == null) {
      advance(log.lastOffset);
    }
  }

  /** Passes everything up to {@code offset}; never goes back. */
  void advance(long offset) {
    committed = Math.max(committed, offset);
    marks.headMap(committed, true).clear();
  }

  /** The lease is over; who held it is still known. */
  void endLease() {
    leasedAt = null;
    batchCount = 0;
    marks.values().removeIf(mark -> !mark.isDone());
  }

  /** The lease is over, and whoever held it is forgotten. */
  void takeAway() {
    endLease();
    leaseId = null;
    fence++;
  }

  void park(String reason) {
    takeAway();
    parkReason = reason;
    readyAt = NEVER;
  }

  /** The next head has a budget of its own. */
  void forgetCounts() {
    attempt = 0;
    expiries = 0;
    retryCount = 0;
  }

  void forgetErrors() {
    lastError = null;
    lastFailedAt = null;
  }

  /** Gives up its head. */
  void buryHead(MemoryMessage head, DeadLetter.Reason reason, @Nullable String error, Instant now) {
    log.queue.bury(this, head, new DeadLetter.Failure(reason, error, retryCount, attempt, now));
  }

  CursorInfo info(Instant now) {
    MemoryMessage head = head();
    return new CursorInfo(
        key(),
        log.uid,
        committed,
        log.lastOffset,
        isLeased(now) ? leaseId : null,
        head == null ? null : head.createdAt(),
        lastAckAt);
  }

  static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
