package io.holdfast.server.dashboard;

import io.holdfast.lease.Time;
import io.holdfast.server.Diagnosis;
import io.holdfast.server.Services;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Json;
import io.holdfast.server.http.Outlet;
import io.holdfast.server.http.PlainDialect;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The page, what it shows live, and the gauges. The page itself is for everybody; everything it
 * shows, and everything it does, goes through calls that need a token once there are tokens.
 */
public final class DashboardApi implements Api, AutoCloseable {
  private static final long SCRAPE_PATIENCE_MS = 3_000;

  private final Diagnosis diagnosis;
  private final String version;
  private final Sampler sampler;
  private final Gauges gauges;
  private final Assets assets = new Assets();

  /** Shows these services. */
  public DashboardApi(
      Services services, Diagnosis diagnosis, String version, MeterRegistry meters) {
    this.diagnosis = diagnosis;
    this.version = version;
    this.sampler =
        new Sampler(new Reading(services)::read, Time.system(), InstantSource.system()).start();
    this.gauges = new Gauges(meters);
    meters.gauge("holdfast.dashboard.listeners", sampler, Sampler::listeners);
  }

  @Override
  public void mount(Routes routes) {
    PlainDialect plain = PlainDialect.INSTANCE;
    routes.add(
        Route.get("/", null, plain, "The dashboard").tagged("dashboard"),
        exchange -> done(assets.page(exchange)));
    routes.add(
        Route.get("/assets/{version}/{file}", null, plain, "A file of the dashboard")
            .tagged("dashboard"),
        exchange -> done(assets.file(exchange)));
    routes.add(
        Route.get("/events", Role.READ, plain, "Figures as they come, as server-sent events")
            .tagged("dashboard"),
        this::events);
    routes.add(
        Route.get("/dashboard/session", Role.READ, plain, "What the token is good for")
            .tagged("dashboard"),
        this::session);
    routes.add(
        Route.get("/dashboard/doctor", Role.READ, plain, "Trouble where the data is")
            .tagged("dashboard"),
        this::doctor);
  }

  private static CompletionStage<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private CompletionStage<Answer> events(Exchange exchange) {
    return exchange
        .blocking(() -> sampler.greeting(exchange.caller()))
        .thenApply(
            greeting ->
                Answer.streaming("text/event-stream", outlet -> begin(exchange, outlet, greeting))
                    .with("Cache-Control", "no-store")
                    .with("X-Accel-Buffering", "no"));
  }

  private void begin(Exchange exchange, Outlet outlet, byte[] greeting) {
    outlet.send(greeting);
    sampler.listen(exchange.caller(), outlet);
  }

  private CompletionStage<Answer> session(Exchange exchange) {
    Map<String, Object> session = new LinkedHashMap<>();
    session.put("name", exchange.caller().name());
    session.put("roles", exchange.caller().roles().stream().map(Role::text).sorted().toList());
    session.put("prefixes", exchange.caller().prefixes());
    session.put("version", version);
    return done(Answer.json(200, Json.bytes(session)).with("Cache-Control", "no-store"));
  }

  private CompletionStage<Answer> doctor(Exchange exchange) {
    return exchange.blocking(
        () -> {
          List<Map<String, String>> findings =
              diagnosis.examine().stream().map(DashboardApi::finding).toList();
          return Answer.json(200, Json.bytes(Map.of("findings", findings)));
        });
  }

  private static Map<String, String> finding(Diagnosis.Finding finding) {
    return Map.of(
        "level",
        finding.level().name().toLowerCase(Locale.ROOT),
        "subject",
        finding.subject(),
        "found",
        finding.found(),
        "advice",
        finding.advice());
  }

  /** Sees to it that gauges are of now; blocks for at most a few seconds. */
  public void refresh() {
    gauges.show(sampler.fresh(SCRAPE_PATIENCE_MS));
  }

  /** Sends everybody away who looks. */
  @Override
  public void close() {
    sampler.close();
  }
}
