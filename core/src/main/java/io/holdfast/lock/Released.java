package io.holdfast.lock;

/** The lock was held and is free now. */
public record Released() implements ReleaseOutcome {
  @Override
  public boolean ok() {
    return true;
  }
}
