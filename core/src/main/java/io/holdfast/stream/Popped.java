package io.holdfast.stream;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a pop brought.
 *
 * @param queue from which; null when nothing came
 * @param claimedNanos when the claim was asked for, on this process's monotonic clock
 */
public record Popped(@Nullable String queue, String group, List<Batch> batches, long claimedNanos) {

  /** Nothing for {@code group}. */
  public static Popped nothing(String group) {
    return new Popped(null, group, List.of(), 0);
  }

  /** Whether nothing came. */
  public boolean isEmpty() {
    return batches.isEmpty();
  }

  /** All messages, partition by partition. */
  public List<Message> messages() {
    return batches.stream().flatMap(b -> b.deliveries().stream()).map(Delivery::message).toList();
  }

  /** The lease that all batches share; null when there is none. */
  public @Nullable UUID leaseId() {
    Batch.Held lease = batches.isEmpty() ? null : batches.get(0).lease();
    return lease == null ? null : lease.id();
  }

  /** One verdict for everything that came. */
  public List<Ack> ackAll(Verdict verdict) {
    return batches.stream()
        .flatMap(b -> b.deliveries().stream().map(d -> Ack.of(group, b, d.message(), verdict)))
        .toList();
  }
}
