package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** One side of a comparison: a subject under a certain load. */
interface Contender extends AutoCloseable {
  /** How reports call it. */
  String title();

  /** Puts in place what a run of this length needs; nothing of it counts. */
  default void prepare(Duration time) throws Exception {}

  /** Puts on the load for a time. */
  Run run(Duration time) throws Exception;

  @Override
  void close() throws SQLException;

  /**
   * What one run did.
   *
   * @param perSecond the figure that is compared
   * @param crossings hand-overs from one process to another
   * @param load with the operations that latency and the server's work refer to
   */
  record Run(double perSecond, long crossings, Load.Outcome load) {
    static Run of(Load.Outcome load) {
      return new Run(load.operations() / load.seconds(), 0, load);
    }
  }
}
