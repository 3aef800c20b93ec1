package io.holdfast.postgres;

/**
 * One thing that was looked at in a database.
 *
 * @param subject what was looked at
 * @param found how it is
 * @param advice what to do about it; empty if nothing
 */
public record Finding(Level level, String subject, String found, String advice) {
  /** How bad it is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Worth a look. */
    WARNING,
    /** Something does not work, or soon will not. */
    PROBLEM
  }

  static Finding ok(String subject, String found) {
    return new Finding(Level.OK, subject, found, "");
  }

  static Finding warning(String subject, String found, String advice) {
    return new Finding(Level.WARNING, subject, found, advice);
  }

  static Finding problem(String subject, String found, String advice) {
    return new Finding(Level.PROBLEM, subject, found, advice);
  }
}
