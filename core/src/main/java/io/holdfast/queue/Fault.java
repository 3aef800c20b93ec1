package io.holdfast.queue;

/** Why a request about leased items was refused: the first id at fault, and what is wrong. */
public record Fault(String id, Reason reason) {
  /** What is wrong with it. */
  public enum Reason {
    /** There is no such item, or it waits for its moment under this id. */
    NOT_FOUND,
    /** Nobody holds it. */
    NOT_LEASED,
    /** Its lease is over, though nobody has taken the item back yet. */
    LAPSED,
    /** It kept changing while we looked. */
    UNSTABLE
  }

  /** What it means to a caller who wanted the item {@code completed}, {@code retried} or such. */
  public QueueException refusal(String verb) {
    String cannot = "item(s) cannot be " + verb + "; '" + id + "' ";
    return switch (reason) {
      case NOT_FOUND -> QueueException.invalid(cannot + "does not exist");
      case NOT_LEASED -> QueueException.conflict(cannot + "is not marked as leased");
      case LAPSED -> QueueException.conflict(cannot + "has a lease that is over");
      case UNSTABLE -> QueueException.retryable(cannot + "is changing, try again", null);
    };
  }
}
