package io.holdfast.stream;

/** What a consumer says about a message. */
public enum Verdict {
  /** Done: the cursor may pass it. */
  COMPLETED,
  /** It failed: charged against its budget, and delivered again after the retry delay. */
  FAILED,
  /** Not now: delivered again at once, free of charge. */
  RETRY,
  /** Never: to the dead letters, and the cursor passes it. */
  DEAD_LETTER,
  /** Somebody has to look: the partition stops here until it is unparked. */
  PARK
}
