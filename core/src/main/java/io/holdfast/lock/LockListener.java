package io.holdfast.lock;

/** Hears of every call, on the caller's thread. What it throws is swallowed. */
@FunctionalInterface
public interface LockListener {
  /** A call ended. */
  void observed(LockEvent event);
}
