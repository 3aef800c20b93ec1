package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * How a dead letter goes back.
 *
 * @param toAllGroups whether every group gets it again, or only the one that gave it up
 * @param queue another queue; null: its own
 * @param partition another partition; null: its own
 * @param payload an edited payload; null: its own
 */
public record Redrive(
    boolean toAllGroups,
    @Nullable String queue,
    @Nullable String partition,
    @Nullable Payload payload) {
  /** To the end of its own partition, for the group that gave it up. */
  public static final Redrive BACK = new Redrive(false, null, null, null);
}
