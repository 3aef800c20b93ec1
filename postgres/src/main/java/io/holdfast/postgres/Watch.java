package io.holdfast.postgres;

import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One database call under way, so that somebody else can stop it. Stopping has two steps: the
 * server is asked to cancel the statement, and if that does not end it soon, the connection is torn
 * down.
 *
 * <p>A cancel request travels on a connection of its own and names a session, not a statement. One
 * that arrives late would hit whatever the session runs next, so {@link #finish} says whether the
 * cancel was spent on this call; if not, the connection must not be used again.
 */
final class Watch {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Who stopped the call. */
  enum Stop {
    CALLER,
    TIME_LIMIT
  }

  private final Connection connection;
  private final Cancellation cancellation;
  private final Thread thread = Thread.currentThread();
  private final long deadlineNanos;
  private final CountDownLatch cancelSent = new CountDownLatch(1);

  private @Nullable PreparedStatement statement;
  private @Nullable Stop stop;
  private long stoppedNanos;
  private boolean done;
  private boolean torn;

  Watch(Connection connection, Cancellation cancellation, long deadlineNanos) {
    this.connection = connection;
    this.cancellation = cancellation;
    this.deadlineNanos = deadlineNanos;
  }

  Connection connection() {
    return connection;
  }

  /** A statement that a stop will cancel; the caller closes it. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement prepared = connection.prepareStatement(sql);
    synchronized (this) {
      statement = prepared;
      if (stop != null) {
        prepared.close();
        throw new SQLException("the call was stopped before its next statement", "57014");
      }
    }
    return prepared;
  }

  synchronized @Nullable Stop stop() {
    return stop;
  }

  synchronized boolean isTorn() {
    return torn;
  }

  /** Looks whether the call has to be stopped, or torn down; true when there is something to do. */
  synchronized boolean needsAttention(long nanos) {
    if (done || torn) {
      return false;
    }
    if (stop == null) {
      if (cancellation.isCancelled() || thread.isInterrupted()) {
        stop = Stop.CALLER;
      } else if (deadlineNanos - nanos <= 0) {
        stop = Stop.TIME_LIMIT;
      }
      stoppedNanos = nanos;
      return stop != null;
    }
    return nanos - stoppedNanos > PATIENCE_NANOS;
  }

  /** Cancels the statement, or tears the connection down when that was done before. May block. */
  void act() {
    PreparedStatement running;
    synchronized (this) {
      if (done) {
        cancelSent.countDown();
        return;
      }
      running = statement;
      torn = cancelSent.getCount() == 0 || System.nanoTime() - stoppedNanos > PATIENCE_NANOS;
    }
    try {
      if (torn) {
        connection.abort(Runnable::run);
      } else if (running != null) {
        running.cancel();
      }
    } catch (SQLException e) {
      LOG.debug("stopping a statement failed: {}", e.getMessage());
    } finally {
      cancelSent.countDown();
    }
  }

  /**
   * Ends the call.
   *
   * @param failure what the last statement threw, if it did
   * @return whether the connection is good for others
   */
  boolean finish(@Nullable SQLException failure) {
    synchronized (this) {
      done = true;
      if (stop == null) {
        return true;
      }
    }
    awaitCancelSent();
    return !isTorn() && failure != null && Failures.isCancelled(failure);
  }

  private void awaitCancelSent() {
    // An interrupt may be what stopped the call, and must not cut this short.
    boolean interrupted = Thread.interrupted();
    boolean sent = false;
    while (!sent) {
      try {
        cancelSent.await(1, TimeUnit.SECONDS);
        sent = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
