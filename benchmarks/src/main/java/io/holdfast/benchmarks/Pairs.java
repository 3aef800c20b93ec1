package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** Acquires and releases, again and again; no two callers want the same key. */
final class Pairs implements Contender {
  private final String title;
  private final Crew crew;

  Pairs(String title, Crew crew) {
    this.title = title;
    this.crew = crew;
  }

  static Pairs of(Kind kind, Place place, int callers) throws SQLException {
    return new Pairs(kind.title(), new Crew(kind.open(place), callers));
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
              long start = System.nanoTime();
              crew.pair(turn);
              return System.nanoTime() - start;
            }));
  }

  @Override
  public void close() throws SQLException {
    crew.close();
  }
}
