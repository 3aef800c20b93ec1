package io.holdfast.stream;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer works. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param concurrency partitions that are handled at once, each by one thread
 * @param batch messages per partition and claim, at most
 * @param start where the group starts if it is new
 * @param leaseFor how long leases last; null: what the queue says
 * @param isRenewing whether leases are renewed while handlers work
 * @param grace how long closing waits for handlers
 */
public record ConsumerOptions(
    int concurrency,
    int batch,
    Start start,
    @Nullable Duration leaseFor,
    boolean isRenewing,
    Duration grace) {
  /** One partition at a time, a hundred messages of it. */
  public static final ConsumerOptions DEFAULTS =
      new ConsumerOptions(1, 100, Start.ALL, null, true, Duration.ofSeconds(30));

  /** With so many partitions at once. */
  public ConsumerOptions withConcurrency(int value) {
    return new ConsumerOptions(value, batch, start, leaseFor, isRenewing, grace);
  }

  /** With batches of so many. */
  public ConsumerOptions withBatch(int value) {
    return new ConsumerOptions(concurrency, value, start, leaseFor, isRenewing, grace);
  }

  /** Starting there, if the group is new. */
  public ConsumerOptions withStart(Start value) {
    return new ConsumerOptions(concurrency, batch, value, leaseFor, isRenewing, grace);
  }

  /** With leases of this length. */
  public ConsumerOptions withLeaseFor(Duration value) {
    return new ConsumerOptions(concurrency, batch, start, value, isRenewing, grace);
  }

  /** With or without renewal. */
  public ConsumerOptions withRenewing(boolean value) {
    return new ConsumerOptions(concurrency, batch, start, leaseFor, value, grace);
  }

  /** With another patience when closing. */
  public ConsumerOptions withGrace(Duration value) {
    return new ConsumerOptions(concurrency, batch, start, leaseFor, isRenewing, value);
  }
}
