package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** Tries a key that somebody else holds all the time. */
final class Refusals implements Contender {
  private static final String KEY = "bench:held";

  private final Crew crew;
  private final Subject.Caller holder;

  /** The key is held from now on, so that no run has to pay for that. */
  Refusals(Kind kind, Place place, int callers) throws Exception {
    Subject subject = kind.open(place);
    this.crew = new Crew(subject, callers);
    this.holder = subject.caller();
    if (!holder.tryAcquire(KEY)) {
      throw new IllegalStateException(KEY + " should have been free");
    }
  }

  @Override
  public String title() {
    return "refusals";
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Run.of(Load.run(crew.size(), time, this::refused));
  }

  private long refused(Load.Turn turn) throws Exception {
    long start = System.nanoTime();
    if (crew.caller(turn).tryAcquire(KEY)) {
      throw new IllegalStateException("a held key was granted");
    }
    return System.nanoTime() - start;
  }

  @Override
  public void close() throws SQLException {
    holder.close();
    crew.close();
  }
}
