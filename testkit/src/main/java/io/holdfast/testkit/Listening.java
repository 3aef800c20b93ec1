package io.holdfast.testkit;

import io.holdfast.lease.Hints;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Hears nothing but that hints are heard. A store that begins to listen tells everybody that some
 * may have been missed, at some moment: tests that count looks want that moment behind them.
 */
public final class Listening implements Hints.Listener {
  private static final long LIMIT_SECONDS = 60;

  private final CompletableFuture<Void> heard = new CompletableFuture<>();

  private Listening() {}

  /** Waits until hints are heard: nobody who listens from now on is told that some were missed. */
  public static void await(Hints hints) {
    Listening listening = new Listening();
    hints.listen(listening);
    listening.heard.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void hinted(String topic) {}

  @Override
  public void mayHaveMissedSome() {
    heard.complete(null);
  }
}
