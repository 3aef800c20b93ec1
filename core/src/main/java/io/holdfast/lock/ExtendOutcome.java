package io.holdfast.lock;

/** What became of an extension. */
public sealed interface ExtendOutcome permits Extended, NotHeld {
  /** True when the lock is still held. */
  boolean ok();
}
