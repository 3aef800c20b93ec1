package io.holdfast.stream;

import io.holdfast.lease.Texts;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A verdict about one message.
 *
 * @param leaseId the lease of the batch; null only where the wire allows it
 * @param error why it failed, for the dead letter and for whoever looks; what no database stores is
 *     replaced in it, for whoever fails with a strange text has failed all the same
 */
public record Ack(
    UUID partitionId,
    String group,
    @Nullable UUID leaseId,
    Target message,
    Verdict verdict,
    @Nullable String error) {

  /** Makes {@code error} storable. */
  public Ack {
    error = error == null ? null : Texts.storable(error);
  }

  /**
   * Which message: by its offset, or by its transaction id.
   *
   * @param offset 0 when the transaction id is given
   */
  public record Target(long offset, @Nullable String transactionId) {
    /** The message with this number. */
    public static Target offset(long offset) {
      return new Target(offset, null);
    }

    /** The message with this transaction id. */
    public static Target transaction(String transactionId) {
      return new Target(0, transactionId);
    }
  }

  /** About a message of {@code batch}, which {@code group} was given. */
  public static Ack of(String group, Batch batch, Message message, Verdict verdict) {
    Batch.Held lease = batch.lease();
    return new Ack(
        batch.partitionId(),
        group,
        lease == null ? null : lease.id(),
        Target.offset(message.place().offset()),
        verdict,
        null);
  }

  /** The same with a reason. */
  public Ack because(@Nullable String why) {
    return new Ack(partitionId, group, leaseId, message, verdict, why);
  }
}
