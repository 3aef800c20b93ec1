package io.holdfast.memory;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.UUID;

/** How the cursors of a transaction were, and the dead letters of their queues. */
final class MemoryUndo {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  /** Notes a cursor that is about to change. */
  void remember(MemoryCursor cursor) {
    MemoryGroup group = cursor.group;
    MemoryCursor copy = cursor.copy();
    Instant lastSeenAt = group.lastSeenAt;
    Set<UUID> dead = Set.copyOf(group.queue.dead.keySet());
    steps.push(
        () -> {
          group.cursors.put(cursor.log.number, copy);
          group.lastSeenAt = lastSeenAt;
          group.queue.dead.keySet().retainAll(dead);
        });
  }

  /** Makes everything as it was, the last change first. */
  void undo() {
    steps.forEach(Runnable::run);
  }
}
