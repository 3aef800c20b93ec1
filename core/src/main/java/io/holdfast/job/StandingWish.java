package io.holdfast.job;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A worker's wish for jobs that waits in a {@link PatientJobStore} while the worker is idle, so
 * that a job starts when it comes and not when it is looked for. One that was called off gives back
 * what it still gets; closing waits for that. Safe for use by many threads.
 */
final class StandingWish {
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final JobEngine jobs;
  private final @Nullable PatientJobStore store;
  private final Runnable wake;
  private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
  private @Nullable Waiting current;

  /** What became of a wish: jobs or none, or a failure. */
  record Grant(
      ReserveRequest request,
      @Nullable Reserved reserved,
      @Nullable JobException failure,
      long askedNanos) {}

  /** A wish on its way; its fields are guarded by its owner. */
  private static final class Waiting {
    PatientJobStore.@Nullable Parked parked;
    @Nullable Grant grant;
  }

  /** Calls {@code wake} when something was granted. */
  StandingWish(JobEngine jobs, Runnable wake) {
    boolean isPatient = !jobs.options.isStepped();
    this.jobs = jobs;
    this.store = isPatient && jobs.backend.store() instanceof PatientJobStore it ? it : null;
    this.wake = wake;
  }

  /** Whether the store waits for its workers; otherwise they look by themselves. */
  boolean isPossible() {
    return store != null;
  }

  /** Whether one waits, or was granted and not taken yet. */
  synchronized boolean isParked() {
    return current != null;
  }

  synchronized boolean isGranted() {
    return current != null && current.grant != null;
  }

  /** Begins to wait, if the store can and nothing waits yet. */
  void park(ReserveRequest request) {
    Waiting waiting = new Waiting();
    synchronized (this) {
      if (store == null || current != null) {
        return;
      }
      current = waiting;
    }
    long askedNanos = jobs.time.nanos();
    PatientJobStore.Parked parked = store.park(request, LONGEST);
    boolean isWanted;
    synchronized (this) {
      waiting.parked = parked;
      isWanted = current == waiting;
    }
    if (!isWanted) {
      parked.leave();
    }
    CompletableFuture<?> handled =
        parked
            .answer()
            .whenComplete(
                (reserved, failure) -> {
                  JobException known = failure == null ? null : JobEngine.asJobException(failure);
                  heard(waiting, new Grant(request, reserved, known, askedNanos));
                });
    jobs.engine.underWay(handled);
    open.add(handled);
    handled.whenComplete((done, failure) -> open.remove(handled));
  }

  private void heard(Waiting waiting, Grant grant) {
    boolean isWanted;
    synchronized (this) {
      waiting.grant = grant;
      isWanted = current == waiting;
    }
    if (isWanted) {
      wake.run();
    } else {
      giveBack(grant);
    }
  }

  /** What was granted, for the caller to keep; null while nothing was. */
  synchronized @Nullable Grant poll() {
    Grant grant = current == null ? null : current.grant;
    if (grant != null) {
      current = null;
    }
    return grant;
  }

  /** Ends the waiting; what was granted and not taken goes back. */
  void callOff() {
    PatientJobStore.Parked parked;
    Grant grant;
    synchronized (this) {
      if (current == null) {
        return;
      }
      parked = current.parked;
      grant = current.grant;
      current = null;
    }
    if (grant != null) {
      jobs.engine.background("returning jobs", () -> giveBack(grant));
    } else if (parked != null) {
      parked.leave();
    }
  }

  /** Waits, in real time, until nothing of what was called off is left; false: it took too long. */
  boolean awaitOver(Duration limit) throws InterruptedException {
    try {
      CompletableFuture.allOf(open.toArray(new CompletableFuture<?>[0]))
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      return true; // a failure left nothing either
    } catch (TimeoutException e) {
      return false;
    }
  }

  private void giveBack(Grant grant) {
    Reserved reserved = grant.reserved();
    if (reserved != null) {
      jobs.engine.guarded("returning jobs", () -> jobs.engine.call(() -> jobs.giveBack(reserved)));
    }
  }
}
