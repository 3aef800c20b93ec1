package io.holdfast.server;

import io.holdfast.Telemetry;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.PlainDialect;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.CompletableFuture;

/** Everything that is counted, as Prometheus reads it. */
final class MetricsApi implements Api {
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry meters;
  private final Vitals vitals;
  private final Runnable refresh;

  MetricsApi(PrometheusMeterRegistry meters, Telemetry telemetry, Runnable refresh) {
    this.meters = meters;
    this.vitals = new Vitals(telemetry, meters);
    this.refresh = refresh;
  }

  @Override
  public void mount(Routes routes) {
    for (String path : new String[] {"/metrics", "/metrics/prometheus"}) {
      routes.add(
          Route.get(path, Role.READ, PlainDialect.INSTANCE, "Figures for Prometheus")
              .tagged("metrics"),
          this::scrape);
    }
  }

  /** Labels name all queues, so who may see only some sees no figures. */
  private CompletableFuture<Answer> scrape(Exchange exchange) {
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("figures are for tokens without prefixes");
    }
    return exchange.blocking(
        () -> {
          refresh.run();
          synchronized (meters) { // rows that are being replaced are there twice for a moment
            vitals.refresh();
            return Answer.text(200, TEXT, meters.scrape());
          }
        });
  }
}
