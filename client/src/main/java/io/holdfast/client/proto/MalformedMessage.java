package io.holdfast.client.proto;

/** Bytes that are not the message they should be. The text names the field, never its content. */
public final class MalformedMessage extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A message that cannot be read, because of this. */
  public MalformedMessage(String message) {
    super(message, null, false, false);
  }
}
