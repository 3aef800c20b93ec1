package io.holdfast.testkit.history;

import java.util.Optional;

/**
 * What may happen when calls come one after the other.
 *
 * @param <S> states; immutable, and equal when they mean the same
 * @param <A> calls together with their answers
 */
public interface Model<S, A> {
  /** Before the first call. */
  S start();

  /** After {@code action}; empty when that answer is impossible in this state. */
  Optional<S> after(S state, A action);
}
