package io.holdfast.server.http;

/** How failures look on one wire. It never shows more than the failure's own message. */
public interface Dialect {
  /**
   * What tells {@code failure} to the client: a {@link Refusal} of the server itself, an exception
   * of a capability, or anything else, which is a defect.
   */
  Answer failure(Exchange exchange, Throwable failure);
}
