package io.holdfast.client.stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Taking messages. */
public final class PopWire {
  private PopWire() {}

  /**
   * The parameters of a pop, where they are in a body.
   *
   * @param popId ours: by which it is called off while it waits
   */
  public record Parameters(
      @Nullable String queue,
      @Nullable String partition,
      @Nullable String namespace,
      @Nullable String task,
      @Nullable String consumerGroup,
      @Nullable JsonNode batch,
      @Nullable JsonNode partitions,
      @JsonProperty("wait") @Nullable JsonNode isWaiting,
      @Nullable JsonNode timeout,
      @Nullable JsonNode leaseSeconds,
      @Nullable JsonNode autoAck,
      @Nullable String subscriptionMode,
      @Nullable String subscriptionFrom,
      @Nullable String popId) {}

  /**
   * What came; of several partitions, the first is named.
   *
   * @param leaseId empty with auto-ack
   */
  public record Popped(
      boolean success,
      String queue,
      String partition,
      String partitionId,
      String leaseId,
      String consumerGroup,
      int partitionsClaimed,
      List<Message> messages) {}

  /**
   * A message.
   *
   * @param data its payload; of one that is not JSON, its text or base 64
   * @param dataBase64 ours: the bytes of a payload that is not JSON
   * @param dataError ours: why there is no payload
   * @param fence ours: grows with every claim of the partition; null with auto-ack
   * @param leaseExpiresAt ours: null with auto-ack
   * @param encrypted ours: true if the store keeps it encrypted
   */
  public record Message(
      String id,
      String transactionId,
      @Nullable String traceId,
      RawJson data,
      @Nullable String producerSub,
      String createdAt,
      String partitionId,
      String partition,
      String queue,
      String leaseId,
      String consumerGroup,
      int deliveryAttempt,
      long offset,
      @Nullable Long fence,
      @Nullable String leaseExpiresAt,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String dataBase64,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String dataError,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean encrypted) {}
}
