package io.holdfast.server;

import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Json;
import io.holdfast.server.http.PlainDialect;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process lives, whether it should get requests, and whether its database answers:
 * three questions. One probe of the database serves everybody who asks while it runs.
 */
final class HealthApi implements Api {
  private static final long PATIENCE_SECONDS = 5;

  private final Services services;
  private final String version;
  private final BooleanSupplier isDraining;
  private @Nullable CompletableFuture<String> probe;

  HealthApi(Services services, String version, BooleanSupplier isDraining) {
    this.services = services;
    this.version = version;
    this.isDraining = isDraining;
  }

  @Override
  public void mount(Routes routes) {
    PlainDialect dialect = PlainDialect.INSTANCE;
    routes.add(
        Route.get("/live", null, dialect, "Whether the process lives").tagged("health"),
        exchange -> CompletableFuture.completedFuture(Answer.json(200, status("live"))));
    routes.add(
        Route.get("/ready", null, dialect, "Whether it should get requests").tagged("health"),
        this::ready);
    routes.add(
        Route.get("/health", null, dialect, "Whether its database answers").tagged("health"),
        this::health);
  }

  private static byte[] status(String text) {
    return Json.bytes(Map.of("status", text));
  }

  private CompletableFuture<Answer> ready(Exchange exchange) {
    if (isDraining.getAsBoolean()) {
      return CompletableFuture.completedFuture(Answer.json(503, status("shutting down")));
    }
    return probe(exchange)
        .thenApply(
            problem ->
                problem.isEmpty()
                    ? Answer.json(200, status("ready"))
                    : Answer.json(503, status("no database")).with("Retry-After", "1"));
  }

  private CompletableFuture<Answer> health(Exchange exchange) {
    return probe(exchange)
        .thenApply(
            problem ->
                Answer.of(
                    problem.isEmpty() ? 200 : 503,
                    "application/health+json",
                    Json.bytes(document(problem))));
  }

  private Map<String, Object> document(String problem) {
    String verdict = problem.isEmpty() ? "pass" : "fail";
    Map<String, Object> check = new LinkedHashMap<>();
    check.put("status", verdict);
    check.put("componentType", "datastore");
    check.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    if (!problem.isEmpty()) {
      check.put("output", problem);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("status", verdict);
    document.put("version", version);
    document.put("checks", Map.of("queues:storage", List.of(check)));
    document.put("database", problem.isEmpty() ? "connected" : "disconnected");
    document.put("server", "holdfast");
    document.put("worker_id", "holdfast-" + ProcessHandle.current().pid());
    return document;
  }

  /** What is wrong with the database; empty if it answers in time. */
  private synchronized CompletableFuture<String> probe(Exchange exchange) {
    CompletableFuture<String> running = probe;
    if (running == null || running.isDone()) {
      running =
          new CompletableFuture<String>()
              .completeOnTimeout("no answer in time", PATIENCE_SECONDS, TimeUnit.SECONDS);
      CompletableFuture<String> asked = running;
      exchange
          .blocking(this::ping)
          .whenComplete((found, failure) -> asked.complete(found == null ? "no answer" : found));
      probe = running;
    }
    return running.thenApply(found -> found);
  }

  private String ping() {
    List<String> problems = new ArrayList<>();
    try {
      services.queues().ping();
    } catch (RuntimeException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return String.join("; ", problems);
  }
}
