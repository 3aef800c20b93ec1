package io.holdfast.job;

import java.util.Locale;

/** What became of a wish to cancel a job. */
public record Cancelled(String id, Result result) {
  /** The four answers. */
  public enum Result {
    /** It waited, and will not run. */
    CANCELLED,
    /** It runs, and was asked to end. */
    REQUESTED,
    /** It had ended. */
    FINISHED,
    NOT_FOUND;

    /** The spelling used on the wire. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
