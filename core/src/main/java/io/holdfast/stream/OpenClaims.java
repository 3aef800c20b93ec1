package io.holdfast.stream;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Claims under way, so that somebody who called one off can wait until nothing of it is left. Safe
 * for use by many threads.
 */
final class OpenClaims {
  private final Set<Claim> open = ConcurrentHashMap.newKeySet();

  /** A claim, from before its requests are picked until its answer is delivered or given back. */
  final class Claim implements AutoCloseable {
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    private Claim() {}

    @Override
    public void close() {
      open.remove(this);
      over.complete(null);
    }
  }

  Claim begin() {
    Claim claim = new Claim();
    open.add(claim);
    return claim;
  }

  /** Done when all that are under way now are over, and what they begin to give back. */
  CompletableFuture<Void> over() {
    return ofNow().thenCompose(claimed -> ofNow());
  }

  private CompletableFuture<Void> ofNow() {
    return CompletableFuture.allOf(
        open.stream().map(claim -> claim.over).toArray(CompletableFuture<?>[]::new));
  }
}
