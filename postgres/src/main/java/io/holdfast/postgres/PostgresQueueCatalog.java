package io.holdfast.postgres;

import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueCatalog;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueRules;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalogue in its table. A change is one transaction under one lock for all queues, so rules
 * that look at other queues hold; other processes get a hint after its commit. Safe for use by many
 * threads.
 */
final class PostgresQueueCatalog implements QueueCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresQueueCatalog.class);
  private static final int DEFAULT_LIMIT = 1000;

  private final QueueSql sql;
  private final QueueSetup setup;
  private final Transactions transactions;
  private final QueueDeletion deletion;
  private final Hints hints;
  private final Time time;
  private volatile boolean closed;

  PostgresQueueCatalog(
      QueueSql sql, QueueSetup setup, Transactions transactions, Hints hints, Time time) {
    this.sql = sql;
    this.setup = setup;
    this.transactions = transactions;
    this.deletion = new QueueDeletion(sql, transactions);
    this.hints = hints;
    this.time = time;
  }

  @Override
  public Optional<QueueInfo> get(String name, StoreCall call) {
    return look("get", name, call, watch -> Optional.ofNullable(row(watch, sql.get, name)));
  }

  @Override
  public QueueInfo add(NewQueue queue, StoreCall call) {
    QueueRules.checkName(queue.name());
    QueueInfo added = change("add", queue.name(), call, watch -> addIn(watch, queue));
    if (added == null) {
      // Somebody's deletion stands in the way; it is as good as done.
      finishDelete(queue.name(), call);
      added = change("add", queue.name(), call, watch -> addIn(watch, queue));
    }
    if (added == null) {
      throw QueueException.retryable("queue is being deleted; try again later", null);
    }
    return added;
  }

  private @Nullable QueueInfo addIn(Watch watch, NewQueue queue) throws SQLException {
    QueueSettings settings = QueueRules.checkNew(queue, new OtherQueues(watch, sql));
    if (row(watch, sql.lockRow, queue.name()) != null) {
      return null;
    }
    try (PreparedStatement statement = watch.prepare(sql.add)) {
      Binds.of(statement)
          .text(queue.name())
          .text(QueueRules.namespace(queue.namespace()))
          .number(settings.leaseTimeout().toNanos())
          .number(settings.expireTimeout().toNanos())
          .text(settings.deadQueue())
          .integer(settings.maxAttempts())
          .text(settings.reference())
          .integer(settings.requestedPartitions())
          .text(TableHash.of(queue.name()))
          .text(QueueSql.STORAGE)
          .now(time);
      return one(statement);
    }
  }

  @Override
  public QueueInfo update(String name, QueueUpdate update, StoreCall call) {
    return change(
        "update",
        name,
        call,
        watch -> {
          QueueInfo queue = lockedRow(watch, name);
          QueueSettings settings = QueueRules.merge(queue, update, new OtherQueues(watch, sql));
          try (PreparedStatement statement = watch.prepare(sql.update)) {
            Binds.of(statement)
                .text(name)
                .number(settings.leaseTimeout().toNanos())
                .number(settings.expireTimeout().toNanos())
                .text(settings.deadQueue())
                .integer(settings.maxAttempts())
                .text(settings.reference())
                .integer(settings.requestedPartitions())
                .text(QueueSql.STORAGE)
                .now(time);
            return one(statement);
          }
        });
  }

  @Override
  public List<QueueInfo> list(QueuePage page, StoreCall call) {
    return look(
        "list",
        page.pivot(),
        call,
        watch -> {
          String namespace =
              page.namespace() == null ? null : QueueRules.namespace(page.namespace());
          List<QueueInfo> found = new ArrayList<>();
          try (PreparedStatement statement = watch.prepare(sql.list)) {
            Binds.of(statement)
                .text(page.pivot().isBlank() ? "" : page.pivot())
                .text(namespace)
                .text(namespace)
                .integer(page.limit() == 0 ? DEFAULT_LIMIT : page.limit());
            try (ResultSet rows = statement.executeQuery()) {
              while (rows.next()) {
                found.add(QueueRows.queue(rows));
              }
            }
          }
          return found;
        });
  }

  @Override
  public void delete(String name, boolean force, StoreCall call) {
    boolean begun = change("delete", name, call, watch -> beginDelete(watch, name, force));
    if (begun) {
      try {
        finishDelete(name, call);
      } catch (QueueException e) {
        LOG.warn("'{}' is deleted, its tables are dropped later: {}", name, e.getMessage());
      }
    }
  }

  private boolean beginDelete(Watch watch, String name, boolean force) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.lockRow)) {
      Binds.of(statement).text(name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return false;
        }
        if (rows.getString("state").equals("deleting")) {
          return true;
        }
      }
    }
    if (new OtherQueues(watch, sql).isDeadQueue(name)) {
      throw QueueException.conflict("queue is in use; '" + name + "' is a dead queue");
    }
    if (!force) {
      deletion.requireEmpty(watch, name);
    }
    try (PreparedStatement statement = watch.prepare(sql.beginDelete)) {
      Binds.of(statement).now(time).text(name);
      statement.executeUpdate();
    }
    return true;
  }

  private void finishDelete(String name, StoreCall call) {
    try {
      deletion.finish(name, call);
    } catch (SQLException e) {
      // What was dropped stays dropped, and doing it again does no harm: the outcome is no riddle.
      throw QueueFailures.of(QueueFailures.Doing.look("deleting", name), e);
    }
    hints.send(topic(name));
  }

  @Override
  public QueueInfo pause(String name, Pause pause, StoreCall call) {
    return change(
        "pause",
        name,
        call,
        watch -> {
          QueueInfo queue = lockedRow(watch, name);
          if (queue.paused() == pause) {
            return queue;
          }
          try (PreparedStatement statement = watch.prepare(sql.pause)) {
            Binds.of(statement).text(name).text(pause.text()).now(time);
            return one(statement);
          }
        });
  }

  @Override
  public Map<String, Long> versions(StoreCall call) {
    return look(
        "versions",
        "*",
        call,
        watch -> {
          Map<String, Long> versions = new TreeMap<>();
          try (PreparedStatement statement = watch.prepare(sql.versions);
              ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              versions.put(rows.getString(1), rows.getLong(2));
            }
          }
          return versions;
        });
  }

  @Override
  public int finishDeletes(StoreCall call) {
    List<String> names =
        look(
            "finish deletes",
            "*",
            call,
            watch -> {
              List<String> found = new ArrayList<>();
              try (PreparedStatement statement = watch.prepare(sql.deleting);
                  ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                  found.add(rows.getString(1));
                }
              }
              return found;
            });
    names.forEach(name -> finishDelete(name, call));
    return names.size();
  }

  @Override
  public void close() {
    closed = true;
  }

  private <T> T look(String operation, String queue, StoreCall call, SqlWork<T> work) {
    ready(call);
    try {
      return transactions.single(operation, StoreCaller.limits(call), work);
    } catch (SQLException e) {
      throw QueueFailures.of(QueueFailures.Doing.look(operation, queue), e);
    }
  }

  private <T extends @Nullable Object> T change(
      String operation, String queue, StoreCall call, SqlWork<T> work) {
    ready(call);
    try {
      T result =
          transactions.transaction(
              operation,
              StoreCaller.limits(call),
              TransactionSettings.DEFAULTS,
              watch -> {
                QueueSql.lockCatalog(watch);
                return work.run(watch);
              });
      hints.send(topic(queue));
      return result;
    } catch (OtherQueues.Unread e) {
      throw QueueFailures.of(QueueFailures.Doing.look(operation, queue), e.reason());
    } catch (SQLException e) {
      throw QueueFailures.of(QueueFailures.Doing.change(operation, queue), e);
    }
  }

  private void ready(StoreCall call) {
    if (closed) {
      throw QueueException.closed("service is shutting down");
    }
    setup.ensure(call);
  }

  /** What others hear of when a queue has changed. */
  static String topic(String queue) {
    return "queue/" + queue;
  }

  private QueueInfo lockedRow(Watch watch, String name) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.lockRow)) {
      Binds.of(statement).text(name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next() || !rows.getString("state").equals("active")) {
          throw QueueException.noQueue(name);
        }
        return QueueRows.queue(rows);
      }
    }
  }

  private static @Nullable QueueInfo row(Watch watch, String sql, String name) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql)) {
      Binds.of(statement).text(name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? QueueRows.queue(rows) : null;
      }
    }
  }

  private static QueueInfo one(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return QueueRows.queue(row);
    }
  }
}
