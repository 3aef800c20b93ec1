package io.holdfast.memory;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of one call about one cursor: which of them count, and what became of them. When
 * none says anything new, nothing changes.
 */
final class MemoryAckCall {
  private static final long NOWHERE = 0;

  private final MemoryCursor cursor;
  private final Set<UUID> required;
  private final Instant now;
  private final Map<Long, MemoryRuling> given = new HashMap<>();
  private final Map<String, Long> byTransaction = new HashMap<>();
  private boolean isSettled;

  /** A verdict, and what can be said of it before the walk. */
  private record Judged(long offset, @Nullable StreamError error, boolean isNoop) {
    static Judged refused(StreamError error) {
      return new Judged(NOWHERE, error, false);
    }

    boolean isNew() {
      return error == null && !isNoop;
    }
  }

  MemoryAckCall(MemoryCursor cursor, Set<UUID> required, Instant now) {
    this.cursor = cursor;
    this.required = required;
    this.now = now;
  }

  /** Whether the batch was settled. */
  boolean isSettled() {
    return isSettled;
  }

  List<Acked> settle(List<Ack> acks) {
    List<Judged> judged = new ArrayList<>();
    acks.forEach(ack -> judged.add(judge(ack)));
    MemoryVerdicts verdicts = new MemoryVerdicts(cursor, given, now);
    isSettled = !given.isEmpty() && verdicts.walk();
    return judged.stream().map(each -> acked(each, verdicts)).toList();
  }

  private Acked acked(Judged judged, MemoryVerdicts verdicts) {
    if (!judged.isNew()) {
      return new Acked(judged.error, judged.isNoop, false, isSettled);
    }
    boolean isRewound = verdicts.rewound.contains(judged.offset);
    return new Acked(
        isRewound ? StreamError.REWOUND : null,
        false,
        verdicts.dead.contains(judged.offset),
        isSettled);
  }

  private Judged judge(Ack ack) {
    if (!isFenced(ack.leaseId())) {
      return Judged.refused(StreamError.LEASE_LOST);
    }
    boolean isLate = ack.leaseId() != null && !cursor.isLeased(now);
    long offset = offset(ack.message());
    if (offset != NOWHERE && cursor.isPassed(offset)) {
      return ack.verdict() == Verdict.COMPLETED
          ? new Judged(offset, null, true)
          : Judged.refused(StreamError.ALREADY_COMMITTED);
    }
    if (isLate) {
      return Judged.refused(StreamError.LEASE_LOST);
    }
    return offset == NOWHERE ? Judged.refused(StreamError.UNRESOLVABLE) : take(offset, ack);
  }

  /**
   * Whether the lease is that of the cursor. Without one, nobody may hold the cursor except under a
   * lease that the call names elsewhere.
   */
  private boolean isFenced(@Nullable UUID lease) {
    if (lease != null) {
      return lease.equals(cursor.leaseId);
    }
    UUID held = cursor.leaseId;
    return !cursor.isLeased(now) || (held != null && required.contains(held));
  }

  /** The first verdict about a message counts. */
  private Judged take(long offset, Ack ack) {
    MemoryRuling mark = cursor.marks.get(offset);
    MemoryRuling earlier = mark == null ? given.get(offset) : mark;
    if (earlier == null) {
      given.put(offset, new MemoryRuling(ack.verdict(), ack.error()));
      return new Judged(offset, null, false);
    }
    return earlier.verdict() == ack.verdict()
        ? new Judged(offset, null, true)
        : Judged.refused(StreamError.INVALID_ARGUMENT);
  }

  /** Where the message is: in the batch or below it; 0 if it is in neither. */
  private long offset(Ack.Target target) {
    String transaction = target.transactionId();
    if (transaction != null) {
      Long member = members().get(transaction);
      return member == null ? committed(transaction) : member;
    }
    long offset = target.offset();
    boolean isCommitted = offset > 0 && offset <= cursor.committed;
    return isCommitted || cursor.isMember(offset) ? offset : NOWHERE;
  }

  /** The batch by transaction id; of several with one id, the first. */
  private Map<String, Long> members() {
    if (byTransaction.isEmpty()) {
      cursor.members().forEach(m -> byTransaction.putIfAbsent(m.transactionId(), m.offset()));
    }
    return byTransaction;
  }

  private long committed(String transaction) {
    return cursor
        .log
        .named(transaction)
        .mapToLong(MemoryMessage::offset)
        .filter(offset -> offset <= cursor.committed)
        .max()
        .orElse(NOWHERE);
  }
}
