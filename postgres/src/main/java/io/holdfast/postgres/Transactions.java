package io.holdfast.postgres;

import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls on connections of a database: single statements that commit by themselves, and
 * transactions of several. Either is repeated when it lost against another transaction (40001,
 * 40P01), at most three times. Safe for use by many threads.
 */
final class Transactions {
  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);
  private static final int RETRIES = 3;
  private static final long FIRST_PAUSE_MS = 100;

  /**
   * Isolation and both limits in one round trip, for this transaction only: through a pooler a
   * setting of the session would hit somebody else. The isolation has to come before any query.
   */
  private static final String BEGIN_WITH =
      """
      SET TRANSACTION ISOLATION LEVEL {isolation};
      SELECT set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)
      """;

  private final Database database;
  private final Statements statements;

  Transactions(Database database, Statements statements) {
    this.database = database;
    this.statements = statements;
  }

  /** One statement that commits by itself: one round trip. */
  <T extends @Nullable Object> T single(String operation, Statements.Limits limits, SqlWork<T> work)
      throws SQLException {
    return retrying(limits, () -> onConnection(operation, limits, work));
  }

  /** A transaction: everything in {@code work} commits, or nothing does. */
  <T extends @Nullable Object> T transaction(
      String operation, Statements.Limits limits, TransactionSettings settings, SqlWork<T> work)
      throws SQLException {
    return retrying(
        limits,
        () -> onConnection(operation, limits, watch -> inTransaction(watch, settings, work)));
  }

  private <T extends @Nullable Object> T onConnection(
      String operation, Statements.Limits limits, SqlWork<T> work) throws SQLException {
    Connection connection = borrow(operation, limits);
    try {
      return statements.run(operation, connection, limits, work, database::discard);
    } finally {
      database.giveBack(connection);
    }
  }

  private Connection borrow(String operation, Statements.Limits limits) throws SQLException {
    try {
      return database.borrow(limits.cancellation(), limits.left());
    } catch (SQLException e) {
      throw Statements.calledOff(operation, limits, e);
    }
  }

  private static <T extends @Nullable Object> T inTransaction(
      Watch watch, TransactionSettings settings, SqlWork<T> work) throws SQLException {
    Connection connection = watch.connection();
    connection.setAutoCommit(false);
    boolean committed = false;
    try {
      begin(watch, settings);
      T result = work.run(watch);
      connection.commit();
      committed = true;
      return result;
    } finally {
      restore(connection, committed);
    }
  }

  private static void begin(Watch watch, TransactionSettings settings) throws SQLException {
    String sql = BEGIN_WITH.replace("{isolation}", settings.isolation().sql());
    try (PreparedStatement statement = watch.prepare(sql)) {
      statement.setString(1, settings.statementTimeout().toMillis() + "ms");
      statement.setString(2, settings.lockTimeout().toMillis() + "ms");
      statement.execute();
    }
  }

  private static void restore(Connection connection, boolean committed) {
    try {
      if (!committed) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.debug("ending a transaction failed, its connection is lost: {}", e.getMessage());
    }
  }

  @FunctionalInterface
  private interface Attempt<T extends @Nullable Object> {
    T run() throws SQLException;
  }

  private static <T extends @Nullable Object> T retrying(
      Statements.Limits limits, Attempt<T> attempt) throws SQLException {
    for (int retry = 0; ; retry++) {
      try {
        return attempt.run();
      } catch (SQLException e) {
        if (retry == RETRIES || !Failures.isRetryable(e) || !pause(retry, limits)) {
          throw e;
        }
      }
    }
  }

  private static boolean pause(int retry, Statements.Limits limits) {
    long fullMs = FIRST_PAUSE_MS << retry;
    long ms = fullMs / 2 + ThreadLocalRandom.current().nextLong(fullMs / 2 + 1);
    long until = Time.after(System.nanoTime(), ms);
    return until - limits.deadlineNanos() < 0
        && new Signal().await(Time.system(), until, limits.cancellation())
            == Signal.Woken.TIMED_OUT;
  }
}
