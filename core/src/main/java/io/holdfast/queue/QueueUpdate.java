package io.holdfast.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A change of a queue's settings: what is null stays as it is. Start from {@link #NOTHING}. */
public record QueueUpdate(
    @Nullable Duration leaseTimeout,
    @Nullable Duration expireTimeout,
    @Nullable String deadQueue,
    @Nullable Integer maxAttempts,
    @Nullable String reference,
    @Nullable Integer partitions) {

  /** Changes nothing. */
  public static final QueueUpdate NOTHING = new QueueUpdate(null, null, null, null, null, null);

  /** New leases last this long. */
  public QueueUpdate leaseFor(@Nullable Duration value) {
    return new QueueUpdate(value, expireTimeout, deadQueue, maxAttempts, reference, partitions);
  }

  /** Items inserted or scheduled from now on wait at most this long. */
  public QueueUpdate expireAfter(@Nullable Duration value) {
    return new QueueUpdate(leaseTimeout, value, deadQueue, maxAttempts, reference, partitions);
  }

  /** Later failures go there; empty for nowhere. */
  public QueueUpdate deadQueue(String value) {
    return new QueueUpdate(leaseTimeout, expireTimeout, value, maxAttempts, reference, partitions);
  }

  /** Applies to existing items too, when their lease ends. */
  public QueueUpdate maxAttempts(int value) {
    return new QueueUpdate(leaseTimeout, expireTimeout, deadQueue, value, reference, partitions);
  }

  /** Another note for people. */
  public QueueUpdate reference(String value) {
    return new QueueUpdate(leaseTimeout, expireTimeout, deadQueue, maxAttempts, value, partitions);
  }

  /** More adds empty partitions at once; less is only recorded; 0 keeps. */
  public QueueUpdate partitions(int value) {
    return new QueueUpdate(leaseTimeout, expireTimeout, deadQueue, maxAttempts, reference, value);
  }
}
