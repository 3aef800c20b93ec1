package io.holdfast.lock;

/** What a lock can be looked up by: its key, or the id of its lease. */
public sealed interface LockRef permits LockKey, LockId {
  /** The raw value. */
  String text();
}
