package io.holdfast.testkit.lock;

import io.holdfast.lease.Time;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A manual clock for one thread: instead of waiting it leaps to the moment waited for, and
 * remembers each wait.
 */
final class LeapingTime implements Time {
  private static final long NANOS_PER_MS = 1_000_000;

  private final ManualTime clock;
  private final List<Duration> pauses = new ArrayList<>();

  LeapingTime(ManualTime clock) {
    this.clock = clock;
  }

  /** The waits so far, and starts over. */
  List<Duration> takePauses() {
    List<Duration> taken = List.copyOf(pauses);
    pauses.clear();
    return taken;
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public OptionalLong databaseMs() {
    return clock.databaseMs();
  }

  @Override
  public void park(long untilNanos) {
    long waitNanos = untilNanos - clock.nanos();
    pauses.add(Duration.ofNanos(waitNanos));
    clock.advanceMs((waitNanos + NANOS_PER_MS - 1) / NANOS_PER_MS);
  }
}
