package io.holdfast.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One queue. Calls that end in {@code Async} hold no thread and no connection while they wait;
 * cancelling their future calls them off. Every failure is a {@link QueueException}. Safe for use
 * by many threads.
 */
public interface Queue {
  /** How long the shorter forms wait. */
  Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

  /** Its name. */
  String name();

  /** What operators do with it. */
  QueueAdmin admin();

  /**
   * Appends 1 to 1000 items, all to one partition: all of them or none, durable when this returns.
   * While no partition can be written it waits, up to {@code timeout}.
   */
  CompletableFuture<Produced> produceAsync(List<NewItem> items, Duration timeout);

  /**
   * Leases items as soon as there are any, all from one partition, oldest first; an empty answer
   * when there were none in time.
   */
  CompletableFuture<LeasedItems> leaseAsync(LeaseRequest request);

  /**
   * Gives leased items more time, counted from now: all of them or none. Without a duration it is
   * the queue's lease timeout. Answers the new deadline.
   */
  CompletableFuture<Instant> extendAsync(
      int partition, List<String> ids, @Nullable Duration duration);

  /** Removes leased items that were dealt with: all of them or none. */
  CompletableFuture<Void> completeAsync(int partition, List<String> ids, Duration timeout);

  /** Gives leased items back for another try, or to the dead queue: all of them or none. */
  CompletableFuture<Void> retryAsync(int partition, List<Retry> items);

  /**
   * Returns leased items that nobody has looked at, as if they had not been leased: same id, same
   * place, and no attempt is counted. For items whose ids are forgotten here: whoever leases them
   * next gets the same ids. Those that are not leased any more are left alone.
   *
   * @param isKnown whether somebody may have read the ids and could settle the items for their next
   *     holder: then they get new ones, at the tail
   */
  CompletableFuture<Void> handBackAsync(int partition, List<String> ids, boolean isKnown);

  /**
   * Ends the lease that waits for this client here, if there is one, with an empty answer. What was
   * just leased for it goes to others or back. Does not block.
   */
  void leave(String clientId);

  /** See {@link #produceAsync}; blocks until it is done. */
  Produced produce(List<NewItem> items, Duration timeout);

  /** See {@link #leaseAsync}; blocks until it is done. */
  LeasedItems lease(LeaseRequest request);

  /** See {@link #extendAsync}; blocks until it is done. */
  Instant extend(int partition, List<String> ids, @Nullable Duration duration);

  /** See {@link #completeAsync}; blocks until it is done. */
  void complete(int partition, List<String> ids, Duration timeout);

  /** See {@link #retryAsync}; blocks until it is done. */
  void retry(int partition, List<Retry> items);

  /**
   * Gives items to {@code handler} as they come, until the consumer or the service is closed: each
   * is renewed while it is worked on, completed when the handler returns, retried or dead-lettered
   * when it throws.
   */
  QueueConsumer consume(ItemHandler handler, ConsumeOptions options);

  /** Appends items, waiting up to {@link #DEFAULT_TIMEOUT}. */
  default Produced produce(NewItem... items) {
    return produce(List.of(items), DEFAULT_TIMEOUT);
  }

  /** Completes everything of a lease. */
  default void complete(LeasedItems leased) {
    complete(leased.partition(), leased.ids(), DEFAULT_TIMEOUT);
  }
}
