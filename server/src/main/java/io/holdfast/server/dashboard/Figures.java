package io.holdfast.server.dashboard;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How it goes, at one moment. Instants are milliseconds since 1970, so that a page needs no parser.
 *
 * @param at when it was read
 * @param tookMs how long that took
 * @param problem why the newest figures could not be read; null if they could
 */
record Figures(
    long at,
    long tookMs,
    @Nullable String problem,
    List<OfQueue> queues,
    List<OfStream> streams,
    List<OfJobs> jobs,
    List<Worker> workers,
    List<Recurring> schedules,
    OfLocks locks) {
  static final Figures NOTHING =
      new Figures(
          0, 0, null, List.of(), List.of(), List.of(), List.of(), List.of(), OfLocks.NOTHING);

  /** The same, read in vain since. */
  Figures failed(long now, String why) {
    return new Figures(now, 0, why, queues, streams, jobs, workers, schedules, locks);
  }

  /**
   * A queue.
   *
   * @param oldestAt since when the item at the head of a partition waits; null if nothing does
   * @param dead items in its dead queue
   * @param deadOf the queues whose dead queue this is
   */
  record OfQueue(
      String name,
      boolean paused,
      long ready,
      long leased,
      long scheduled,
      @Nullable Long oldestAt,
      String deadQueue,
      long dead,
      List<String> deadOf,
      int maxAttempts,
      long leaseMs,
      long expireMs,
      int waiters,
      List<Part> partitions,
      long produced,
      long handedOut,
      long completed,
      long retried) {
    /** The same with what is known of other queues. */
    OfQueue related(long nowDead, List<String> nowDeadOf) {
      return new OfQueue(
          name,
          paused,
          ready,
          leased,
          scheduled,
          oldestAt,
          deadQueue,
          nowDead,
          nowDeadOf,
          maxAttempts,
          leaseMs,
          expireMs,
          waiters,
          partitions,
          produced,
          handedOut,
          completed,
          retried);
    }
  }

  /** One partition of a queue. */
  record Part(
      int number, long ready, long leased, long scheduled, int failures, @Nullable Long oldestAt) {}

  /**
   * A stream.
   *
   * @param depth messages that its slowest group has not passed
   * @param oldestAt when the first message was pushed that some group has not passed
   * @param stuck partitions that do not go on by themselves, once for each group
   * @param retrying partitions whose head has failed and is tried again
   * @param pushed messages ever pushed, as far as known
   */
  record OfStream(
      String name,
      boolean pushPaused,
      boolean popPaused,
      long depth,
      long maxSize,
      @Nullable Long oldestAt,
      long partitions,
      long leased,
      long stuck,
      long retrying,
      long dead,
      long pushed,
      List<Group> groups) {}

  /** A consumer group of a stream. */
  record Group(
      String name,
      long lag,
      @Nullable Long oldestAt,
      long passed,
      long leased,
      long stuck,
      boolean abandoned,
      long lastSeenAt) {}

  /**
   * A queue of jobs.
   *
   * @param capped whether there are more than counted in some state
   */
  record OfJobs(
      String name,
      @Nullable Long pausedAt,
      long ready,
      long scheduled,
      long gated,
      long running,
      long done,
      long dead,
      boolean capped,
      @Nullable Long oldestAt,
      @Nullable Long oldestDeadAt,
      long finishedLastMinute,
      long diedLastMinute) {}

  /** A worker of jobs. */
  record Worker(
      String id,
      String host,
      List<String> queues,
      List<String> types,
      int slots,
      @Nullable Long startedAt,
      @Nullable Long seenAt) {
    /** The same, serving these queues. */
    Worker serving(List<String> some) {
      return new Worker(id, host, some, types, slots, startedAt, seenAt);
    }
  }

  /** A recurring job. */
  record Recurring(
      String name,
      String queue,
      String type,
      String cron,
      String zone,
      boolean enabled,
      long nextAt,
      @Nullable Long lastSlot,
      @Nullable String lastJobId) {}

  /** All locks. */
  record OfLocks(long live, long expired, long counters, long waiters, List<Holder> holders) {
    static final OfLocks NOTHING = new OfLocks(0, 0, 0, 0, List.of());
  }

  /**
   * A lock that is held.
   *
   * @param key null for who may not see it
   */
  record Holder(
      @Nullable String key, String keyHash, long fence, long acquiredAt, long expiresAt) {}
}
