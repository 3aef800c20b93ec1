package io.holdfast.job;

import java.time.Duration;

/** Thrown by a handler whose job should wait: that is neither a failure nor a counted delivery. */
public class Snooze extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration delay;

  /** Wait so long. */
  public Snooze(Duration delay) {
    super("snoozed for " + delay);
    this.delay = delay;
  }

  /** How long. */
  public Duration delay() {
    return delay;
  }
}
