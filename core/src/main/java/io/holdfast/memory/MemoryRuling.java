package io.holdfast.memory;

import io.holdfast.stream.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What was said about a message. Kept as a mark above a gap: {@code COMPLETED} is done for good,
 * all others count as said again in later calls of the same lease.
 */
record MemoryRuling(Verdict verdict, @Nullable String error) {
  static final MemoryRuling DONE = new MemoryRuling(Verdict.COMPLETED, null);

  boolean isDone() {
    return verdict == Verdict.COMPLETED;
  }

  String errorOr(String otherwise) {
    return error == null ? otherwise : error;
  }
}
