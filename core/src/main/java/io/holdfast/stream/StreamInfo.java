package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A queue as it is.
 *
 * @param key the number under which the store knows it, with what proves that an id is about it
 * @param uid its id outside
 */
public record StreamInfo(
    Key key,
    UUID uid,
    String name,
    Labels labels,
    StreamSettings settings,
    Paused paused,
    Instant createdAt) {

  /**
   * What ids that travel alone carry of a queue.
   *
   * @param tag 26 random bits, so that an id of another queue or of nobody is recognized
   */
  public record Key(int id, int tag) {}

  /** What a queue is found by besides its name. */
  public record Labels(@Nullable String namespace, @Nullable String task) {
    /** Those of a queue that was made by a push: the first two parts of its dotted name. */
    public static Labels of(String queue) {
      String[] parts = queue.split("\\.", 3);
      return new Labels(parts[0], parts.length == 1 ? "" : parts[1]);
    }
  }

  /**
   * What is stopped for now.
   *
   * @param push whether pushes are refused, or held
   * @param isHolding whether they are held: taken, and stored later
   */
  public record Paused(boolean push, boolean pop, boolean isHolding) {
    /** Pushes are refused, not held. */
    public Paused(boolean push, boolean pop) {
      this(push, pop, false);
    }
  }
}
