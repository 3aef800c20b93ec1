package io.holdfast.lease;

import java.util.ArrayList;
import java.util.List;

/** The side of a {@link Cancellation} that can cancel. Safe for use by many threads. */
public final class CancellationSource implements Cancellation {
  private final List<Action> waiting = new ArrayList<>();
  private boolean cancelled;

  /** Cancels, running every registered action on this thread. Only the first call does anything. */
  public void cancel() {
    List<Action> actions;
    synchronized (waiting) {
      cancelled = true;
      actions = List.copyOf(waiting);
      waiting.clear();
    }
    actions.forEach(action -> action.run.run());
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
