package io.holdfast.memory;

import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobRules;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code ready or expired → inflight}. Of each queue come the first jobs without a due time, the
 * first that are due and the first whose lease has expired; all together are taken by how long they
 * have been eligible. Jobs that must not run any more are put away in the place of one that may.
 */
final class MemoryJobReserve {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

  /** With a floor nobody looks further ahead: the next look without one is due by then. */
  private static final Duration HORIZON = Duration.ofSeconds(1);

  private static final String DELIVERY_LIMIT = "delivery limit";

  private final MemoryJobData data;
  private final ReserveRequest request;
  private final Instant now;
  private final Set<String> paused = new HashSet<>();
  private final List<MemoryJobQueue> asked = new ArrayList<>();
  private final NavigableMap<Position, MemoryJob> candidates = new TreeMap<>(MemoryJobIndex.ORDER);

  /** Whether a share was used up, or jobs that could run stayed behind it. */
  private boolean mayBeMore;

  private boolean isFloored;

  MemoryJobReserve(MemoryJobData data, ReserveRequest request, Instant now) {
    this.data = data;
    this.request = request;
    this.now = now;
  }

  Reserved run() {
    request.queues().stream().filter(share -> share.max() > 0).forEach(this::ask);
    List<MemoryJob> wanted = candidates.values().stream().limit(request.limit()).toList();
    Instant nextAt = nextAt();
    List<LeasedJob> leased = new ArrayList<>();
    for (MemoryJob job : wanted.subList(0, fitting(wanted))) {
      if (!isPutAway(job)) {
        leased.add(lease(job));
      }
    }
    boolean isShort = leased.size() < request.limit();
    return new Reserved(
        List.copyOf(leased),
        Set.copyOf(paused),
        leased.size() < wanted.size(),
        now,
        isShort ? nextAt : null);
  }

  /** How many of the first go into one answer: one at least. */
  private static int fitting(List<MemoryJob> jobs) {
    long bytes = 0;
    for (int i = 0; i < jobs.size(); i++) {
      bytes += jobs.get(i).size();
      if (i > 0 && bytes > JobRules.MAX_ANSWER) {
        return i;
      }
    }
    return jobs.size();
  }

  private void ask(Share share) {
    MemoryJobQueue queue = data.queue(share.queue());
    if (queue.pausedAt != null) {
      paused.add(share.queue());
      return;
    }
    asked.add(queue);
    isFloored |= share.floor() != null;
    NavigableMap<Position, MemoryJob> first = new TreeMap<>(MemoryJobIndex.ORDER);
    eligible(queue, share)
        .flatMap(jobs -> jobs.limit(Math.min(share.max(), request.limit())))
        .forEach(job -> first.put(new Position(job.eligibleSince(now), null, job.id), job));
    Set<MemoryJob> found = new HashSet<>();
    first.entrySet().stream()
        .limit(share.max())
        .forEach(
            entry -> {
              candidates.put(entry.getKey(), entry.getValue());
              found.add(entry.getValue());
            });
    mayBeMore |= found.size() >= share.max() || isMore(queue, share, found);
  }

  /** The three ways to be eligible, each by how long. */
  private Stream<Stream<MemoryJob>> eligible(MemoryJobQueue queue, Share share) {
    return Stream.of(
        queue.ready.stream(),
        fromFloor(queue.timed, share.floor()),
        fromFloor(queue.inflight, share.floor()));
  }

  private boolean isMore(MemoryJobQueue queue, Share share, Set<MemoryJob> found) {
    return eligible(queue, share).anyMatch(jobs -> jobs.anyMatch(job -> !found.contains(job)));
  }

  private Stream<MemoryJob> fromFloor(MemoryJobIndex index, @Nullable Instant floor) {
    return index.until(now).filter(job -> floor == null || !isBefore(job, floor));
  }

  private static boolean isBefore(MemoryJob job, Instant floor) {
    Instant at = job.place().at();
    return at != null && at.isBefore(floor);
  }

  /** Before anything is leased: an expiry that is granted now is no news to who asks. */
  private @Nullable Instant nextAt() {
    Instant soon = mayBeMore ? now.plus(LOOK_AGAIN) : isFloored ? now.plus(HORIZON) : null;
    return asked.stream().map(queue -> queue.nextAt(now)).reduce(soon, MemoryJobData::earlier);
  }

  /** {@code → cancelled}, if that was asked for, or {@code expired → dlq} at the limit. */
  private boolean isPutAway(MemoryJob job) {
    int limit = data.queue(job.queue).settings.deliveryLimit();
    long unresolved = (long) job.deliveries - job.attempts - job.excused;
    if (job.isCancelRequested) {
      data.change(job, () -> job.cancel(now));
    } else if (job.lease != null && unresolved >= limit) {
      data.change(job, () -> giveUp(job));
    } else {
      return false;
    }
    return true;
  }

  private void giveUp(MemoryJob job) {
    long counted = (long) job.deliveries - job.excused;
    job.lastError = DELIVERY_LIMIT + ": " + counted + " deliveries without an outcome";
    job.die(DELIVERY_LIMIT, null, now);
  }

  private LeasedJob lease(MemoryJob job) {
    String token = UUID.randomUUID().toString().replace("-", "");
    Instant expiresAt = MemoryJobData.in(request.leaseFor(), now);
    String owner = request.worker() == null ? null : request.worker() + "#" + token.substring(0, 8);
    data.change(job, () -> job.run(new MemoryJob.Lease(token, expiresAt, owner)));
    return new LeasedJob(new MemoryJobView(now, true).of(job), token, expiresAt);
  }
}
