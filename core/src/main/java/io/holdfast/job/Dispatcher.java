package io.holdfast.job;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's one conversation with the store. Each step sends what was settled since the last one
 * and, when enough places are free, leases more in the same transition. While a step is under way
 * settlements gather, so batches grow with the load and an idle worker waits for nobody.
 *
 * <p>Nothing here is lost when the store fails: settlements are put back and sent again with the
 * same tokens, which is harmless, and leases that were granted without an answer expire. A
 * settlement that the store cannot take is tried alone, and only then dropped: its job will run
 * again.
 */
final class Dispatcher implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final int BATCH = 500;
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long FAR_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final Backoff PAUSES =
      new Backoff(Duration.ofMillis(100), 2, Duration.ofSeconds(10), 0.2);

  private final JobEngine jobs;
  private final WorkerPlan plan;
  private final Roster roster;
  private final Outbox outbox;
  private final WorkerCounters counters;
  private final Shares shares;
  private final Arrivals arrivals;
  private final StandingWish wish;
  private final Rhythm rhythm;
  private final AtomicInteger wakes = new AtomicInteger();
  private volatile long nextReserveNanos;
  private volatile long pausedUntilNanos;
  private volatile boolean isStopped;
  private int failures;

  /** Who gets what was leased. */
  interface Arrivals {
    void arrived(List<Run> runs);

    /** Whether a queue may be asked now. */
    boolean isOpen(String queue);

    /** These queues gave nothing, because they are paused for everybody. */
    void foundPaused(Set<String> queues);
  }

  Dispatcher(
      JobEngine jobs,
      WorkerPlan plan,
      Roster roster,
      Outbox outbox,
      WorkerCounters counters,
      Arrivals arrivals) {
    this.jobs = jobs;
    this.plan = plan;
    this.roster = roster;
    this.outbox = outbox;
    this.counters = counters;
    this.arrivals = arrivals;
    this.shares = new Shares(plan.weights(), !jobs.options.isStepped());
    this.wish = new StandingWish(jobs, () -> jobs.engine.wake(this));
    this.rhythm = new Rhythm(jobs.time, plan.timing().poll());
    this.nextReserveNanos = jobs.time.nanos();
    this.pausedUntilNanos = jobs.time.nanos();
  }

  /** There may be something to lease. */
  void lookSoon() {
    wakes.incrementAndGet();
    nextReserveNanos = jobs.time.nanos();
    jobs.engine.wake(this);
  }

  /** Other queues are to be asked than before. */
  void lookElsewhere() {
    if (wish.isPossible()) {
      wish.callOff();
      lookSoon();
    }
  }

  /** Sends a settlement soon. */
  void send(Outbox.Letter letter) {
    if (outbox.add(letter, jobs.time.nanos())) {
      jobs.engine.wake(this);
    }
  }

  /** A place became free; while none was, nobody may have waited for jobs to come. */
  void placeFreed() {
    if (!roster.isHungry()) {
      return;
    }
    if (wish.isPossible() && !wish.isParked()) {
      lookSoon();
    } else {
      jobs.engine.wake(this);
    }
  }

  /** Leases nothing more. */
  void stop() {
    isStopped = true;
    wish.callOff();
  }

  /** Waits, in real time, until what was still to come has come and gone back. */
  boolean awaitOver(Duration limit) throws InterruptedException {
    return wish.awaitOver(limit);
  }

  @Override
  public long dueNanos() {
    return dueNanos(jobs.time.nanos());
  }

  /** As of {@code now}: what is due at once is due then, and not a moment later. */
  private long dueNanos(long now) {
    if (wish.isGranted()) {
      return now;
    }
    if (pausedUntilNanos - now > 0) {
      return pausedUntilNanos;
    }
    long due = now + FAR_NANOS;
    if (outbox.size() > 0) {
      boolean isWorthWaiting = !isStopped && !roster.isIdle() && outbox.size() < BATCH;
      due = isWorthWaiting ? outbox.firstNanos() + LINGER_NANOS : now;
    }
    if (mayReserve()) {
      due = due - nextReserveNanos < 0 ? due : nextReserveNanos;
    }
    return due;
  }

  private boolean mayReserve() {
    return !isStopped && !wish.isParked() && roster.isHungry();
  }

  @Override
  public synchronized int work() {
    int granted = granted(wish.poll());
    long now = jobs.time.nanos();
    if (pausedUntilNanos - now > 0 || dueNanos(now) - now > 0) {
      return granted;
    }
    boolean isSafe = failures == 0 || outbox.size() == 0; // what is done goes first
    return granted + exchange(isSafe && mayReserve() && nextReserveNanos - now <= 0);
  }

  private int granted(StandingWish.@Nullable Grant grant) {
    if (grant == null) {
      return 0;
    }
    nextReserveNanos = jobs.time.nanos();
    Reserved reserved = grant.reserved();
    if (reserved == null) {
      return failed(List.of(), JobEngine.asJobException(grant.failure()));
    }
    failures = 0;
    int got = take(reserved, grant.askedNanos());
    if (got < grant.request().limit()) {
      standBy();
    }
    return got;
  }

  /** Leaves a wish where jobs come, unless somebody says meanwhile that there may be some. */
  private void standBy() {
    int heard = wakes.get();
    int idle = Math.min(JobRules.MAX_ITEMS, roster.idle());
    List<ReserveRequest.Share> open =
        plan.weights().keySet().stream()
            .filter(arrivals::isOpen)
            .map(queue -> ReserveRequest.Share.of(queue, idle))
            .toList();
    if (idle > 0 && !open.isEmpty()) {
      wish.park(request(open, idle));
    }
    if (isStopped || wakes.get() != heard) {
      wish.callOff();
    }
  }

  /** Sends everything now, whether due or not; false when the store does not take it. */
  synchronized boolean flush() {
    while (outbox.size() > 0) {
      if (exchange(false) == 0) {
        return false;
      }
    }
    return true;
  }

  private int exchange(boolean isReserving) {
    List<Outbox.Letter> letters = outbox.drain(BATCH);
    ReserveRequest request = isReserving ? request() : null;
    int heard = wakes.get();
    long askedNanos = jobs.time.nanos();
    Reserved reserved = null;
    try {
      if (request != null) {
        reserved = ask(letters, request);
      } else if (!letters.isEmpty()) {
        settle(letters);
      }
    } catch (RuntimeException e) {
      return failed(letters, JobEngine.asJobException(e));
    }
    failures = 0;
    if (request == null || reserved == null) {
      return letters.size();
    }
    return letters.size() + reserved(new Round(request, reserved, askedNanos, heard));
  }

  /**
   * A wish for jobs and its answer.
   *
   * @param heard how often somebody had said, before it was asked, that there may be jobs
   */
  private record Round(ReserveRequest request, Reserved reserved, long askedNanos, int heard) {}

  private @Nullable ReserveRequest request() {
    int limit = Math.min(JobRules.MAX_ITEMS, roster.free());
    if (limit <= 0) {
      return null;
    }
    List<ReserveRequest.Share> parts = shares.divide(limit, arrivals::isOpen, jobs.time.nanos());
    if (parts.isEmpty()) {
      nextReserveNanos = Time.after(jobs.time.nanos(), plan.timing().poll().toMillis());
      return null;
    }
    return request(parts, limit);
  }

  private ReserveRequest request(List<ReserveRequest.Share> parts, int limit) {
    return new ReserveRequest(parts, limit, plan.timing().lease(), plan.id());
  }

  private int reserved(Round round) {
    Reserved reserved = round.reserved();
    shares.heard(round.request(), reserved, round.askedNanos());
    int got = take(reserved, round.askedNanos());
    int lent = lend(round);
    shares.quiet(got + lent == 0);
    boolean isAgain = got + lent >= round.request().limit() || reserved.more();
    nextReserveNanos = isAgain ? jobs.time.nanos() : rhythm.next(reserved);
    if (wakes.get() != round.heard()) {
      nextReserveNanos = jobs.time.nanos(); // only now: what is said after this is not missed
    } else if (!isAgain) {
      standBy();
    }
    return got + lent;
  }

  /** What some queues left is for the others. */
  private int lend(Round round) {
    Reserved reserved = round.reserved();
    List<ReserveRequest.Share> lent =
        shares.lend(round.request(), reserved, arrivals::isOpen, round.askedNanos());
    if (lent.isEmpty()) {
      return 0;
    }
    long askedNanos = jobs.time.nanos();
    try {
      int left = round.request().limit() - reserved.jobs().size();
      return take(ask(List.of(), request(lent, left)), askedNanos);
    } catch (RuntimeException e) {
      return failed(List.of(), JobEngine.asJobException(e));
    }
  }

  private Reserved ask(List<Outbox.Letter> letters, ReserveRequest request) {
    JobStore store = jobs.backend.store();
    if (letters.isEmpty()) {
      return jobs.engine.call(() -> store.reserve(request, jobs.storeCall()));
    }
    JobStore.Exchanged both =
        jobs.engine.call(
            () -> store.settleAndReserve(settlements(letters), request, jobs.storeCall()));
    settled(letters, both.answer());
    return both.reserved();
  }

  private int take(Reserved reserved, long askedNanos) {
    if (!reserved.paused().isEmpty()) {
      arrivals.foundPaused(reserved.paused());
    }
    if (!reserved.jobs().isEmpty()) {
      long leaseMs = plan.timing().lease().toMillis();
      long now = jobs.time.nanos();
      long leasedNanos = askedNanos + reserved.waited().toNanos();
      List<Run> runs = new ArrayList<>(reserved.jobs().size());
      for (LeasedJob job : reserved.jobs()) {
        runs.add(new Run(job, new Trust(jobs.time, leasedNanos, leaseMs), now, jobs::tell));
      }
      arrivals.arrived(runs);
    }
    return reserved.jobs().size();
  }

  private void settle(List<Outbox.Letter> letters) {
    settled(
        letters,
        jobs.engine.call(
            () -> jobs.backend.store().settle(settlements(letters), jobs.storeCall())));
  }

  private static List<Settlement> settlements(List<Outbox.Letter> letters) {
    return letters.stream().map(Outbox.Letter::settlement).toList();
  }

  private void settled(List<Outbox.Letter> letters, JobStore.Answer answer) {
    for (int i = 0; i < letters.size(); i++) {
      Outbox.Letter letter = letters.get(i);
      roster.forget(letter.run());
      Settled settled = answer.settled().get(i);
      JobError error = settled.error();
      String type = letter.run().leased.job().type();
      if (error != null && !letter.run().isSettledBefore(error)) {
        counters.refused(error);
        counters.ended(type, WorkerStats.Outcome.LOST);
        LOG.warn("job {} could not be settled: {}", settled.id(), error.text());
      } else {
        boolean isCancelled = settled.isCancelled();
        counters.ended(type, isCancelled ? WorkerStats.Outcome.CANCELLED : letter.outcome());
      }
    }
    jobs.spread(answer.effects());
  }

  private int failed(List<Outbox.Letter> letters, JobException e) {
    if (e.isOutcomeUnknown()) {
      letters.forEach(letter -> letter.run().answerLost());
    }
    isStopped |= e.error() == JobError.STORE_CLOSED;
    List<Outbox.Letter> left = letters;
    if (!isPassing(e)) {
      LOG.warn("worker {} failed: {}", plan.id(), e.getMessage(), e);
      left = settleAlone(letters);
      if (left.size() < letters.size()) {
        outbox.putBack(left);
        return letters.size() - left.size();
      }
    }
    outbox.putBack(left);
    failures = Math.min(failures + 1, 30);
    Duration pause = PAUSES.delay(failures, ThreadLocalRandom.current());
    pausedUntilNanos = Time.after(jobs.time.nanos(), pause.toMillis());
    LOG.warn(
        "worker {} has trouble with the store, and tries again in {}: {}",
        plan.id(),
        pause,
        e.getMessage());
    return 0;
  }

  /** One of them is at fault: the others must not suffer. Answers those to be sent again. */
  private List<Outbox.Letter> settleAlone(List<Outbox.Letter> letters) {
    List<Outbox.Letter> again = new ArrayList<>();
    for (Outbox.Letter letter : letters) {
      try {
        settle(List.of(letter));
      } catch (RuntimeException thrown) {
        JobException e = JobEngine.asJobException(thrown);
        if (isPassing(e)) {
          again.add(letter);
        } else {
          roster.forget(letter.run());
          LOG.error("job {} cannot be settled, and will run again", letter.run().leased.id(), e);
        }
      }
    }
    return again;
  }

  /** Whether it is worth to do the same again. */
  private static boolean isPassing(JobException e) {
    return switch (e.error()) {
      case STORE_UNAVAILABLE, STORE_CLOSED, ABORTED -> true;
      default -> false;
    };
  }
}
