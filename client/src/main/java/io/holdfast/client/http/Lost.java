package io.holdfast.client.http;

/** A request without an answer. */
public final class Lost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean wasSent;

  Lost(boolean wasSent, String message, Throwable cause) {
    super(message, cause);
    this.wasSent = wasSent;
  }

  /** Whether the server may have got it, so that nobody knows what came of it. */
  public boolean wasSent() {
    return wasSent;
  }
}
