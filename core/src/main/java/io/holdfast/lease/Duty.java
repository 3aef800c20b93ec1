package io.holdfast.lease;

/** Background work in small steps. A {@link DutyRunner} steps it in production, a test by hand. */
public interface Duty {
  /** Does what is due and says how much that was; zero means nothing. */
  int work();

  /** When there may be something to do again, on the monotonic clock. */
  long dueNanos();
}
