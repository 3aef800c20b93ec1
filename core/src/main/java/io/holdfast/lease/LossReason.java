package io.holdfast.lease;

/** How a kept lease was lost. */
public enum LossReason {
  /** The store no longer knows it: released, broken, or somebody else holds the thing. */
  NOT_FOUND,
  /** The store says its time is over. */
  EXPIRED,
  /** No renewal succeeded in time; the store may or may not have ended it. */
  DEADLINE
}
