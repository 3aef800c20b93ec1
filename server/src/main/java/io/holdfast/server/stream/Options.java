package io.holdfast.server.stream;

import static io.holdfast.stream.StreamOption.COMPLETED_RETENTION;
import static io.holdfast.stream.StreamOption.DEAD_LETTER_QUEUE;
import static io.holdfast.stream.StreamOption.DELAYED_PROCESSING;
import static io.holdfast.stream.StreamOption.DLQ_AFTER_MAX_RETRIES;
import static io.holdfast.stream.StreamOption.ENCRYPTION_ENABLED;
import static io.holdfast.stream.StreamOption.LEASE_TIME;
import static io.holdfast.stream.StreamOption.MAX_SIZE;
import static io.holdfast.stream.StreamOption.MAX_WAIT_TIME;
import static io.holdfast.stream.StreamOption.PRIORITY;
import static io.holdfast.stream.StreamOption.RETENTION;
import static io.holdfast.stream.StreamOption.RETENTION_ENABLED;
import static io.holdfast.stream.StreamOption.RETRY_DELAY;
import static io.holdfast.stream.StreamOption.RETRY_LIMIT;
import static io.holdfast.stream.StreamOption.TTL;
import static io.holdfast.stream.StreamOption.WINDOW_BUFFER;

import io.holdfast.client.stream.PushWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Refusal;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of queues as they are on the wire. */
final class Options {
  private static final List<StreamOption> FIRST =
      List.of(
          LEASE_TIME,
          RETRY_LIMIT,
          RETRY_DELAY,
          MAX_SIZE,
          TTL,
          PRIORITY,
          DEAD_LETTER_QUEUE,
          DLQ_AFTER_MAX_RETRIES,
          DELAYED_PROCESSING,
          WINDOW_BUFFER,
          RETENTION,
          COMPLETED_RETENTION,
          RETENTION_ENABLED,
          ENCRYPTION_ENABLED,
          MAX_WAIT_TIME);

  private Options() {}

  /** What a body asks for; names that are no options are ignored. */
  static StreamConfig config(PushWire.Configure body) {
    String queue = body.queue();
    if (queue == null) {
      throw Refusal.malformed("queue is missing");
    }
    StreamConfig config =
        StreamConfig.of(queue)
            .labelled(WireTexts.some(body.namespace()), WireTexts.some(body.task()));
    Map<String, @Nullable Object> given = body.options();
    if (given != null) {
      for (StreamOption option : StreamOption.values()) {
        if (given.containsKey(option.text())) {
          config = config.with(option, given.get(option.text()));
        }
      }
    }
    return switch (body.mode() == null ? "" : body.mode()) {
      case "", "merge" -> config;
      case "replace" -> config.replacing();
      default -> throw Refusal.malformed("mode must be merge or replace");
    };
  }

  /** Every option as it is in force. */
  static Map<String, @Nullable Object> of(StreamSettings settings) {
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    FIRST.forEach(option -> options.put(option.text(), settings.values().get(option)));
    settings.values().forEach((option, value) -> options.putIfAbsent(option.text(), value));
    return options;
  }
}
