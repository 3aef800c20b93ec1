package io.holdfast.job;

/** Thrown by a handler, or anywhere in the causes of what it throws: trying again is useless. */
public class Unrecoverable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** For this reason. */
  public Unrecoverable(String message) {
    super(message);
  }

  /** For this reason. */
  public Unrecoverable(String message, Throwable cause) {
    super(message, cause);
  }
}
