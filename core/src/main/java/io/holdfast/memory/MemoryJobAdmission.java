package io.holdfast.memory;

import io.holdfast.job.Effects;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobUpkeep.Swept;
import io.holdfast.job.QueueKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code gated → ready}: as many jobs of a limit key as it has free slots, the oldest first. */
final class MemoryJobAdmission {
  private static final int MOST_JOBS = 1_000;
  private static final int MOST_KEYS = 200;

  private final MemoryJobData data;
  private final Instant now;

  MemoryJobAdmission(MemoryJobData data, Instant now) {
    this.data = data;
    this.now = now;
  }

  Swept all(Collection<QueueKey> keys) {
    Set<String> runnable = new HashSet<>();
    int admitted = 0;
    for (QueueKey key : keys) {
      int count = admit(data.queue(key.queue()), key.key());
      admitted += count;
      if (count > 0) {
        runnable.add(key.queue());
      }
    }
    return new Swept(admitted, new Effects(Set.of(), Set.copyOf(runnable)));
  }

  private int admit(MemoryJobQueue queue, String key) {
    Integer limit = queue.limit(key);
    int room = limit == null ? MOST_JOBS : Math.min(MOST_JOBS, limit - queue.slots(key).size());
    List<MemoryJob> first = new ArrayList<>();
    for (MemoryJob job : queue.gated.behind(before(key))) {
      if (first.size() >= room || !key.equals(job.keys.limit()) || !isWaiting(job.place())) {
        break;
      }
      first.add(job);
    }
    first.forEach(job -> queue.change(job, job::admit));
    return first.size();
  }

  /** The place before all jobs of a limit key. */
  private static Position before(String key) {
    return new Position(Instant.MIN, key, "");
  }

  private boolean isWaiting(Position place) {
    return place.at() != null && !place.at().isAfter(now);
  }

  /** The same for keys that have waiting jobs, beginning behind those of the last time. */
  Swept sweep() {
    List<QueueKey> waiting = new ArrayList<>();
    data.queues.values().forEach(queue -> addWaiting(queue, waiting));
    Collections.rotate(waiting, -(waiting.indexOf(data.lastSwept) + 1));
    List<QueueKey> next = waiting.subList(0, Math.min(MOST_KEYS, waiting.size()));
    data.lastSwept = next.isEmpty() ? null : next.get(next.size() - 1);
    return all(List.copyOf(next));
  }

  private void addWaiting(MemoryJobQueue queue, List<QueueKey> waiting) {
    Position first = queue.gated.next(before(""));
    while (first != null && first.key() != null) {
      if (isWaiting(first)) {
        waiting.add(new QueueKey(queue.name, first.key()));
      }
      first = queue.gated.next(new Position(null, first.key(), ""));
    }
  }
}
