package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Acquires free keys. Each is released again, outside of the time that counts: the rate is what the
 * callers would reach if they spent all of their time acquiring.
 */
final class Grants implements Contender {
  private final Crew crew;

  Grants(Kind kind, Place place, int callers) throws SQLException {
    this.crew = new Crew(kind.open(place), callers);
  }

  @Override
  public String title() {
    return "grants";
  }

  @Override
  public Run run(Duration time) throws Exception {
    Load.Outcome load = Load.run(crew.size(), time, this::granted);
    return new Run(load.operations() * crew.size() / load.busySeconds(), 0, load);
  }

  private long granted(Load.Turn turn) throws Exception {
    long start = System.nanoTime();
    crew.acquire(turn);
    long took = System.nanoTime() - start;
    crew.caller(turn).release();
    return took;
  }

  @Override
  public void close() throws SQLException {
    crew.close();
  }
}
