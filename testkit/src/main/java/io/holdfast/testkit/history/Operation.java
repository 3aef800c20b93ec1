package io.holdfast.testkit.history;

/**
 * A call and its answer, between two ticks of the recorder's clock. It took effect at one moment
 * between them; one whose answer was lost took effect at some later moment, or never.
 *
 * @param returnedAt {@link #NEVER} when nobody knows what became of it
 */
public record Operation<A>(A action, long invokedAt, long returnedAt) {
  /** The answer was lost. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Whether this one was answered before the other began. */
  public boolean precedes(Operation<?> other) {
    return returnedAt < other.invokedAt;
  }

  /** Whether there is a moment at which both were under way. */
  public boolean overlaps(Operation<?> other) {
    return !precedes(other) && !other.precedes(this);
  }
}
