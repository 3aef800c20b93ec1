package io.holdfast.postgres;

import io.holdfast.HoldfastOptions;
import io.holdfast.job.JobOptions;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockOptions;
import io.holdfast.queue.QueueOptions;
import io.holdfast.stream.StreamOptions;

/**
 * How Holdfast uses a database. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param lockTables which tables hold the locks
 * @param queueSchema the schema that holds the queues and their items
 * @param streamSchema the schema that holds the streams
 * @param jobTables where the jobs are
 * @param capabilities how locks, queues and streams behave
 * @param pool how a pool of ours behaves; a user's own data source has its own settings
 * @param listener hears of every database call
 * @param time where time comes from; tests replace it
 */
public record PostgresOptions(
    LockTables lockTables,
    String queueSchema,
    String streamSchema,
    JobTables jobTables,
    HoldfastOptions capabilities,
    PoolSettings pool,
    StatementListener listener,
    Time time) {
  /** The settings that suit most. */
  public static final PostgresOptions DEFAULTS =
      new PostgresOptions(
          LockTables.DEFAULTS,
          "holdfast",
          "holdfast",
          JobTables.DEFAULTS,
          HoldfastOptions.DEFAULTS,
          PoolSettings.DEFAULTS,
          (operation, took, error) -> {},
          Time.system());

  /** With other lock tables. */
  public PostgresOptions withLockTables(LockTables value) {
    return new PostgresOptions(
        value, queueSchema, streamSchema, jobTables, capabilities, pool, listener, time);
  }

  /** With the queues in another schema, such as {@code public} of a Querator database. */
  public PostgresOptions withQueueSchema(String value) {
    return new PostgresOptions(
        lockTables, value, streamSchema, jobTables, capabilities, pool, listener, time);
  }

  /** With the streams in another schema. */
  public PostgresOptions withStreamSchema(String value) {
    return new PostgresOptions(
        lockTables, queueSchema, value, jobTables, capabilities, pool, listener, time);
  }

  /** With the jobs elsewhere. */
  public PostgresOptions withJobTables(JobTables value) {
    return new PostgresOptions(
        lockTables, queueSchema, streamSchema, value, capabilities, pool, listener, time);
  }

  private PostgresOptions withCapabilities(HoldfastOptions value) {
    return new PostgresOptions(
        lockTables, queueSchema, streamSchema, jobTables, value, pool, listener, time);
  }

  /** With other lock options. */
  public PostgresOptions withLocks(LockOptions value) {
    return withCapabilities(capabilities.withLocks(value));
  }

  /** With other queue options. */
  public PostgresOptions withQueues(QueueOptions value) {
    return withCapabilities(capabilities.withQueues(value));
  }

  /** With other stream options. */
  public PostgresOptions withStreams(StreamOptions value) {
    return withCapabilities(capabilities.withStreams(value));
  }

  /** With other job options. */
  public PostgresOptions withJobs(JobOptions value) {
    return withCapabilities(capabilities.withJobs(value));
  }

  /** With other pool settings. */
  public PostgresOptions withPool(PoolSettings value) {
    return new PostgresOptions(
        lockTables, queueSchema, streamSchema, jobTables, capabilities, value, listener, time);
  }

  /** With a listener for database calls. */
  public PostgresOptions withListener(StatementListener value) {
    return new PostgresOptions(
        lockTables, queueSchema, streamSchema, jobTables, capabilities, pool, value, time);
  }

  /** On another clock. */
  public PostgresOptions withTime(Time value) {
    return new PostgresOptions(
        lockTables, queueSchema, streamSchema, jobTables, capabilities, pool, listener, value);
  }
}
