package io.holdfast.stream;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer asks for.
 *
 * @param from where to take messages from
 * @param group on whose behalf
 * @param start where the group starts if this is its first contact with the queue
 * @param size how much at most
 * @param timeout how long to wait if there is nothing; zero: not at all
 * @param leaseFor how long the lease lasts; null: what the queue says
 * @param autoAck whether delivery settles the messages, so that there is no lease: at most once
 */
public record PopRequest(
    PopSource from,
    String group,
    Start start,
    Size size,
    Duration timeout,
    @Nullable Duration leaseFor,
    boolean autoAck) {
  /** The group of consumers that name none. */
  public static final String QUEUE_MODE = "__QUEUE_MODE__";

  /**
   * How much at most.
   *
   * @param batch messages in all
   * @param partitions partitions that share one lease
   */
  public record Size(int batch, int partitions) {}

  /** One message of {@code queue}, if there is one now. */
  public static PopRequest of(String queue) {
    return of(PopSource.queue(queue));
  }

  /** One message from {@code source}, if there is one now. */
  public static PopRequest of(PopSource source) {
    return new PopRequest(
        source, QUEUE_MODE, Start.ALL, new Size(1, 1), Duration.ZERO, null, false);
  }

  /** From this partition only. */
  public PopRequest partition(String value) {
    return new PopRequest(from.partition(value), group, start, size, timeout, leaseFor, autoAck);
  }

  /** On behalf of this group. */
  public PopRequest group(String value) {
    return new PopRequest(from, value, start, size, timeout, leaseFor, autoAck);
  }

  /** With this start, if the group is new. */
  public PopRequest startingAt(Start value) {
    return new PopRequest(from, group, value, size, timeout, leaseFor, autoAck);
  }

  /** At most so many messages. */
  public PopRequest batch(int value) {
    return new PopRequest(
        from, group, start, new Size(value, size.partitions), timeout, leaseFor, autoAck);
  }

  /** From at most so many partitions. */
  public PopRequest partitions(int value) {
    return new PopRequest(
        from, group, start, new Size(size.batch, value), timeout, leaseFor, autoAck);
  }

  /** Waits so long for something to come. */
  public PopRequest waiting(Duration value) {
    return new PopRequest(from, group, start, size, value, leaseFor, autoAck);
  }

  /** With a lease of this length. */
  public PopRequest leaseFor(Duration value) {
    return new PopRequest(from, group, start, size, timeout, value, autoAck);
  }

  /** Settled by being delivered. */
  public PopRequest autoAck(boolean value) {
    return new PopRequest(from, group, start, size, timeout, leaseFor, value);
  }
}
