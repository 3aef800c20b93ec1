package io.holdfast.memory;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.lease.StoreCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at jobs in {@link MemoryJobData}. */
final class MemoryJobReader implements JobParts {
  private static final int MOST_LOOKED_AT = 10_000;

  private final MemoryJobData data;

  MemoryJobReader(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public Optional<Job> find(String id, boolean withPayload, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(data.jobs.get(id))
          .map(new MemoryJobView(data.now(), withPayload)::of);
    }
  }

  @Override
  public Answer list(Request request, StoreCall call) {
    synchronized (data) {
      return page(request, data.now());
    }
  }

  private Answer page(Request request, Instant now) {
    MemoryJobIndex index = data.queue(request.queue()).index(request.part());
    MemoryJobView view = new MemoryJobView(now, false);
    List<Job> jobs = new ArrayList<>();
    Position last = start(request, now);
    Position shown = last;
    int looked = 0;
    for (MemoryJob job : index.behind(last)) {
      if (request.part() == Part.DUE && job.eligibleSince(now) == null) {
        break;
      }
      boolean isFound = isAsked(job, request);
      if (isFound && jobs.size() == request.limit()) {
        return new Answer(List.copyOf(jobs), shown);
      }
      if (looked++ == most(request)) {
        return new Answer(List.copyOf(jobs), last);
      }
      last = job.place();
      if (isFound) {
        jobs.add(view.of(job));
        shown = last;
      }
    }
    return new Answer(List.copyOf(jobs), null);
  }

  /** Behind the last page; scheduled jobs may have become due since. */
  private static @Nullable Position start(Request request, Instant now) {
    Position after = request.after();
    if (request.part() != Part.SCHEDULED) {
      return after;
    }
    Position due = MemoryJobIndex.after(now);
    return after == null || MemoryJobIndex.ORDER.compare(after, due) < 0 ? due : after;
  }

  private static boolean isAsked(MemoryJob job, Request request) {
    boolean isAskedType = request.type() == null || request.type().equals(job.draft.type());
    return isAskedType
        && switch (request.part()) {
          case CANCELLED -> job.isCancelled();
          case SUCCEEDED -> !job.isCancelled();
          default -> true;
        };
  }

  private static int most(Request request) {
    boolean isHalf = request.part() == Part.CANCELLED || request.part() == Part.SUCCEEDED;
    return isHalf || request.type() != null ? MOST_LOOKED_AT : Integer.MAX_VALUE;
  }

  @Override
  public List<Job> trace(String traceId, StoreCall call) {
    synchronized (data) {
      return data.jobs.values().stream()
          .filter(job -> traceId.equals(job.keys.trace()))
          .sorted(
              Comparator.comparing((MemoryJob job) -> job.createdAt)
                  .thenComparing(job -> job.id, MemoryLockAdmin.BYTES))
          .limit(TRACE_LIMIT)
          .map(new MemoryJobView(data.now(), false)::of)
          .toList();
    }
  }

  @Override
  public Optional<Facts> facts(String id, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(data.jobs.get(id))
          .map(job -> new MemoryJobFacts(data, job, data.now()).all());
    }
  }
}
