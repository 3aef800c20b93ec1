package io.holdfast.client.stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Making queues, and pushing to them. */
public final class PushWire {
  private PushWire() {}

  /**
   * How a queue shall be.
   *
   * @param mode {@code replace}: options that are not given go back to their defaults
   */
  public record Configure(
      @Nullable String queue,
      @Nullable String namespace,
      @Nullable String task,
      @Nullable Map<String, @Nullable Object> options,
      @Nullable String mode) {}

  /**
   * A queue as it is.
   *
   * @param createdAt ours
   * @param paused ours
   */
  public record Configured(
      boolean configured,
      String queueId,
      String partitionId,
      String queue,
      @Nullable String namespace,
      @Nullable String task,
      Map<String, @Nullable Object> options,
      String createdAt,
      Pauses paused) {}

  /** What is paused. */
  public record Pauses(@Nullable String push, boolean pop) {}

  /** Messages. */
  public record Push(@Nullable List<@Nullable Item> items) {}

  /**
   * A message.
   *
   * @param payload any JSON
   * @param payloadBase64 ours: bytes that are not JSON, instead
   */
  public record Item(
      @Nullable String queue,
      @Nullable String partition,
      RawJson payload,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String payloadBase64,
      @Nullable String transactionId,
      @Nullable String traceId) {}

  /**
   * What became of a message.
   *
   * @param status {@code queued}, {@code duplicate} or {@code buffered}
   * @param offset of a duplicate the first one's, as all else
   */
  public record Pushed(
      int index,
      String status,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("transaction_id")
          @Nullable String transaction,
      String transactionId,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("message_id")
          @Nullable String messageId,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("partition_id")
          @Nullable String partitionId,
      @JsonProperty("trace_id") @Nullable String traceId,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String queueName,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long offset,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long queueDepth,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long remainingCapacity,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String queue,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String partition) {}

  /** What became of a queue that was to go. */
  public record Deleted(boolean deleted, String queue, boolean existed) {}
}
