package io.holdfast.cli;

import io.holdfast.lease.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A process and everything it has started, as far as that was seen while their parents lived. Not
 * safe for use by many threads.
 */
final class ProcessTree {
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(1);
  private static final long LOOK_EVERY_MS = 10;

  private final Set<ProcessHandle> members = new LinkedHashSet<>();

  ProcessTree(ProcessHandle root) {
    members.add(root);
  }

  /** Notes who belongs to the tree now; one whose parent ends later is still known then. */
  void look() {
    for (ProcessHandle member : List.copyOf(members)) {
      member.descendants().forEach(members::add);
    }
  }

  /**
   * SIGTERM to all, SIGKILL to those still there after {@code grace}; returns when all are gone.
   */
  void end(Duration grace) {
    look();
    running().forEach(ProcessHandle::destroy);
    if (!areGone(grace)) {
      look();
      running().forEach(ProcessHandle::destroyForcibly);
      areGone(KILL_TIMEOUT);
    }
  }

  private boolean areGone(Duration limit) {
    Time time = Time.system();
    long until = Time.after(time.nanos(), limit.toMillis());
    while (!running().isEmpty()) {
      long now = time.nanos();
      if (until - now <= 0) {
        return false;
      }
      long next = Time.after(now, LOOK_EVERY_MS);
      time.park(next - until < 0 ? next : until);
    }
    return true;
  }

  private List<ProcessHandle> running() {
    return members.stream().filter(p -> p.isAlive() && !isZombie(p.pid())).toList();
  }

  /** Dead, but not yet buried by whoever inherited it; in some containers nobody ever does. */
  private static boolean isZombie(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return stat.startsWith(" Z", stat.lastIndexOf(')') + 1);
    } catch (IOException unknown) {
      return false;
    }
  }
}
