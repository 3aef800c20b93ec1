package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A wish for jobs.
 *
 * @param queues from which, and at most how many of each
 * @param limit at most how many in all
 * @param leaseFor for how long
 * @param worker who asks; null: nobody in particular
 */
public record ReserveRequest(
    List<Share> queues, int limit, Duration leaseFor, @Nullable String worker) {
  /** How long a lease lasts unless said otherwise. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /**
   * A queue's part.
   *
   * @param floor a worker's own knowledge that nothing became due or expired before this instant
   */
  public record Share(String queue, int max, @Nullable Instant floor) {
    /** At most {@code max} jobs of {@code queue}. */
    public static Share of(String queue, int max) {
      return new Share(queue, max, null);
    }
  }

  /** Up to {@code limit} jobs of one queue, for 30 s. */
  public static ReserveRequest of(String queue, int limit) {
    return new ReserveRequest(List.of(Share.of(queue, limit)), limit, DEFAULT_LEASE, null);
  }

  /** For so long. */
  public ReserveRequest leaseFor(Duration value) {
    return new ReserveRequest(queues, limit, value, worker);
  }

  /** For this worker. */
  public ReserveRequest by(@Nullable String value) {
    return new ReserveRequest(queues, limit, leaseFor, value);
  }
}
