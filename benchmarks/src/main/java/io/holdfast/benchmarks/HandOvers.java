package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** How often one key changes hands among the callers of one process, who keep it for no time. */
final class HandOvers implements Contender {
  private final String title;
  private final Tally tally = Tally.local();
  private final HotKey hotKey;

  HandOvers(Kind kind, Place place, int callers) throws SQLException {
    this.title = kind.title();
    this.hotKey =
        new HotKey(kind.open(place), callers, tally, new HotKey.Manners(Duration.ZERO, false, 1));
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    tally.reset();
    Load.Outcome load = hotKey.run(time);
    tally.check(title, load.operations());
    return new Run(tally.handOvers() / load.seconds(), 0, load);
  }

  @Override
  public void close() throws SQLException {
    hotKey.close();
  }
}
