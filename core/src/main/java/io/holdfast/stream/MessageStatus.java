package io.holdfast.stream;

/** What a message is to a group; derived, never stored. */
public enum MessageStatus {
  /** Not passed, and nobody has it. */
  PENDING,
  /** In a batch whose lease lasts. */
  PROCESSING,
  /** Passed, or completed ahead of the cursor. */
  COMPLETED,
  /** Given up: there is a dead letter. */
  DEAD_LETTER
}
