package io.holdfast.server.http;

import java.util.Locale;

/** What a token is good for. */
public enum Role {
  /** Lists, figures, the dashboard. */
  READ,
  /** Produce, push, enqueue. */
  PRODUCE,
  /** Lease, pop, settle, reserve, lock. */
  WORK,
  /** Everything. */
  ADMIN;

  /** Its spelling in token files. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
