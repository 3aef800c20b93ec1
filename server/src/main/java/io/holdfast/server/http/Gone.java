package io.holdfast.server.http;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Tells whoever works for a client that it has left. Safe for use by many threads. */
final class Gone {
  private final Set<Watch> watches = new LinkedHashSet<>();
  private boolean isGone;

  /** Somebody who wants to know; ends when it does not matter any more. */
  final class Watch {
    private final Runnable action;

    private Watch(Runnable action) {
      this.action = action;
    }

    void end() {
      synchronized (watches) {
        watches.remove(this);
      }
    }
  }

  /** Calls {@code action} when the client leaves; at once if it has left already. */
  Watch watch(Runnable action) {
    Watch watch = new Watch(action);
    synchronized (watches) {
      if (!isGone) {
        watches.add(watch);
        return watch;
      }
    }
    action.run();
    return watch;
  }

  void tell() {
    List<Watch> told;
    synchronized (watches) {
      isGone = true;
      told = new ArrayList<>(watches);
      watches.clear();
    }
    told.forEach(watch -> watch.action.run());
  }

  boolean isGone() {
    synchronized (watches) {
      return isGone;
    }
  }
}
