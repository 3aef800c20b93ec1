package io.holdfast.server.dashboard;

import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.Schedule;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueFlow;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.StoredItem;
import io.holdfast.server.Services;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads figures from services, up to a number of names of each kind; blocks while it does. A thing
 * that is deleted meanwhile is left out.
 */
final class Reading {
  private static final int NAMES = 500;
  private static final int HOLDERS = 200;

  private final Services services;

  Reading(Services services) {
    this.services = services;
  }

  Figures read(long now) {
    long startedAt = System.nanoTime();
    services.queues().ping(); // one failure instead of four
    List<Figures.OfQueue> queues = queues();
    List<Figures.OfStream> streams = new StreamReading(services.streams()).read(NAMES);
    List<Figures.OfJobs> jobs = jobs();
    List<Figures.Worker> workers =
        services.jobs().queues().workers().stream().map(Reading::worker).toList();
    List<Figures.Recurring> schedules =
        services.jobs().schedules().list().stream().limit(NAMES).map(Reading::recurring).toList();
    Figures.OfLocks locks = locks();
    long took = (System.nanoTime() - startedAt) / 1_000_000;
    return new Figures(now, took, null, queues, streams, jobs, workers, schedules, locks);
  }

  static @Nullable Long ms(@Nullable Instant at) {
    return at == null ? null : at.toEpochMilli();
  }

  private List<Figures.OfQueue> queues() {
    List<QueueInfo> infos = services.queues().list(new QueuePage("", NAMES, null));
    List<Figures.OfQueue> read = new ArrayList<>();
    Map<String, Long> depths = new HashMap<>();
    Map<String, List<String>> deadOf = new HashMap<>();
    for (QueueInfo info : infos) {
      String dead = info.settings().deadQueue();
      if (!dead.isEmpty()) {
        deadOf.computeIfAbsent(dead, none -> new ArrayList<>()).add(info.name());
      }
      Figures.OfQueue queue = queue(info);
      if (queue != null) {
        read.add(queue);
        depths.put(info.name(), queue.ready() + queue.leased() + queue.scheduled());
      }
    }
    return read.stream()
        .map(
            queue ->
                queue.related(
                    depths.getOrDefault(queue.deadQueue(), 0L),
                    deadOf.getOrDefault(queue.name(), List.of())))
        .toList();
  }

  private Figures.@Nullable OfQueue queue(QueueInfo info) {
    QueueStats stats;
    List<Figures.Part> parts = new ArrayList<>();
    try {
      stats = services.queues().queue(info.name()).admin().stats();
      for (QueueStats.PartitionStats partition : stats.partitions()) {
        parts.add(part(info.name(), partition));
      }
    } catch (RuntimeException e) {
      return Absence.of(e);
    }
    QueueFlow flow = services.queues().queue(info.name()).admin().flow();
    return new Figures.OfQueue(
        info.name(),
        info.paused() != Pause.NONE,
        parts.stream().mapToLong(Figures.Part::ready).sum(),
        parts.stream().mapToLong(Figures.Part::leased).sum(),
        parts.stream().mapToLong(Figures.Part::scheduled).sum(),
        oldest(parts.stream().map(Figures.Part::oldestAt).toList()),
        info.settings().deadQueue(),
        0,
        List.of(),
        info.settings().maxAttempts(),
        info.settings().leaseTimeout().toMillis(),
        info.settings().expireTimeout().toMillis(),
        stats.leaseWaiting(),
        parts,
        flow.produced(),
        flow.leased(),
        flow.completed(),
        flow.retried());
  }

  private Figures.Part part(String queue, QueueStats.PartitionStats partition) {
    QueueStats.ItemCounts counts = partition.counts();
    Long oldestAt = null;
    if (counts.total() > 0) {
      List<StoredItem> head =
          services.queues().queue(queue).admin().list(partition.partition(), "", 1);
      oldestAt = head.isEmpty() ? null : ms(head.get(0).times().createdAt());
    }
    return new Figures.Part(
        partition.partition(),
        counts.total() - counts.leased(),
        counts.leased(),
        counts.scheduled(),
        partition.failures(),
        oldestAt);
  }

  static @Nullable Long oldest(List<@Nullable Long> instants) {
    Long oldest = null;
    for (Long at : instants) {
      if (at != null && (oldest == null || at < oldest)) {
        oldest = at;
      }
    }
    return oldest;
  }

  private List<Figures.OfJobs> jobs() {
    List<Figures.OfJobs> read = new ArrayList<>();
    for (JobQueueInfo info : services.jobs().queues().list()) {
      if (read.size() < NAMES) {
        read.add(jobs(info, services.jobs().queues().stats(info.queue())));
      }
    }
    return read;
  }

  private static Figures.OfJobs jobs(JobQueueInfo info, JobStats stats) {
    return new Figures.OfJobs(
        info.queue(),
        ms(info.pausedAt()),
        count(stats, JobState.READY),
        count(stats, JobState.SCHEDULED),
        count(stats, JobState.GATED),
        count(stats, JobState.INFLIGHT),
        count(stats, JobState.DONE),
        count(stats, JobState.DLQ),
        stats.counts().values().stream().anyMatch(JobStats.Count::isCapped),
        ms(stats.oldestReady()),
        ms(stats.oldestDead()),
        stats.finishedLastMinute().count(),
        stats.diedLastMinute().count());
  }

  private static long count(JobStats stats, JobState state) {
    JobStats.Count count = stats.counts().get(state);
    return count == null ? 0 : count.count();
  }

  private static Figures.Worker worker(WorkerInfo info) {
    return new Figures.Worker(
        info.id(),
        info.host(),
        info.queues(),
        info.types(),
        info.slots(),
        ms(info.startedAt()),
        ms(info.seenAt()));
  }

  private static Figures.Recurring recurring(Schedule schedule) {
    String queue = schedule.spec().job().queue();
    return new Figures.Recurring(
        schedule.name(),
        queue == null ? "default" : queue,
        schedule.spec().job().type(),
        schedule.spec().cron(),
        schedule.spec().zone(),
        schedule.isEnabled(),
        schedule.nextAt().toEpochMilli(),
        ms(schedule.lastSlot()),
        schedule.lastJobId());
  }

  private Figures.OfLocks locks() {
    LockAdmin.Stats stats = services.locks().operator().stats();
    List<Figures.Holder> holders =
        services.locks().operator().listRaw("", null, HOLDERS).stream()
            .map(Reading::holder)
            .toList();
    return new Figures.OfLocks(
        stats.liveLocks(), stats.expiredRows(), stats.counters(), stats.waiters(), holders);
  }

  private static Figures.Holder holder(LockInfoRaw lock) {
    return new Figures.Holder(
        lock.key(),
        lock.info().keyHash(),
        lock.info().fence().value(),
        lock.info().acquiredAt().toEpochMilli(),
        lock.info().expiresAt().toEpochMilli());
  }
}
