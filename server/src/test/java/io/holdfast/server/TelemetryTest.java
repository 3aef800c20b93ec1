package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.NewJob;
import io.holdfast.lock.LockOptions;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server on PostgreSQL tells about its store. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
class TelemetryTest {
  private PostgresHoldfast holdfast;
  private HoldfastServer server;

  @BeforeEach
  void start() throws IOException {
    holdfast =
        PostgresHoldfast.open(
            TestServer.url(),
            PostgresOptions.DEFAULTS.withLocks(LockOptions.DEFAULTS.withPurgeEvery(null)));
    server =
        HoldfastServer.start(
            new Services(
                holdfast.locks(),
                holdfast.queues(),
                holdfast.streams(),
                holdfast.jobs(),
                holdfast,
                holdfast.telemetry()),
            ServerOptions.DEFAULTS.port(0));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String figures() throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(server.address() + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void statements_are_counted_by_what_they_do_and_how_they_end() throws Exception {
    for (int i = 0; i < 10; i++) {
      holdfast.locks().acquire("telemetry-" + i, Duration.ofMinutes(1));
    }

    assertThat(figures())
        .contains("holdfast_statements_total{operation=\"acquire\",outcome=\"ok\"} 10.0\n");
  }

  @Test
  void every_documented_figure_is_there_and_hints_are_counted() throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!Pattern.compile("hints_total\\{direction=\"heard\"} [1-9]").matcher(figures()).find()) {
      holdfast.jobs().enqueue(NewJob.of("t").queue("telemetry")); // nobody may listen yet
      assertThat(System.nanoTime()).as("a hint is heard").isLessThan(until);
    }

    String told = figures();
    assertThat(told).contains("holdfast_hints_listening 1.0\n", "holdfast_pool_limit 20.0\n");
    String guide = Files.readString(Path.of("../docs/guides/metrics.md"));
    Matcher section = Pattern.compile("(?s)## On PostgreSQL(.*?)\n## ").matcher(guide);
    assertThat(section.find()).isTrue();
    Matcher names = Pattern.compile("`(holdfast_[a-z_]+)[`{]").matcher(section.group(1));
    int documented = 0;
    while (names.find()) {
      documented++;
      assertThat(told).contains("\n" + names.group(1));
    }
    assertThat(documented).isEqualTo(7);
  }
}
