package io.holdfast.memory;

import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.JobStats.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counts what is in a queue. */
record MemoryJobStats(MemoryJobQueue queue, Instant now) {
  private static final Duration LATELY = Duration.ofSeconds(60);

  JobStats all() {
    int due = (int) queue.timed.until(now).count();
    return new JobStats(
        queue.name,
        Map.of(
            JobState.READY, Count.of(queue.ready.size() + due),
            JobState.SCHEDULED, Count.of(queue.timed.size() - due),
            JobState.GATED, Count.of(queue.gated.size()),
            JobState.INFLIGHT, Count.of(queue.inflight.size()),
            JobState.DONE, Count.of(queue.done.size()),
            JobState.DLQ, Count.of(queue.dead.size())),
        oldestReady(),
        queue.dead.stream().findFirst().map(job -> job.dead.failedAt()).orElse(null),
        count(lately(queue.done).filter(job -> !job.isCancelled())),
        count(lately(queue.dead)));
  }

  private @Nullable Instant oldestReady() {
    Instant ready = queue.ready.stream().findFirst().map(job -> job.place().at()).orElse(null);
    Instant due = queue.timed.until(now).findFirst().map(job -> dueSince(job)).orElse(null);
    return MemoryJobData.earlier(ready, due);
  }

  private static Instant dueSince(MemoryJob job) {
    return job.runAt == null ? job.createdAt : MemoryJob.later(job.runAt, job.createdAt);
  }

  private Stream<MemoryJob> lately(MemoryJobIndex index) {
    Instant since = now.minus(LATELY);
    return index.backwards().takeWhile(job -> isAfter(job.place().at(), since));
  }

  private static boolean isAfter(@Nullable Instant at, Instant since) {
    return at != null && at.isAfter(since);
  }

  private static Count count(Stream<MemoryJob> jobs) {
    return Count.of((int) jobs.count());
  }
}
