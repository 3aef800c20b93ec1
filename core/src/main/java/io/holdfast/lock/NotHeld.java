package io.holdfast.lock;

/** The caller does not hold the lock, so nothing was changed. */
public record NotHeld(Reason reason) implements ReleaseOutcome, ExtendOutcome {
  static final NotHeld NOT_FOUND = new NotHeld(Reason.NOT_FOUND);
  static final NotHeld EXPIRED = new NotHeld(Reason.EXPIRED);

  /** Why it is not held. */
  public enum Reason {
    /** No such lease: never granted, released, or the key has another holder. */
    NOT_FOUND,
    /** The lease is over, although nobody has taken the key since. */
    EXPIRED
  }

  @Override
  public boolean ok() {
    return false;
  }
}
