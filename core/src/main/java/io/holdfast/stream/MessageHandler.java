package io.holdfast.stream;

/** What is done with each message. */
@FunctionalInterface
public interface MessageHandler {
  /**
   * Handles one message. Returning completes it; throwing fails it, and the rest of the partition's
   * batch waits. {@link Refusal} says otherwise. Interrupted when the lease is lost.
   */
  void handle(Handling handling) throws Exception;
}
