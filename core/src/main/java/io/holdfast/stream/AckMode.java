package io.holdfast.stream;

/** What a verdict says about messages that it does not name. */
public enum AckMode {
  /** Nothing. */
  EXPLICIT,
  /** A completed message completes those of its batch before it that nothing was said about. */
  CUMULATIVE
}
