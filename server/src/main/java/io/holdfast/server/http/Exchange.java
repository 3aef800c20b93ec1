package io.holdfast.server.http;

import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call of one client. Its answer may come from any thread; everything else is read only. */
public final class Exchange {
  private final HttpServerRequest request;
  private final Workers workers;
  private final Gone gone = new Gone();
  private Map<String, String> parameters = Map.of();
  private @Nullable Map<String, String> query;
  private List<String> asks = List.of();
  private Caller caller = Caller.ANYBODY;
  private byte[] body = {};
  private Duration limit;

  Exchange(HttpServerRequest request, Workers workers, Duration limit) {
    this.request = request;
    this.workers = workers;
    this.limit = limit;
  }

  void routed(Routes.Match match, Caller who) {
    this.parameters = match.parameters();
    this.asks = match.route().about().asks();
    this.caller = who;
  }

  void received(byte[] bytes) {
    this.body = bytes;
  }

  Duration limit() {
    return limit;
  }

  Gone gone() {
    return gone;
  }

  /** The method of HTTP. */
  public String method() {
    return request.method().name();
  }

  /** The path as it was sent. */
  public String path() {
    return String.valueOf(request.path());
  }

  /** A parameter of the path, decoded. */
  public String parameter(String name) {
    return parameters.get(name);
  }

  /**
   * A parameter of the query, decoded; the first if there are several. Its route has to name it.
   */
  public Optional<String> query(String name) {
    if (!asks.contains(name)) {
      throw new IllegalStateException("the route does not say that it asks for " + name);
    }
    if (query == null) {
      query = Percent.query(request.query() == null ? "" : request.query());
    }
    return Optional.ofNullable(query.get(name));
  }

  /** A header, by its name in any case; null if it was not sent. */
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  /** What was sent; not a copy. */
  public byte[] body() {
    return body;
  }

  /** Who calls. */
  public Caller caller() {
    return caller;
  }

  /**
   * Runs what blocks on a worker thread. Fails at once with {@link Refusal.Kind#OVERLOADED} when
   * too much waits there already; interrupted when the client leaves.
   */
  public <T> CompletableFuture<T> blocking(Callable<T> work) {
    return awaited(workers.call(work));
  }

  /**
   * The same for work that takes something: what it took after the client had left goes to {@code
   * undo}, on a worker thread.
   */
  public <T> CompletableFuture<T> blocking(Callable<T> work, Consumer<T> undo) {
    return awaited(workers.call(work, undo));
  }

  /** The same future, cancelled when the client leaves before it is done. */
  public <T> CompletableFuture<T> awaited(CompletableFuture<T> future) {
    Gone.Watch watch = gone.watch(() -> future.cancel(true));
    future.whenComplete((done, failure) -> watch.end());
    return future;
  }

  /** The client may wait for so long, and a little more, before the server gives up the call. */
  public void mayTake(Duration wait) {
    limit = limit.plus(wait);
  }
}
