package io.holdfast.lease;

/**
 * A caller's way to call off what it asked for. Read-only for the library; a {@link
 * CancellationSource} is the side that cancels. Safe for use by many threads.
 */
public interface Cancellation {
  /** A token that is never cancelled. */
  static Cancellation never() {
    return Never.INSTANCE;
  }

  /** True once cancelled; it stays so. */
  boolean isCancelled();

  /**
   * Runs {@code action} once on cancellation, at once if that has happened; closing withdraws it.
   */
  Registration onCancel(Runnable action);

  /** An action that waits for cancellation. */
  @FunctionalInterface
  interface Registration extends AutoCloseable {
    /** Withdraws the action; afterwards it does not start any more. */
    @Override
    void close();
  }

  /** Never cancelled, nothing to register. */
  enum Never implements Cancellation {
    INSTANCE;

    private static final Registration NOTHING = () -> {};

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public Registration onCancel(Runnable action) {
      return NOTHING;
    }
  }
}
