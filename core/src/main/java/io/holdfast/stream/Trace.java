package io.holdfast.stream;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Something that a consumer noted about a message. */
public record Trace(UUID id, UUID partitionId, String transactionId, Note note, Instant at) {
  /**
   * What is noted.
   *
   * @param group null when it is about no group
   * @param names what traces are found by, across messages
   */
  public record Note(@Nullable String group, String event, Payload data, List<String> names) {
    /** Keeps a copy. */
    public Note {
      names = List.copyOf(names);
    }
  }
}
