package io.holdfast.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The side of a {@link Cancellation} that can cancel. Safe for use by many threads. */
public final class CancellationSource implements Cancellation {
  private final List<Action> waiting = new ArrayList<>();
  private boolean cancelled;

  /** Cancels, running every registered action on this thread. Only the first call does anything. */
  public void cancel() {
    Action next;
    while ((next = takeNext()) != null) {
      next.run.run();
    }
  }

  /**
   * Cancels at once, and leaves the registered actions to {@code executor}: for who must not be
   * held up or hurt by them.
   */
  public void cancel(Executor executor) {
    synchronized (waiting) {
      cancelled = true;
      if (waiting.isEmpty()) {
        return;
      }
    }
    executor.execute(this::cancel);
  }

  /** One at a time, so that an action can still be withdrawn while an earlier one runs. */
  private @Nullable Action takeNext() {
    synchronized (waiting) {
      cancelled = true;
      return waiting.isEmpty() ? null : waiting.remove(0);
    }
  }

  @Override
  public boolean isCancelled() {
    synchronized (waiting) {
      return cancelled;
    }
  }

  @Override
  public Registration onCancel(Runnable run) {
    Action action = new Action(run);
    synchronized (waiting) {
      if (!cancelled) {
        waiting.add(action);
        return action;
      }
    }
    run.run();
    return action;
  }

  /** One registration; a class rather than a record, because identity tells two of them apart. */
  private final class Action implements Registration {
    private final Runnable run;

    Action(Runnable run) {
      this.run = run;
    }

    @Override
    public void close() {
      synchronized (waiting) {
        waiting.remove(this);
      }
    }
  }
}
