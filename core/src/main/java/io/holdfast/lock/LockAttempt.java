package io.holdfast.lock;

import java.time.Duration;

/**
 * The answer to an acquire: {@link Acquired} or {@link Locked}. Both can be released, extended and
 * closed, so that a try-with-resources needs no distinction; on {@link Locked} these do nothing.
 */
public sealed interface LockAttempt extends AutoCloseable permits Acquired, Locked {
  /** True when the lock was granted. */
  boolean ok();

  /**
   * Gives the lock back. The first call goes to the store and may throw; later ones are not held.
   */
  ReleaseOutcome release();

  /** Replaces the remaining time by {@code ttl}; always goes to the store. */
  ExtendOutcome extend(Duration ttl);

  /** Releases if nothing did so yet, and never throws. */
  @Override
  void close();
}
