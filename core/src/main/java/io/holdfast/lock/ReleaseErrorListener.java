package io.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** Hears of a release that failed where no caller could be told. What it throws is swallowed. */
@FunctionalInterface
public interface ReleaseErrorListener {
  /** A release failed; {@code lockId} and {@code key} are raw and should not be logged. */
  void releaseFailed(LockException error, String lockId, @Nullable String key);
}
