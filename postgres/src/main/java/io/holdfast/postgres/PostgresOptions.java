package io.holdfast.postgres;

import io.holdfast.lease.Time;
import io.holdfast.lock.LockOptions;
import io.holdfast.queue.QueueOptions;

/**
 * How Holdfast uses a database. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param lockTables which tables hold the locks
 * @param locks how locks behave
 * @param pool how a pool of ours behaves; a user's own data source has its own settings
 * @param listener hears of every database call
 * @param queueSchema the schema that holds the queues and their items
 * @param queues how queues behave
 * @param time where time comes from; tests replace it
 */
public record PostgresOptions(
    LockTables lockTables,
    LockOptions locks,
    PoolSettings pool,
    StatementListener listener,
    String queueSchema,
    QueueOptions queues,
    Time time) {
  /** The settings that suit most. */
  public static final PostgresOptions DEFAULTS =
      new PostgresOptions(
          LockTables.DEFAULTS,
          LockOptions.DEFAULTS,
          PoolSettings.DEFAULTS,
          (operation, took, error) -> {},
          "holdfast",
          QueueOptions.DEFAULTS,
          Time.system());

  /** With other lock tables. */
  public PostgresOptions withLockTables(LockTables value) {
    return new PostgresOptions(value, locks, pool, listener, queueSchema, queues, time);
  }

  /** With other lock options. */
  public PostgresOptions withLocks(LockOptions value) {
    return new PostgresOptions(lockTables, value, pool, listener, queueSchema, queues, time);
  }

  /** With other pool settings. */
  public PostgresOptions withPool(PoolSettings value) {
    return new PostgresOptions(lockTables, locks, value, listener, queueSchema, queues, time);
  }

  /** With a listener for database calls. */
  public PostgresOptions withListener(StatementListener value) {
    return new PostgresOptions(lockTables, locks, pool, value, queueSchema, queues, time);
  }

  /** With the queues in another schema, such as {@code public} of a Querator database. */
  public PostgresOptions withQueueSchema(String value) {
    return new PostgresOptions(lockTables, locks, pool, listener, value, queues, time);
  }

  /** With other queue options. */
  public PostgresOptions withQueues(QueueOptions value) {
    return new PostgresOptions(lockTables, locks, pool, listener, queueSchema, value, time);
  }

  /** On another clock. */
  public PostgresOptions withTime(Time value) {
    return new PostgresOptions(lockTables, locks, pool, listener, queueSchema, queues, value);
  }
}
