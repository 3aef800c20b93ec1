package io.holdfast.lease;

/**
 * What a store sets aside so that renewals go on when callers use up everything else: for
 * PostgreSQL one connection, taken when the first lease is kept and given back with the last.
 */
public interface Reserve {
  /** Nothing to set aside. */
  static Reserve none() {
    return Nothing.INSTANCE;
  }

  /** Sets it aside; may fail, and is then asked again. */
  void take();

  /** Gives it back; never fails. */
  void giveBack();

  /** A store that needs no reserve. */
  enum Nothing implements Reserve {
    INSTANCE;

    @Override
    public void take() {}

    @Override
    public void giveBack() {}
  }
}
