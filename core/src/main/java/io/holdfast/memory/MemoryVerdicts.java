package io.holdfast.memory;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.StreamOption;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Walks over a batch with the verdicts of one call, and moves the cursor.
 *
 * <p>The walk begins behind the cursor and passes messages that are done or given up, until it
 * meets one that stops it, or one that nobody has spoken about: a gap. Nothing above a gap is
 * decided yet, so verdicts there are kept as marks, which count as said again in later calls;
 * completions there are final. Everything above a stop is delivered again, so a completion there is
 * refused as rewound, and a nack costs nothing. A dead letter is final wherever it is.
 */
final class MemoryVerdicts {
  /** Messages that this call gave up. */
  final Set<Long> dead = new HashSet<>();

  /** Completions that this call has to refuse. */
  final Set<Long> rewound = new HashSet<>();

  private final MemoryCursor cursor;
  private final Map<Long, MemoryRuling> given;
  private final Instant now;
  private State state = State.PASS;
  private Instant readyFrom;
  private @Nullable String parkReason;

  private enum State {
    PASS,
    GAP,
    STOP
  }

  MemoryVerdicts(MemoryCursor cursor, Map<Long, MemoryRuling> given, Instant now) {
    this.cursor = cursor;
    this.given = given;
    this.now = now;
    this.readyFrom = now;
  }

  /** Answers whether the batch is settled, so that its lease is over. */
  boolean walk() {
    long before = cursor.committed;
    for (MemoryMessage member : cursor.members()) {
      MemoryRuling ruling = given.get(member.offset());
      switch (state) {
        case PASS -> pass(member, ruling == null ? cursor.marks.get(member.offset()) : ruling);
        case GAP -> keep(member, ruling);
        case STOP -> rewind(member, ruling);
      }
    }
    if (state == State.PASS) {
      cursor.advance(cursor.batchEnd);
    }
    if (cursor.committed > before) {
      cursor.attempt = cursor.batchEnd > cursor.committed ? 1 : 0;
      cursor.lastAckAt = now;
    }
    if (state == State.GAP) {
      cursor.batchCount = unsettled();
      return false;
    }
    settle();
    return true;
  }

  private void pass(MemoryMessage member, @Nullable MemoryRuling ruling) {
    if (ruling == null) {
      state = State.GAP;
      return;
    }
    switch (ruling.verdict()) {
      case COMPLETED -> passed(member);
      case DEAD_LETTER -> {
        bury(member, DeadLetter.Reason.VERDICT, ruling, cursor.retryCount);
        passed(member);
      }
      case FAILED -> failed(member, ruling);
      case RETRY -> {
        cursor.lastError = ruling.error();
        state = State.STOP;
      }
      case PARK -> park(ruling.errorOr("parked by its consumer"));
    }
  }

  private void failed(MemoryMessage member, MemoryRuling ruling) {
    if (cursor.retryCount < cursor.settings().number(StreamOption.RETRY_LIMIT)) {
      cursor.retryCount++;
      cursor.lastError = ruling.error();
      cursor.lastFailedAt = now;
      readyFrom = now.plusMillis(cursor.settings().number(StreamOption.RETRY_DELAY));
      state = State.STOP;
    } else if (cursor.settings().is(StreamOption.ON_EXHAUSTED, "park")) {
      park(ruling.errorOr("retries exhausted"));
    } else {
      bury(member, DeadLetter.Reason.RETRY_LIMIT, ruling, cursor.retryCount + 1);
      passed(member);
    }
  }

  /** The next message is the head now, and starts fresh. */
  private void passed(MemoryMessage member) {
    cursor.advance(member.offset());
    cursor.retryCount = 0;
    cursor.expiries = 0;
    cursor.forgetErrors();
  }

  private void park(String reason) {
    parkReason = reason;
    state = State.STOP;
  }

  private void keep(MemoryMessage member, @Nullable MemoryRuling ruling) {
    if (ruling == null) {
      return;
    }
    switch (ruling.verdict()) {
      case COMPLETED -> cursor.marks.put(member.offset(), MemoryRuling.DONE);
      case DEAD_LETTER -> buryAhead(member, ruling);
      case FAILED, RETRY, PARK -> cursor.marks.put(member.offset(), ruling);
    }
  }

  private void rewind(MemoryMessage member, @Nullable MemoryRuling ruling) {
    if (ruling == null) {
      return;
    }
    switch (ruling.verdict()) {
      case COMPLETED -> rewound.add(member.offset());
      case DEAD_LETTER -> buryAhead(member, ruling);
      case FAILED, RETRY, PARK -> {} // it comes again anyway
    }
  }

  private void buryAhead(MemoryMessage member, MemoryRuling ruling) {
    bury(member, DeadLetter.Reason.VERDICT, ruling, 0);
    cursor.marks.put(member.offset(), MemoryRuling.DONE);
  }

  private void bury(
      MemoryMessage member, DeadLetter.Reason reason, MemoryRuling ruling, int retryCount) {
    dead.add(member.offset());
    cursor.log.queue.bury(
        cursor,
        member,
        new DeadLetter.Failure(reason, ruling.error(), retryCount, cursor.attempt, now));
  }

  private int unsettled() {
    return (int)
        cursor.members().stream().filter(m -> !cursor.marks.containsKey(m.offset())).count();
  }

  private void settle() {
    cursor.endLease();
    if (parkReason != null) {
      cursor.park(parkReason);
    } else if (!cursor.isParked()) {
      cursor.rest(readyFrom);
    }
  }
}
