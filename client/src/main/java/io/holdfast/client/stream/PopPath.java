package io.holdfast.client.stream;

import io.holdfast.client.http.Request;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a pop asks for, as the wire has it. */
final class PopPath {
  private PopPath() {}

  static Request of(PopRequest request, @Nullable UUID id) {
    Map<String, Object> parameters = parameters(request, id);
    Object queue = parameters.remove("queue");
    Object partition = parameters.remove("partition");
    String path = "/api/v1/pop";
    if (queue != null) {
      path += "/queue/" + Request.encoded(queue.toString());
    }
    if (partition != null) {
      path += "/partition/" + Request.encoded(partition.toString());
    }
    String query =
        parameters.entrySet().stream()
            .map(each -> each.getKey() + "=" + Request.encoded(each.getValue().toString()))
            .collect(Collectors.joining("&"));
    return new Request("GET", path + "?" + query, null, request.timeout(), false, Map.of());
  }

  static Map<String, Object> parameters(PopRequest request, @Nullable UUID id) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    if (id != null) {
      parameters.put("popId", id);
    }
    PopSource from = request.from();
    if (from.queue() != null) {
      parameters.put("queue", from.queue());
    }
    if (from.partition() != null) {
      parameters.put("partition", from.partition());
    }
    if (from.namespace() != null) {
      parameters.put("namespace", from.namespace());
    }
    if (from.task() != null) {
      parameters.put("task", from.task());
    }
    parameters.put("consumerGroup", request.group());
    parameters.put("batch", request.size().batch());
    parameters.put("partitions", request.size().partitions());
    parameters.put("wait", !request.timeout().isZero());
    parameters.put("timeout", request.timeout().toMillis());
    Duration lease = request.leaseFor();
    if (lease != null) {
      parameters.put("leaseSeconds", lease.plusMillis(999).toSeconds());
    }
    parameters.put("autoAck", request.autoAck());
    start(request.start(), parameters);
    return parameters;
  }

  private static void start(Start start, Map<String, Object> parameters) {
    Instant at = start.at();
    if (start.mode() == Start.Mode.TIMESTAMP && at != null) {
      parameters.put("subscriptionFrom", at.toString());
    } else {
      parameters.put("subscriptionMode", start.mode() == Start.Mode.NEW ? "new" : "all");
    }
  }
}
