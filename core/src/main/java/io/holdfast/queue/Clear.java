package io.holdfast.queue;

/**
 * Which items to remove.
 *
 * @param queue ready ones
 * @param scheduled scheduled ones; only this flag removes them
 * @param destructive with {@code queue}, leased ones too
 */
public record Clear(boolean queue, boolean scheduled, boolean destructive) {
  /** Everything but what is leased. */
  public static final Clear WAITING = new Clear(true, true, false);

  /** Everything. */
  public static final Clear EVERYTHING = new Clear(true, true, true);
}
