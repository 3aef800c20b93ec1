package io.holdfast.memory;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Explanation.State;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Why a partition is, or is not, delivered to a group. */
final class MemoryExplanation {
  private final CursorKey key;
  private final MemoryPartitionLog log;
  private final Instant now;

  MemoryExplanation(CursorKey key, MemoryPartitionLog log, Instant now) {
    this.key = key;
    this.log = log;
    this.now = now;
  }

  Explanation explain(boolean isPaused) {
    MemoryGroup group = log.queue.groups.get(key.group());
    MemoryCursor cursor = group == null ? null : group.cursors.get(log.number);
    long passed = Math.max(cursor == null ? 0 : cursor.committed, log.logStart - 1);
    long pending = log.lastOffset - passed;
    if (isPaused) {
      return new Explanation(key, State.PAUSED, pending, null, "pops are paused: resume them");
    }
    if (cursor == null) {
      String detail = "the group has no cursor here yet: its next pop makes one";
      return new Explanation(key, State.UNSEEDED, pending, null, detail);
    }
    MemoryMessage head = cursor.head();
    State state = state(cursor, head);
    Instant until = until(state, cursor, head);
    return new Explanation(key, state, pending, until, detail(state, cursor, until));
  }

  private State state(MemoryCursor cursor, @Nullable MemoryMessage head) {
    if (cursor.isParked()) {
      return State.PARKED;
    }
    if (cursor.isLeased(now)) {
      return State.LEASED;
    }
    if (cursor.readyAt == null || head == null) {
      return State.IDLE;
    }
    if (cursor.lastFailedAt != null && !cursor.isReady(now) && cursor.retryCount > 0) {
      return State.RETRYING;
    }
    if (cursor.delayedUntil(head).isAfter(now)) {
      return State.DELAYED;
    }
    return cursor.heldUntil(head).isAfter(now) ? State.WINDOW : State.READY;
  }

  private static @Nullable Instant until(
      State state, MemoryCursor cursor, @Nullable MemoryMessage head) {
    return switch (state) {
      case LEASED, RETRYING -> cursor.readyAt;
      case DELAYED -> head == null ? null : cursor.delayedUntil(head);
      case WINDOW -> head == null ? null : cursor.heldUntil(head);
      case PAUSED, UNSEEDED, PARKED, IDLE, READY -> null;
    };
  }

  private static String detail(State state, MemoryCursor cursor, @Nullable Instant until) {
    return switch (state) {
      case PARKED -> "parked because: " + cursor.parkReason + "; unpark it, or seek";
      case LEASED -> "leased until " + until + " with fence " + cursor.fence + ": ack or revoke it";
      case IDLE -> "nothing is pending: push something";
      case RETRYING -> "failure " + cursor.retryCount + " is retried at " + until;
      case DELAYED -> "the head is delayed until " + until;
      case WINDOW -> "the window is open until " + until;
      case READY -> "the next pop gets it";
      case PAUSED, UNSEEDED -> "";
    };
  }
}
