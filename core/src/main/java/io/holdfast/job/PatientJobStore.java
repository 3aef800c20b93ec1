package io.holdfast.job;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A store that waits for jobs by itself, because another process is there to hear of them. Who asks
 * it need not look again and again.
 */
public interface PatientJobStore extends JobStore {
  /**
   * {@code ready or expired → inflight} as soon as there is something, or nothing when {@code wait}
   * is over, or earlier if that is longer than the store can wait.
   */
  Parked park(ReserveRequest request, Duration wait);

  /** A wish that waits in the store. */
  interface Parked {
    /** What came; whoever asked answers for it, also when it comes after {@link #leave}. */
    CompletableFuture<Reserved> answer();

    /** Ends the waiting: the answer comes soon, with what was leased by then or a failure. */
    void leave();
  }
}
