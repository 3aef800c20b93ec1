package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemIds;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the roles of one partition share: where its statements run, what this process remembers of
 * it, and what happens when its table is not there. Safe for use by many threads.
 */
final class PartitionContext {
  final QueueKernel kernel;
  final PartitionInfo info;
  final ItemSql sql;
  final ClaimHint hint;
  final SweepFloor schedules;
  final SweepFloor actions;
  final Analyzer.Growth growth;
  private final StoreCaller caller;
  private final AtomicLong highest = new AtomicLong();
  private volatile QueueInfo queue;
  private volatile boolean closed;

  PartitionContext(QueueKernel kernel, StoreCaller caller, QueueInfo queue, PartitionInfo info) {
    this.kernel = kernel;
    this.caller = caller;
    this.queue = queue;
    this.info = info;
    this.sql = new ItemSql(kernel.sql(), queue.name(), info);
    this.hint = new ClaimHint(kernel.time());
    this.schedules = new SweepFloor(kernel.time());
    this.actions = new SweepFloor(kernel.time());
    this.growth = kernel.analyzer().new Growth(sql.table);
  }

  QueueInfo queue() {
    return queue;
  }

  String name() {
    return queue.name();
  }

  void update(QueueInfo fresh) {
    if (fresh.version() != queue.version()) {
      forget();
    }
    queue = fresh;
  }

  /** Forgets what made claims and sweeps cheaper. */
  void forget() {
    hint.reset();
    schedules.reset();
    actions.reset();
  }

  void close() {
    closed = true;
  }

  /** The smallest head of an id that sorts after all ids this process saw here. */
  long nextPrefix() {
    return highest.get();
  }

  /** An id that exists or existed here. */
  void saw(String id) {
    long after = 1 + ItemIds.prefix(id);
    highest.accumulateAndGet(after, Math::max);
  }

  /** New ids here, of which {@code first} is the smallest. */
  void arrived(@Nullable String first) {
    if (first != null) {
      saw(first);
      hint.lower(first);
    }
  }

  /** One statement that changes something; makes the table when it is missing. */
  <T extends @Nullable Object> T change(String operation, StoreCall call, SqlWork<T> work) {
    return run(
        QueueFailures.Doing.change(operation, name()),
        call,
        () -> caller.single(operation, call, work));
  }

  /** Several statements that change something together. */
  <T extends @Nullable Object> T transact(String operation, StoreCall call, SqlWork<T> work) {
    return run(
        QueueFailures.Doing.change(operation, name()),
        call,
        () -> caller.transaction(operation, call, work));
  }

  /** A statement that finds nothing where there is no table yet. */
  <T> T look(String operation, StoreCall call, T nothing, SqlWork<T> work) {
    QueueFailures.Doing doing = QueueFailures.Doing.look(operation, name());
    return lookFor(doing, call, nothing, () -> caller.single(operation, call, work));
  }

  /** The same for a statement that would have changed what it found. */
  <T> T take(String operation, StoreCall call, T nothing, SqlWork<T> work) {
    QueueFailures.Doing doing = QueueFailures.Doing.change(operation, name());
    return lookFor(doing, call, nothing, () -> caller.single(operation, call, work));
  }

  /** The same for several statements that change something together. */
  <T> T takeTogether(String operation, StoreCall call, T nothing, SqlWork<T> work) {
    QueueFailures.Doing doing = QueueFailures.Doing.change(operation, name());
    return lookFor(doing, call, nothing, () -> caller.transaction(operation, call, work));
  }

  private <T> T lookFor(QueueFailures.Doing doing, StoreCall call, T nothing, Attempt<T> attempt) {
    ready(call);
    try {
      return attempt.run();
    } catch (SQLException e) {
      if (!QueueFailures.isNoTable(e)) {
        throw QueueFailures.of(doing, e);
      }
      requireQueue(call);
      return nothing;
    }
  }

  private interface Attempt<T extends @Nullable Object> {
    T run() throws SQLException;
  }

  private <T extends @Nullable Object> T run(
      QueueFailures.Doing doing, StoreCall call, Attempt<T> attempt) {
    ready(call);
    try {
      return attempt.run();
    } catch (SQLException e) {
      if (!QueueFailures.isNoTable(e)) {
        throw QueueFailures.of(doing, e);
      }
    }
    kernel.tables().create(name(), info.number(), call);
    try {
      return attempt.run();
    } catch (SQLException e) {
      throw QueueFailures.isNoTable(e)
          ? QueueException.noQueue(name())
          : QueueFailures.of(doing, e);
    }
  }

  private void ready(StoreCall call) {
    if (closed) {
      throw QueueException.closed("queue is shutting down");
    }
    kernel.setup().ensure(call);
  }

  QueueException noQueue() {
    return QueueException.noQueue(name());
  }

  private void requireQueue(StoreCall call) {
    try {
      boolean isThere =
          kernel
              .transactions()
              .single("get", StoreCaller.limits(call), watch -> isThere(watch, name()));
      if (!isThere) {
        throw noQueue();
      }
    } catch (SQLException e) {
      throw QueueFailures.of(QueueFailures.Doing.look("get", name()), e);
    }
  }

  private boolean isThere(Watch watch, String queueName) throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql().deadQueueOf)) {
      Binds.of(statement).text(queueName);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }
}
