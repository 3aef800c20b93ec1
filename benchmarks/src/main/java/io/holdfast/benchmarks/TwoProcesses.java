package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** How often one key changes hands among callers of this process and of a {@link Sibling}. */
final class TwoProcesses implements Contender {
  /** How long each holder keeps the key. */
  static final Duration SECTION = Duration.ofMillis(1);

  private final Kind kind;
  private final Sibling sibling;
  private final Tally tally;
  private final HotKey hotKey;

  /** With half of the callers here; the other half is the sibling's. */
  TwoProcesses(Kind kind, Place place, int callers, Sibling sibling) throws SQLException {
    this.kind = kind;
    this.sibling = sibling;
    this.tally = sibling.tally();
    this.hotKey =
        new HotKey(kind.open(place), callers / 2, tally, new HotKey.Manners(SECTION, true, 1));
  }

  @Override
  public String title() {
    return kind.title();
  }

  @Override
  public Run run(Duration time) throws Exception {
    tally.reset();
    sibling.start(kind, time);
    Load.Outcome load = hotKey.run(time);
    long grants = load.operations() + sibling.finish();
    tally.check(title(), grants);
    Load.Outcome both =
        new Load.Outcome(grants, load.seconds(), load.busySeconds(), load.latency());
    return new Run(tally.handOvers() / load.seconds(), tally.crossings(), both);
  }

  @Override
  public void close() throws SQLException {
    hotKey.close();
  }
}
