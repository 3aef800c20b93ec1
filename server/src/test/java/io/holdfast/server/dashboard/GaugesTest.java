package io.holdfast.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GaugesTest {
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Gauges gauges = new Gauges(meters);

  private static Figures figures() {
    List<Figures.OfJobs> jobs =
        IntStream.range(0, 90)
            .mapToObj(
                i -> new Figures.OfJobs("q" + i, null, 1, 0, 0, 0, 0, 0, false, null, null, 0, 0))
            .toList();
    return new Figures(
        1, 1, null, List.of(), List.of(), jobs, List.of(), List.of(), Figures.OfLocks.NOTHING);
  }

  @Test
  void they_can_be_read_while_they_are_replaced() {
    CompletableFuture<Void> replacing =
        CompletableFuture.runAsync(
            () -> IntStream.range(0, 20).forEach(i -> gauges.show(figures())));

    while (!replacing.isDone()) {
      synchronized (meters) {
        assertThat(meters.scrape()).contains("holdfast_database_up");
      }
    }

    replacing.join();
    assertThat(meters.scrape()).contains("holdfast_job_jobs{queue=\"q89\",state=\"ready\"} 1.0");
  }
}
