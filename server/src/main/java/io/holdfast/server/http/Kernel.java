package io.holdfast.server.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** What all requests share: routes, the door, limits, worker threads. */
public final class Kernel implements AutoCloseable {
  private static final Duration[] BUCKETS =
      IntStream.of(1, 5, 20, 100, 500, 2_500, 10_000, 60_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  final Routes routes;
  final Door door;
  final Limits limits;
  final Workers workers;
  final MeterRegistry meters;
  private final Vertx vertx;
  private final Map<HttpConnection, Patience> connections = new ConcurrentHashMap<>();
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean isDraining;

  /** Serves these routes. */
  public Kernel(Vertx vertx, Routes routes, Entrance entrance, MeterRegistry meters) {
    this.vertx = vertx;
    this.routes = routes;
    this.limits = entrance.limits();
    this.door = new Door(entrance.tokens(), entrance.names(), entrance.corsOrigin(), meters);
    this.workers = new Workers(limits.threads(), limits.waiting());
    this.meters = meters;
    meters.gaugeMapSize("holdfast.http.connections", Set.of(), connections);
    meters.gaugeCollectionSize("holdfast.http.calls", Set.of(), calls);
    meters.gauge("holdfast.http.workers.active", workers, Workers::active);
    meters.gauge("holdfast.http.workers.waiting", workers, Workers::waiting);
  }

  /** Answers what comes to this server. */
  public void attach(HttpServer server) {
    server.connectionHandler(this::connected);
    server.requestHandler(this::received);
    server.invalidRequestHandler(this::unreadable);
  }

  /**
   * From now on nobody new gets in, and new calls of those who are in are refused, except those
   * that need no role; running ones go on.
   */
  public void drain() {
    isDraining = true;
  }

  /** Whether it is ending. */
  public boolean isDraining() {
    return isDraining;
  }

  /** How many calls are being served. */
  public int calls() {
    return calls.size();
  }

  boolean isCrowded() {
    return connections.size() > limits.connections();
  }

  /** Kept, because finding one by its tags costs more than recording. */
  Timer timer(String operation, String outcome) {
    return timers.computeIfAbsent(
        operation + " " + outcome,
        both ->
            Timer.builder("holdfast.http.requests")
                .description("Requests by operation and outcome")
                .tag("operation", operation)
                .tag("status", outcome)
                .serviceLevelObjectives(BUCKETS)
                .register(meters));
  }

  void ended(Call call) {
    calls.remove(call);
  }

  /** Ends its threads; what they do is finished. */
  @Override
  public void close() {
    workers.close();
  }

  private void connected(HttpConnection connection) {
    if (isDraining) {
      connection.close();
      return;
    }
    Patience patience = new Patience(vertx, connection, limits.idle());
    connections.put(connection, patience);
    patience.begin();
    connection.closeHandler(
        gone -> {
          connections.remove(connection);
          patience.end();
        });
  }

  private void received(HttpServerRequest request) {
    Patience patience =
        connections.computeIfAbsent(
            request.connection(), known -> new Patience(vertx, known, limits.idle()));
    Call call = new Call(this, vertx, request, patience);
    calls.add(call);
    call.begin();
  }

  /** In the words of the wire it was for, where that much of it could be read. */
  private void unreadable(HttpServerRequest request) {
    Exchange exchange = new Exchange(request, workers, limits.answer());
    Answer answer =
        routes
            .dialect(exchange.path())
            .failure(exchange, Refusal.malformed("the request cannot be read as HTTP"));
    HttpServerResponse response = request.response().setStatusCode(answer.status());
    answer.headers().forEach(response::putHeader);
    response
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Content-Type", String.valueOf(answer.type()))
        .putHeader("Connection", "close");
    response.end(Buffer.buffer(answer.body())).onComplete(done -> request.connection().close());
  }
}
