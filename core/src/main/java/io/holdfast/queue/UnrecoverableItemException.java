package io.holdfast.queue;

/** Thrown by a handler for an item that no repetition will help: it goes to the dead queue. */
public class UnrecoverableItemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Without a cause. */
  public UnrecoverableItemException(String message) {
    super(message);
  }

  /** With a cause. */
  public UnrecoverableItemException(String message, Throwable cause) {
    super(message, cause);
  }
}
