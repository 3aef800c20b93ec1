package io.holdfast.server;

import java.util.List;

/** Looks for trouble where the data is. */
@FunctionalInterface
public interface Diagnosis {
  /** Finds nothing: for a store in memory. */
  Diagnosis NONE = List::of;

  /** How bad it is. */
  enum Level {
    /** As it should be. */
    OK,
    /** Worth a look. */
    WARNING,
    /** Something does not work, or soon will not. */
    PROBLEM
  }

  /**
   * One thing that was looked at.
   *
   * @param subject what was looked at
   * @param found how it is
   * @param advice what to do about it; empty if nothing
   */
  record Finding(Level level, String subject, String found, String advice) {}

  /** What there is to say; asks the database. */
  List<Finding> examine();
}
