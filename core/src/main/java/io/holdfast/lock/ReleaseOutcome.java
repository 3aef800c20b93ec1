package io.holdfast.lock;

/** What became of a release. */
public sealed interface ReleaseOutcome permits Released, NotHeld {
  /** True when the lock was held and is free now. */
  boolean ok();
}
