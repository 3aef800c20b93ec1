package io.holdfast.cli;

import io.holdfast.lease.Background;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * SIGTERM, SIGINT or SIGHUP to this process, as something to wait for. The JVM answers such a
 * signal by running hooks and then ends; our hook holds that end back until the work is {@linkplain
 * #finished finished}. A second signal changes nothing. Safe for use by many threads.
 */
final class StopSignal {
  private final CompletableFuture<Void> received = new CompletableFuture<>();
  private final CompletableFuture<OptionalInt> finished = new CompletableFuture<>();
  private final CancellationSource cancellation = new CancellationSource();

  private StopSignal() {}

  /** Listens from now on. */
  static StopSignal listen() {
    StopSignal signal = new StopSignal();
    Runtime.getRuntime().addShutdownHook(Background.daemon("holdfast-signal", signal::onShutdown));
    return signal;
  }

  /** Completed when a signal has come. */
  CompletableFuture<Void> received() {
    return received;
  }

  boolean isReceived() {
    return received.isDone();
  }

  /** Cancelled when a signal has come. */
  Cancellation cancellation() {
    return cancellation;
  }

  /**
   * Lets the JVM end: with {@code exitCode}, or when that is empty as the signal has it (128 + its
   * number).
   */
  void finished(OptionalInt exitCode) {
    finished.complete(exitCode);
  }

  private void onShutdown() {
    if (!finished.isDone()) { // else the program ends by itself
      received.complete(null);
      cancellation.cancel();
      finished.join().ifPresent(Runtime.getRuntime()::halt);
    }
  }
}
