package io.holdfast.postgres;

import io.holdfast.queue.QueueRules;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The other queues, as the transaction that makes a change sees them. */
final class OtherQueues implements QueueRules.Lookup {
  private static final String TRUE = "t";

  private final Watch watch;
  private final QueueSql sql;

  OtherQueues(Watch watch, QueueSql sql) {
    this.watch = watch;
    this.sql = sql;
  }

  @Override
  public Optional<String> deadQueueOf(String name) {
    return Optional.ofNullable(ask(sql.deadQueueOf, name));
  }

  @Override
  public boolean isDeadQueue(String name) {
    return TRUE.equals(ask(sql.isDeadQueue, name));
  }

  @Override
  public boolean isHashTaken(String name) {
    return TRUE.equals(ask(sql.isHashTaken, TableHash.of(name), name));
  }

  private @Nullable String ask(String question, String... names) {
    try (PreparedStatement statement = watch.prepare(question)) {
      Binds binds = Binds.of(statement);
      for (String name : names) {
        binds.text(name);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    } catch (SQLException e) {
      throw new Unread(e);
    }
  }

  /** Carries a failure through the rules, which know nothing of databases. */
  static final class Unread extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final SQLException reason;

    private Unread(SQLException reason) {
      super(reason);
      this.reason = reason;
    }

    SQLException reason() {
      return reason;
    }
  }
}
