package io.holdfast.client.stream;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The pops of one client that are under way. Safe for use by many threads. */
final class HttpPops implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 3;

  private final StreamCalls calls;
  private final Set<HttpPop<?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  HttpPops(StreamCalls calls) {
    this.calls = calls;
  }

  /**
   * What comes of a request.
   *
   * @param id what the server knows it by while it waits; null if it does not wait
   * @param lease what the answer has to be given back by if nobody takes it
   */
  <T> CompletableFuture<T> begin(
      CompletableFuture<T> asked, @Nullable UUID id, Function<T, @Nullable UUID> lease) {
    HttpPop<T> pop = new HttpPop<>(calls, lease);
    open.add(pop);
    pop.over().whenComplete((done, failure) -> open.remove(pop));
    CompletableFuture<T> result = pop.begin(asked, id);
    if (isClosed) {
      pop.end();
    }
    return result;
  }

  /** Calls all off and waits until nothing of them is left. */
  @Override
  public void close() {
    isClosed = true;
    open.forEach(HttpPop::end);
    try {
      calledOff().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // the server takes back what it cannot deliver
    }
  }

  /** Done when nothing is left of those that were called off. */
  CompletableFuture<Void> calledOff() {
    return CompletableFuture.allOf(
        open.stream()
            .filter(HttpPop::isCalledOff)
            .map(HttpPop::over)
            .toArray(CompletableFuture<?>[]::new));
  }
}
