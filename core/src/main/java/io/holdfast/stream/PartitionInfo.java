package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A partition as it is.
 *
 * @param oldestAt when its first retained message was pushed; null when there is none
 * @param newestAt when its last message was pushed; null when there was none
 */
public record PartitionInfo(
    String queue,
    String name,
    UUID id,
    Offsets offsets,
    Instant createdAt,
    @Nullable Instant oldestAt,
    @Nullable Instant newestAt) {

  /**
   * The numbers of its messages.
   *
   * @param first of those that are retained
   * @param last that was given; less than {@code first} when nothing is retained
   */
  public record Offsets(long first, long last) {
    /** How many are retained, gaps included. */
    public long retained() {
      return last - first + 1;
    }
  }
}
