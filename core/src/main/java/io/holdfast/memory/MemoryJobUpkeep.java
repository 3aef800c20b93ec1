package io.holdfast.memory;

import io.holdfast.job.JobUpkeep;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Background work on {@link MemoryJobData}. */
final class MemoryJobUpkeep implements JobUpkeep {
  private static final int MOST_DELETED = 1_000;
  private static final Duration WORKERS_FOR = Duration.ofMinutes(10);

  private final MemoryJobData data;

  MemoryJobUpkeep(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public Ticked tick(StoreCall call) {
    synchronized (data) {
      return new MemoryJobTick(data, data.now()).run();
    }
  }

  @Override
  public Swept sweep(StoreCall call) {
    synchronized (data) {
      return new MemoryJobAdmission(data, data.now()).sweep();
    }
  }

  /** Nobody else finishes jobs of this store. */
  @Override
  public int adopt(StoreCall call) {
    return 0;
  }

  @Override
  public int retain(StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      List<MemoryJob> old = new ArrayList<>();
      for (MemoryJobQueue queue : data.queues.values()) {
        Stream.concat(
                over(queue.done, queue.settings.doneKeep(), now),
                over(queue.dead, queue.settings.deadKeep(), now))
            .limit(MOST_DELETED - old.size())
            .forEach(old::add);
      }
      old.forEach(data::delete);
      return old.size();
    }
  }

  private static Stream<MemoryJob> over(
      MemoryJobIndex index, @Nullable Duration keep, Instant now) {
    return keep == null ? Stream.empty() : index.until(now.minus(keep));
  }

  @Override
  public int forgetWorkers(StoreCall call) {
    synchronized (data) {
      Instant since = data.now().minus(WORKERS_FOR);
      int before = data.workers.size();
      data.workers
          .values()
          .removeIf(worker -> worker.seenAt() != null && worker.seenAt().isBefore(since));
      return before - data.workers.size();
    }
  }
}
