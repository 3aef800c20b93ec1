package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Pairs at a given rate. A pair's latency counts from when it should have started, so a stall is
 * charged to everything it delays.
 */
final class OpenLoop implements Contender {
  private final String title;
  private final Crew crew;
  private final long intervalNanos;

  OpenLoop(Kind kind, Place place, int callers, double perSecond) throws SQLException {
    this.title = kind.title();
    this.crew = new Crew(kind.open(place), callers);
    this.intervalNanos = (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Run.of(
        Load.run(
            crew.size(),
            time,
            turn -> {
              long place = turn.number() * crew.size() + turn.caller();
              long intended = turn.startNanos() + place * intervalNanos;
              awaitNanos(intended);
              crew.pair(turn);
              return System.nanoTime() - intended;
            }));
  }

  /** Sleeps until a moment of the monotonic clock. */
  static void awaitNanos(long moment) {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() throws SQLException {
    crew.close();
  }
}
