package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a queue goes away: one commit makes it unknown to everybody, then its tables are dropped, a
 * few per transaction, so that no lock table overflows; last goes its row. Anybody can go on with
 * what another one left.
 *
 * <p>Without force nothing acknowledged may vanish. All tables are locked against writers before
 * they are looked into: a produce that came first is seen, and one that comes later finds, when it
 * gets its lock, a row that says {@code deleting}. A table that is not there yet cannot come into
 * being meanwhile, because making one needs the catalogue's lock too.
 */
final class QueueDeletion {
  private static final int TABLES_PER_STEP = 16;
  private static final int EVERY_TABLE = Integer.MAX_VALUE;

  private final QueueSql sql;
  private final Transactions transactions;

  QueueDeletion(QueueSql sql, Transactions transactions) {
    this.sql = sql;
    this.transactions = transactions;
  }

  /** Refuses unless every table of {@code queue} is empty, and keeps them so. */
  void requireEmpty(Watch watch, String queue) throws SQLException {
    List<String> tables = tables(watch, queue, EVERY_TABLE);
    if (tables.isEmpty()) {
      return;
    }
    String all = tables.stream().map(this::quoted).collect(Collectors.joining(", "));
    Migrations.execute(watch, "LOCK TABLE " + all + " IN EXCLUSIVE MODE");
    for (String table : tables) {
      try (PreparedStatement statement =
              watch.prepare("SELECT EXISTS (SELECT FROM " + quoted(table) + ")");
          ResultSet row = statement.executeQuery()) {
        row.next();
        if (row.getBoolean(1)) {
          throw QueueException.conflict("queue is not empty; '" + queue + "' has items");
        }
      }
    }
  }

  /** Drops what is left of a queue whose deletion was begun. */
  void finish(String queue, StoreCall call) throws SQLException {
    boolean more = true;
    while (more) {
      more =
          transactions.transaction(
              "deleting",
              StoreCaller.limits(call),
              TransactionSettings.DEFAULTS,
              watch -> dropSome(watch, queue));
    }
  }

  private boolean dropSome(Watch watch, String queue) throws SQLException {
    QueueSql.lockCatalog(watch);
    if (!isDeleting(watch, queue)) {
      return false;
    }
    List<String> tables = tables(watch, queue, TABLES_PER_STEP);
    if (tables.isEmpty()) {
      try (PreparedStatement statement = watch.prepare(sql.endDelete)) {
        Binds.of(statement).text(queue);
        statement.executeUpdate();
      }
      return false;
    }
    String all = tables.stream().map(this::quoted).collect(Collectors.joining(", "));
    Migrations.execute(watch, "DROP TABLE IF EXISTS " + all);
    return true;
  }

  private boolean isDeleting(Watch watch, String queue) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.lockRow)) {
      Binds.of(statement).text(queue);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getString("state").equals("deleting");
      }
    }
  }

  private List<String> tables(Watch watch, String queue, int limit) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement = watch.prepare(sql.tablesOf)) {
      Binds.of(statement)
          .text(sql.schema)
          .text("^items_" + TableHash.of(queue) + "_[0-9]+$")
          .integer(limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
    }
    return names;
  }

  private String quoted(String table) {
    return ItemTables.quoted(sql.schema, table);
  }
}
