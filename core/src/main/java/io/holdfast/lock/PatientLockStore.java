package io.holdfast.lock;

import java.util.concurrent.CompletableFuture;

/**
 * A store that waits for a taken key by itself, because it is another process that keeps the queue.
 * Who asks it leaves no tickets and needs no hints.
 */
public interface PatientLockStore extends LockStore {
  /**
   * {@code free → held} as soon as it is, or a refusal when {@code wait} is over, or earlier if
   * that is longer than the store can wait. Cancelling the answer calls it off; what may have been
   * granted then is for the caller to give back.
   */
  CompletableFuture<Grant> acquire(Request request, Wait wait);
}
