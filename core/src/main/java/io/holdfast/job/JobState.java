package io.holdfast.job;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Where a job stands. */
public enum JobState {
  /** May run now. */
  READY,
  /** Waits for its due time. */
  SCHEDULED,
  /** Waits for a slot of its limit key. */
  GATED,
  /** Leased to a worker, whether the lease still lasts or not. */
  INFLIGHT,
  /** Succeeded. */
  DONE,
  /** Ended by request. */
  CANCELLED,
  /** Given up: a dead letter. */
  DLQ;

  /** The spelling used on the wire. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether nothing happens to the job any more by itself. */
  public boolean isFinished() {
    return this == DONE || this == CANCELLED || this == DLQ;
  }

  /** The state of this spelling. */
  public static Optional<JobState> of(String text) {
    return Arrays.stream(values()).filter(state -> state.text().equals(text)).findAny();
  }
}
