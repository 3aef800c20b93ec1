package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.ItemProducer;
import io.holdfast.queue.ItemRules;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.Produced;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueRules;
import io.holdfast.queue.Retry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Queue operations inside a caller's open transaction: visible with its commit, undone by its
 * rollback. Nothing is begun, ended, repeated or set on the connection. A refusal is an exception
 * of ours and no error of the transaction, which stays usable; whether there are a queue and a
 * table is asked first, and a missing table is made on a connection of our own. Waiting leases find
 * what was produced here when they look next. Used by one thread, as its connection is.
 */
public final class QueuesInTransaction {
  private final QueueKernel kernel;
  private final StoreCaller caller;
  private final StoreCall call = StoreCall.plain();

  QueuesInTransaction(PostgresStore store, Connection connection) {
    this.kernel = store.queueKernel();
    this.caller =
        StoreCaller.inside(
            connection,
            store.statements(),
            () -> QueueException.invalid("connection is invalid; open a transaction on it first"));
  }

  /** Appends items to some partition. */
  public Produced produce(String queue, List<NewItem> items) {
    return produce(queue, null, items);
  }

  /** Appends items to a partition, which they share. */
  public Produced produce(String queue, @Nullable Integer partition, List<NewItem> items) {
    QueueInfo info = find(queue);
    int number =
        partition == null
            ? ThreadLocalRandom.current().nextInt(info.partitions().size())
            : partition;
    PartitionContext context = open(info, number);
    ItemRules.checkProduce(items);
    ItemProducer.Produced produced =
        new PostgresProducer(context).produce(List.of(List.copyOf(items)), call);
    return new Produced(number, produced.ids().get(0));
  }

  /** Ends leases for good: all of them or none. */
  public void complete(String queue, int partition, List<String> ids) {
    PartitionContext context = open(find(queue), partition);
    ItemRules.checkIds(ids);
    ItemSettler.Settled settled =
        new PostgresSettler(context).complete(List.of(List.copyOf(ids)), call);
    refuse("completed", settled.faults().get(0));
  }

  /** Returns, schedules or dead-letters leased items: all of them or none. */
  public void retry(String queue, int partition, List<Retry> items) {
    PartitionContext context = open(find(queue), partition);
    ItemRules.checkRetry(items);
    ItemSettler.Settled settled =
        new PostgresSettler(context).retry(List.of(List.copyOf(items)), call);
    refuse("retried", settled.faults().get(0));
  }

  /** More time for leased items, all of them or none; without a duration the queue's own. */
  public Instant extend(String queue, int partition, List<String> ids, @Nullable Duration by) {
    QueueInfo info = find(queue);
    PartitionContext context = open(info, partition);
    ItemRules.checkExtend(ids, by, info.settings());
    ItemLeaser.Extension extension =
        new PostgresLeaser(context)
            .extend(List.of(new ItemLeaser.Extend(List.copyOf(ids), by)), call)
            .get(0);
    refuse("extended", extension.fault());
    Instant deadline = extension.deadline();
    if (deadline == null) {
      throw QueueException.internal("extend answered neither a deadline nor a fault", null);
    }
    return deadline;
  }

  private QueueInfo find(String queue) {
    QueueRules.checkName(queue);
    kernel.setup().ensure(call);
    try {
      QueueInfo info = caller.single("get", call, watch -> find(watch, queue));
      if (info == null) {
        throw QueueException.noQueue(queue);
      }
      return info;
    } catch (SQLException e) {
      throw QueueFailures.of(QueueFailures.Doing.look("get", queue), e);
    }
  }

  private @Nullable QueueInfo find(Watch watch, String queue) throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql().get)) {
      Binds.of(statement).text(queue);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? QueueRows.queue(rows) : null;
      }
    }
  }

  private PartitionContext open(QueueInfo queue, int partition) {
    if (partition < 0 || partition >= queue.partitions().size()) {
      throw QueueException.invalid(
          "partition is invalid; '" + queue.name() + "' has no partition " + partition);
    }
    PartitionInfo info = queue.partitions().get(partition);
    String table = ItemTables.name(queue.name(), info.number());
    try {
      Set<String> existing =
          caller.single(
              "get",
              call,
              watch -> ItemTables.existing(watch, kernel.sql().schema, List.of(table)));
      if (existing.isEmpty()) {
        kernel.tables().create(queue.name(), info.number(), call);
      }
    } catch (SQLException e) {
      throw QueueFailures.of(QueueFailures.Doing.look("get", queue.name()), e);
    }
    return new PartitionContext(kernel, caller, queue, info);
  }

  private static void refuse(String verb, @Nullable Fault fault) {
    if (fault != null) {
      throw fault.refusal(verb);
    }
  }
}
