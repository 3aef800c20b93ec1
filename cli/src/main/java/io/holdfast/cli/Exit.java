package io.holdfast.cli;

/** What an exit code says. */
final class Exit {
  static final int OK = 0;

  /** It was asked rightly and did not work; also a lock that was lost. */
  static final int FAILED = 1;

  /** It was asked wrongly. */
  static final int USAGE = 2;

  /** The lock is taken; a code that mail systems and schedulers read as "try again later". */
  static final int TAKEN = 75;

  /** The command was found and cannot be run, as shells say it. */
  static final int NOT_EXECUTABLE = 126;

  /** The command was not found, as shells say it. */
  static final int NOT_FOUND = 127;

  private Exit() {}
}
