package io.holdfast.client.stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settling messages. */
public final class AckWire {
  private AckWire() {}

  /**
   * A verdict about one message.
   *
   * @param offset ours: names the message instead of its transaction id
   * @param consumerGroup of the call, if the call has none; ours where the call has one
   */
  public record Ack(
      @Nullable String transactionId,
      @Nullable String partitionId,
      @Nullable String status,
      @Nullable String leaseId,
      @Nullable String consumerGroup,
      @Nullable String error,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String ackMode,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long offset) {}

  /** Verdicts of one group. */
  public record Batch(
      @Nullable String consumerGroup,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String ackMode,
      @Nullable List<@Nullable Ack> acknowledgments) {}

  /**
   * What became of a verdict.
   *
   * @param error null when it counts
   * @param code ours: what kind of error
   */
  public record Acked(
      int index,
      @Nullable String transactionId,
      boolean success,
      @Nullable String error,
      boolean noop,
      @Nullable String queueName,
      @Nullable String partitionName,
      boolean leaseReleased,
      boolean dlq,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String code) {}

  /** Verdicts, and what to take next. */
  public record AckPop(@Nullable Batch ack, PopWire.@Nullable Parameters pop) {}

  /** What became of verdicts, and what came next. */
  public record AckedPopped(List<Acked> ack, PopWire.@Nullable Popped pop) {}

  /** For how long a lease shall last. */
  public record Extend(@Nullable JsonNode seconds) {}

  /**
   * What became of a lease.
   *
   * @param partitions ours: how many it holds
   */
  public record Extended(
      String leaseId,
      boolean success,
      boolean renewed,
      @Nullable String newExpiresAt,
      @Nullable String expiresAt,
      @JsonProperty("lease_expires_at") @Nullable String leaseExpiresAt,
      @Nullable String error,
      int partitions) {}

  /** Which partition goes back; null for all of the lease. */
  public record Release(@Nullable String partitionId) {}

  /** What became of a lease that was to end. */
  public record Released(String leaseId, boolean success, int partitions, @Nullable String error) {}

  /** Pushes and verdicts. */
  public record Transaction(
      @Nullable List<@Nullable Operation> operations,
      @Nullable List<@Nullable String> requiredLeases) {}

  /**
   * One of them.
   *
   * @param type {@code push}, with items, or {@code ack}
   */
  public record Operation(
      @Nullable String type,
      @Nullable List<PushWire.@Nullable Item> items,
      @Nullable String transactionId,
      @Nullable String partitionId,
      @Nullable String status,
      @Nullable String consumerGroup,
      @Nullable String leaseId,
      @Nullable String error,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long offset) {}

  /** What became of them. */
  public record Transacted(
      String transactionId, boolean success, @Nullable String error, List<Result> results) {}

  /**
   * What became of a verdict or a message.
   *
   * @param code ours: what kind of error
   */
  public record Result(
      int index,
      String type,
      boolean success,
      @Nullable String transactionId,
      @Nullable String messageId,
      @Nullable String partitionId,
      @Nullable String queueName,
      boolean duplicate,
      boolean dlq,
      @Nullable String error,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String code,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean noop,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean leaseReleased,
      @JsonInclude(JsonInclude.Include.NON_NULL) PushWire.@Nullable Pushed pushed) {}
}
