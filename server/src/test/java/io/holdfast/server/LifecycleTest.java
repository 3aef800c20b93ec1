package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.testkit.net.TcpProxy;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server in good and bad times, on PostgreSQL behind a network that fails on command. */
class LifecycleTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String CREATE =
      """
      {"queue_name":"%s","lease_timeout":"1m","expire_timeout":"1h","requested_partitions":1}""";
  private static final String LEASE =
      """
      {"queue_name":"%s","client_id":"%s","batch_size":1,"request_timeout":"30s"}""";
  private static EmbeddedPostgres postgres;

  private TcpProxy network;
  private HoldfastServer server;

  @BeforeAll
  static void install() {
    postgres = EmbeddedPostgres.temporary(EmbeddedOptions.defaults().withSetting("fsync", "off"));
  }

  @AfterAll
  static void uninstall() {
    postgres.close();
  }

  @BeforeEach
  void connect() throws IOException {
    URI real = URI.create(postgres.jdbcUrl().substring("jdbc:".length()));
    network = TcpProxy.to(real.getHost(), real.getPort());
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    network.close();
  }

  private void start() throws IOException {
    String url =
        postgres
            .jdbcUrl()
            .replaceFirst("//[^/]+/", "//" + network.host() + ":" + network.port() + "/");
    PostgresHoldfast holdfast = PostgresHoldfast.open(url);
    server =
        HoldfastServer.start(
            new Services(
                holdfast.locks(), holdfast.queues(), holdfast.streams(), holdfast.jobs(), holdfast),
            ServerOptions.DEFAULTS.port(0));
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(server.address() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> post(String verb, String body) {
    return HTTP.sendAsync(
        HttpRequest.newBuilder(URI.create(server.address() + "/v1/" + verb))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static void eventually(Callable<Boolean> condition) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertThat(System.nanoTime() - until).as("in time").isNegative();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  void it_starts_without_a_database_and_works_when_there_is_one() throws Exception {
    network.refuse(true);
    start();

    assertThat(get("/live").statusCode()).isEqualTo(200);
    assertThat(get("/ready").statusCode()).isEqualTo(503);
    assertThat(get("/health").statusCode()).isEqualTo(503);
    assertThat(get("/health").body()).contains("\"status\":\"fail\"", "\"output\"");
    assertThat(post("queues.create", CREATE.formatted("late")).join().statusCode()).isIn(454, 503);

    network.refuse(false);
    eventually(() -> get("/ready").statusCode() == 200);
    eventually(() -> post("queues.create", CREATE.formatted("late")).join().statusCode() == 200);
  }

  @Test
  void it_recovers_from_a_cut_connection() throws Exception {
    start();
    assertThat(post("queues.create", CREATE.formatted("cut")).join().statusCode()).isEqualTo(200);

    network.refuse(true);
    network.cut();
    eventually(() -> get("/ready").statusCode() == 503);
    network.refuse(false);

    eventually(() -> get("/ready").statusCode() == 200);
    eventually(
        () ->
            post(
                        "queue.produce",
                        """
                        {"queue_name":"cut","request_timeout":"5s","items":[{"utf8":"x"}]}""")
                    .join()
                    .statusCode()
                == 200);
  }

  @Test
  void waiters_hold_neither_threads_nor_connections_and_are_answered_at_the_end() throws Exception {
    start();
    assertThat(post("queues.create", CREATE.formatted("wait")).join().statusCode()).isEqualTo(200);
    int threads = Thread.activeCount();
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      waiting.add(post("queue.lease", LEASE.formatted("wait", "c" + i)));
    }
    eventually(() -> waitingLeases() == 300);

    assertThat(Thread.activeCount() - threads).as("threads").isLessThan(100);
    assertThat(network.connections()).as("connections").isLessThan(30);

    server.close();
    for (CompletableFuture<HttpResponse<String>> lease : waiting) {
      assertThat(lease.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(453);
      assertThat(lease.join().body()).contains("shutting down");
    }
  }

  private int waitingLeases() {
    String stats = post("queue.stats", "{\"queue_name\":\"wait\"}").join().body();
    return stats.contains("\"lease_waiting\"")
        ? Integer.parseInt(stats.replaceAll("(?s).*\"lease_waiting\":\\s*(\\d+).*", "$1"))
        : 0;
  }

  @Test
  void a_client_that_has_left_takes_no_lease() throws Exception {
    start();
    assertThat(post("queues.create", CREATE.formatted("wait")).join().statusCode()).isIn(200, 400);
    String body = LEASE.formatted("wait", "gone");
    try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              ("POST /v1/queue.lease HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.US_ASCII));
      eventually(() -> waitingLeases() == 1);
    }
    eventually(() -> waitingLeases() == 0);

    post(
            "queue.produce",
            """
            {"queue_name":"wait","request_timeout":"5s","items":[{"utf8":"for somebody else"}]}""")
        .join();
    assertThat(post("queue.lease", LEASE.formatted("wait", "here")).join().statusCode())
        .isEqualTo(200);
  }
}
