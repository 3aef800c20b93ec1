package io.holdfast.memory;

import io.holdfast.job.JobParts.Facts;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** What is to be said about why a job stands where it stands. */
final class MemoryJobFacts {
  private static final Duration ALIVE_FOR = Duration.ofSeconds(60);
  private static final int MOST_HOLDERS = 20;
  private static final int MOST_AHEAD = 1_000;

  private final MemoryJobData data;
  private final MemoryJobQueue queue;
  private final MemoryJob job;
  private final Instant now;

  MemoryJobFacts(MemoryJobData data, MemoryJob job, Instant now) {
    this.data = data;
    this.queue = data.queue(job.queue);
    this.job = job;
    this.now = now;
  }

  Facts all() {
    String key = job.keys.limit();
    List<WorkerInfo> serving = serving();
    return new Facts(
        new MemoryJobView(now, false).of(job),
        queue.pausedAt,
        key == null ? null : queue.limit(key),
        key == null ? List.of() : queue.slots(key).stream().limit(MOST_HOLDERS).toList(),
        !serving.isEmpty(),
        serving.stream().anyMatch(worker -> worker.types().contains(job.draft.type())),
        ahead(),
        now);
  }

  /** The workers of its queue that have been seen lately. */
  private List<WorkerInfo> serving() {
    Instant since = now.minus(ALIVE_FOR);
    return data.workers.values().stream()
        .filter(worker -> worker.seenAt() != null && worker.seenAt().isAfter(since))
        .filter(worker -> worker.queues().contains(job.queue))
        .toList();
  }

  private int ahead() {
    Instant since = job.eligibleSince(now);
    if (since == null) {
      return 0;
    }
    Position own = new Position(since, null, job.id);
    return (int)
        Stream.of(queue.ready.stream(), queue.timed.until(now), queue.inflight.until(now))
            .flatMap(jobs -> jobs)
            .filter(other -> MemoryJobIndex.ORDER.compare(eligible(other), own) < 0)
            .limit(MOST_AHEAD)
            .count();
  }

  private Position eligible(MemoryJob other) {
    return new Position(other.eligibleSince(now), null, other.id);
  }
}
