package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs database calls: each is watched, so that a token, an interrupt or its time limit stops it,
 * and each is reported to the listener. Safe for use by many threads.
 */
final class Statements implements AutoCloseable {
  private final Watcher watcher = new Watcher();
  private final StatementListener listener;

  Statements(StatementListener listener) {
    this.listener = listener;
  }

  /** What a call has to respect. */
  record Limits(Cancellation cancellation, long deadlineNanos) {
    static Limits of(Cancellation cancellation, Duration limit) {
      return new Limits(cancellation, System.nanoTime() + limit.toNanos());
    }

    Duration left() {
      return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }
  }

  /** What became of the connection, for whoever owns it. */
  interface Owner {
    /** The connection may be hit by a late cancel, or is torn down: nobody may use it again. */
    void spoiled(Connection connection);
  }

  /**
   * Runs {@code work} on {@code connection}. A stopped call fails as one that was, whatever it
   * said.
   */
  <T extends @Nullable Object> T run(
      String operation, Connection connection, Limits limits, SqlWork<T> work, Owner owner)
      throws SQLException {
    Watch watch = new Watch(connection, limits.cancellation(), limits.deadlineNanos());
    long startNanos = System.nanoTime();
    SQLException failure = null;
    watcher.add(watch);
    try {
      return work.run(watch);
    } catch (SQLException e) {
      failure = e;
      throw stopped(operation, watch, e);
    } finally {
      watcher.remove(watch);
      if (!watch.finish(failure)) {
        owner.spoiled(connection);
      }
      report(operation, System.nanoTime() - startNanos, watch, failure);
    }
  }

  private static SQLException stopped(String operation, Watch watch, SQLException e) {
    Watch.Stop stop = watch.stop();
    boolean ours = stop != null && (Failures.isCancelled(e) || watch.isTorn());
    if (!ours) {
      return e;
    }
    return new StoppedException(operation, stop, watch.isTorn(), e);
  }

  /** What a failed wait for a connection means: the caller's own doing, or a call never sent. */
  static SQLException calledOff(String operation, Limits limits, SQLException e) {
    boolean callers = limits.cancellation().isCancelled() || Thread.currentThread().isInterrupted();
    return callers
        ? new StoppedException(operation, Watch.Stop.CALLER, false, e)
        : new NotSentException(e);
  }

  private void report(String operation, long nanos, Watch watch, @Nullable SQLException failure) {
    try {
      ErrorCode code = failure == null ? null : codeOf(stopped(operation, watch, failure));
      listener.executed(operation, Duration.ofNanos(nanos), code);
    } catch (RuntimeException e) {
      // A listener must not change what it listens to.
    }
  }

  /** The code of any failure of a call. */
  static ErrorCode codeOf(SQLException e) {
    if (e instanceof NotSentException && e.getCause() instanceof SQLException reason) {
      return Failures.code(reason);
    }
    if (e instanceof StoppedException stopped) {
      return stopped.stop == Watch.Stop.CALLER ? ErrorCode.ABORTED : ErrorCode.NETWORK_TIMEOUT;
    }
    return Failures.code(e);
  }

  /** Whether the call may have taken effect. */
  static boolean outcomeUnknown(SQLException e) {
    if (e instanceof NotSentException) {
      return false;
    }
    return e instanceof StoppedException stopped ? stopped.torn : Failures.leavesOutcomeUnknown(e);
  }

  @Override
  public void close() {
    watcher.close();
  }

  /** A call for which there was no connection. */
  private static final class NotSentException extends SQLException {
    private static final long serialVersionUID = 1L;

    NotSentException(SQLException cause) {
      super(cause.getMessage(), cause.getSQLState(), cause);
    }
  }

  /** A call that we stopped. */
  private static final class StoppedException extends SQLException {
    private static final long serialVersionUID = 1L;
    private final Watch.Stop stop;
    private final boolean torn;

    StoppedException(String operation, Watch.Stop stop, boolean torn, SQLException cause) {
      super(operation + " was stopped", cause.getSQLState(), cause);
      this.stop = stop;
      this.torn = torn;
    }
  }

  static HoldfastException asHoldfast(String operation, SQLException e) {
    return new HoldfastException(codeOf(e), Failures.message(operation, e), e);
  }
}
