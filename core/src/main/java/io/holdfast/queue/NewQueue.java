package io.holdfast.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue to create. Start from {@link #named} and change what differs: leases last a minute, items
 * a week, there is one partition, no dead queue and no limit of attempts. The rules are checked
 * when the queue is created.
 */
public record NewQueue(
    String name,
    String namespace,
    @Nullable Duration leaseTimeout,
    @Nullable Duration expireTimeout,
    String deadQueue,
    int maxAttempts,
    String reference,
    int partitions) {

  /** With defaults. */
  public static NewQueue named(String name) {
    return new NewQueue(name, "", Duration.ofMinutes(1), Duration.ofDays(7), "", 0, "", 1);
  }

  /** In a namespace, which is only a label. */
  public NewQueue inNamespace(String value) {
    return new NewQueue(
        name, value, leaseTimeout, expireTimeout, deadQueue, maxAttempts, reference, partitions);
  }

  /** With leases of this length. */
  public NewQueue leaseFor(@Nullable Duration value) {
    return new NewQueue(
        name, namespace, value, expireTimeout, deadQueue, maxAttempts, reference, partitions);
  }

  /** With items that wait at most this long. */
  public NewQueue expireAfter(@Nullable Duration value) {
    return new NewQueue(
        name, namespace, leaseTimeout, value, deadQueue, maxAttempts, reference, partitions);
  }

  /** With a queue for items that failed. */
  public NewQueue deadQueue(String value) {
    return new NewQueue(
        name, namespace, leaseTimeout, expireTimeout, value, maxAttempts, reference, partitions);
  }

  /** With a limit of leases per item; 0 is none. */
  public NewQueue maxAttempts(int value) {
    return new NewQueue(
        name, namespace, leaseTimeout, expireTimeout, deadQueue, value, reference, partitions);
  }

  /** With a note for people. */
  public NewQueue reference(String value) {
    return new NewQueue(
        name, namespace, leaseTimeout, expireTimeout, deadQueue, maxAttempts, value, partitions);
  }

  /** In so many partitions; there is no order between them. */
  public NewQueue partitions(int value) {
    return new NewQueue(
        name, namespace, leaseTimeout, expireTimeout, deadQueue, maxAttempts, reference, value);
  }
}
