package io.holdfast.queue;

/** What a queue holds back. */
public enum Pause {
  /** Nothing. */
  NONE(""),
  /** Leases wait as if the queue were empty; everything else works. */
  LEASE("lease");

  private final String text;

  Pause(String text) {
    this.text = text;
  }

  /** The spelling in the database and on the wire. */
  public String text() {
    return text;
  }

  /** The pause stored as {@code text}; one that this version does not know holds back leases. */
  public static Pause of(String text) {
    return text.isEmpty() ? NONE : LEASE;
  }
}
