package io.holdfast.client.stream;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.Position;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Trace;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the streams' interface one by one, with nothing left out: {@code POST
 * /v1/streams.<verb>}. They are ours, for looking and for operators; other clients have what
 * Queen's wire offers.
 */
public final class ExactWire {
  /** How the paths begin. */
  public static final String PATH = "/v1/streams.";

  private ExactWire() {}

  /** Arguments; each verb has its own. */
  public record Call(
      @Nullable String queue,
      @Nullable String partition,
      @Nullable String group,
      @Nullable String name,
      @Nullable String after,
      @Nullable Integer limit,
      @Nullable UUID id,
      @Nullable UUID partitionId,
      @Nullable String transactionId,
      @Nullable Instant at,
      @Nullable Position position,
      @Nullable Boolean flag,
      @Nullable CursorKey cursor,
      @Nullable Long fence,
      @Nullable String reason,
      @Nullable MessageQuery messages,
      @Nullable DeadLetterQuery letters,
      @Nullable Redrive redrive,
      @Nullable List<UUID> ids,
      Trace.@Nullable Note note) {}

  /** An answer; null stands for none. */
  public record Value<T>(@Nullable T value) {}
}
