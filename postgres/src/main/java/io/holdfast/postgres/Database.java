package io.holdfast.postgres;

import io.holdfast.Telemetry.Figure;
import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Where connections come from: a pool of ours or a user's own source. Safe for use by many threads.
 */
interface Database extends AutoCloseable {
  /** A connection for one caller, waiting up to {@code limit} unless cancelled. */
  Connection borrow(Cancellation cancellation, Duration limit) throws SQLException;

  /** Gives a connection back in the state it came in. */
  void giveBack(Connection connection);

  /** Closes a connection that must not be used again, whoever holds it now. */
  void discard(Connection connection);

  /** A connection to keep: outside the callers' limit where that can be. Close it when done. */
  Connection dedicated() throws SQLException;

  /** How much it is used, where that is known. */
  List<Figure> figures();

  @Override
  void close();
}
