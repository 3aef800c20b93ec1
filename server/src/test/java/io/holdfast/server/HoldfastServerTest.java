package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.Holdfast;
import io.holdfast.server.http.Limits;
import io.holdfast.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HoldfastServerTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private HoldfastServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        HoldfastServer.start(
            Services.of(Holdfast.inMemory()),
            ServerOptions.DEFAULTS
                .port(0)
                .limits(Limits.DEFAULTS.patience(Duration.ofMillis(500), Duration.ofMillis(500))));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(server.address() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Sends these lines as they are, and answers everything that comes back. */
  private String raw(String... lines) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(String.join("\r\n", lines).getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void it_says_that_it_lives_and_is_ready() throws Exception {
    assertThat(get("/live").statusCode()).isEqualTo(200);
    assertThat(get("/ready").body()).isEqualTo("{\"status\":\"ready\"}");
    assertThat(get("/health").body()).contains("\"status\":\"pass\"");
    assertThat(get("/metrics").body()).contains("holdfast_http_requests_seconds_count");
  }

  @Test
  void what_is_not_there_is_said_in_json() throws Exception {
    assertThat(get("/nowhere").statusCode()).isEqualTo(404);
    assertThat(get("/nowhere").body()).contains("no_such_route");
    assertThat(get("/nowhere").headers().firstValue("Content-Type")).contains("application/json");
    assertThat(
            raw("POST /live HTTP/1.1", "Host: localhost", "Connection: close", "", "")
                .lines()
                .findFirst())
        .contains("HTTP/1.1 405 Method Not Allowed");
  }

  @Test
  void a_wrong_method_is_told_the_right_ones() throws Exception {
    for (String wrong : List.of("POST /live", "HEAD /api/v1/pop/queue/orders")) {
      assertThat(raw(wrong + " HTTP/1.1", "Host: localhost", "Connection: close", "", ""))
          .startsWith("HTTP/1.1 405")
          .containsIgnoringCase("Allow: GET\r\n");
    }
  }

  /** The description names every route, each with a summary, and each of its paths is served. */
  @Test
  void the_description_is_that_of_the_routes() throws Exception {
    JsonNode paths = new ObjectMapper().readTree(get("/openapi.json").body()).get("paths");

    for (Route route : server.routes()) {
      JsonNode operation = paths.path(route.path()).path(route.method().toLowerCase(Locale.ROOT));
      assertThat(operation.path("summary").asText()).as(route.path()).isNotBlank();
      assertThat(operation.path("tags").path(0).asText()).as(route.path()).isNotBlank();
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create(server.address() + route.path().replaceAll("\\{[^}]+}", "x")))
              .method(route.method(), HttpRequest.BodyPublishers.ofString("{"))
              .timeout(Duration.ofSeconds(10))
              .build();
      if (!route.path().equals("/events")) {
        int status = HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        assertThat(status).as(route.path()).isNotEqualTo(405).isNotIn(500, 502, 503);
      }
    }
    JsonNode pop = paths.path("/api/v1/pop/queue/{queue}").path("get").path("parameters");
    assertThat(pop.findValuesAsText("name"))
        .contains("queue", "batch", "wait", "timeout", "consumerGroup", "autoAck");
    assertThat(paths.size())
        .isEqualTo((int) server.routes().stream().map(Route::path).distinct().count());
  }

  @Test
  void a_foreign_name_or_page_is_refused() throws Exception {
    assertThat(raw("GET /live HTTP/1.1", "Host: evil.example", "Connection: close", "", ""))
        .startsWith("HTTP/1.1 403");
    assertThat(
            raw(
                "GET /live HTTP/1.1",
                "Host: localhost",
                "Origin: http://evil.example",
                "Connection: close",
                "",
                ""))
        .startsWith("HTTP/1.1 403");
    assertThat(raw("GET /live HTTP/1.1", "Host: localhost:1", "Connection: close", "", ""))
        .startsWith("HTTP/1.1 200");
  }

  @Test
  void a_foreign_page_cannot_take_messages_with_an_image() throws Exception {
    String pop = "GET /api/v1/pop/queue/orders?autoAck=true HTTP/1.1";
    for (String call : List.of(pop, "POST /v1/queues.list HTTP/1.1")) {
      for (String site : List.of("cross-site", "same-site", "")) {
        assertThat(from(site, call)).as(call + " " + site).startsWith("HTTP/1.1 403");
      }
      for (String site : List.of("same-origin", "none")) {
        assertThat(from(site, call)).as(call + " " + site).doesNotStartWith("HTTP/1.1 403");
      }
    }
    assertThat(from("cross-site", "GET /live HTTP/1.1")).startsWith("HTTP/1.1 200");
    assertThat(from("cross-site", "GET / HTTP/1.1")).startsWith("HTTP/1.1 200");
  }

  private String from(String site, String call) throws IOException {
    return raw(call, "Host: localhost", "Sec-Fetch-Site: " + site, "Connection: close", "", "");
  }

  @Test
  void a_request_says_once_whom_it_is_for() throws Exception {
    String close = "Connection: close";
    assertThat(raw("GET /live HTTP/1.1", close, "", "")).startsWith("HTTP/1.1 400");
    assertThat(raw("GET /live HTTP/1.1", "Host: localhost", "Host: evil.example", close, "", ""))
        .startsWith("HTTP/1.1 400");
    assertThat(raw("GET http://evil.example/live HTTP/1.1", "Host: localhost", close, "", ""))
        .startsWith("HTTP/1.1 403");
    assertThat(raw("GET ftp://evil.example/metrics HTTP/1.1", "Host: localhost", close, "", ""))
        .startsWith("HTTP/1.1 403");
    assertThat(raw("GET http://localhost/live HTTP/1.1", "Host: localhost", close, "", ""))
        .startsWith("HTTP/1.1 200");
    assertThat(raw("GET /live HTTP/1.0", "", "")).startsWith("HTTP/1.0 200");
  }

  @Test
  void a_path_is_utf_8_with_and_without_escapes() throws Exception {
    String raw = new String("\u00fc".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    for (String name : List.of("%C3%BC", raw)) {
      assertThat(
              raw(
                  "DELETE /api/v1/resources/queues/" + name + " HTTP/1.1",
                  "Host: localhost",
                  "Connection: close",
                  "",
                  ""))
          .contains("\"queue\":\"\u00fc\"");
    }
    assertThat(
            raw(
                "DELETE /api/v1/resources/queues/\u00fc HTTP/1.1",
                "Host: localhost",
                "Connection: close",
                "",
                ""))
        .startsWith("HTTP/1.1 400");
  }

  @Test
  void while_it_ends_nobody_new_gets_in_and_who_is_in_is_told() throws Exception {
    HoldfastServer ending =
        HoldfastServer.start(
            Services.of(Holdfast.inMemory()),
            ServerOptions.DEFAULTS.port(0).shutdownTimeout(Duration.ofSeconds(5)));
    int port = ending.address().getPort();
    try (Socket running = new Socket("127.0.0.1", port);
        Socket inside = new Socket("127.0.0.1", port)) {
      send(running, "POST /v1/queues.list HTTP/1.1", "Content-Length: 9");
      send(inside, "GET /ready HTTP/1.1");
      assertThat(said(inside)).startsWith("HTTP/1.1 200");
      CompletableFuture<Void> end = CompletableFuture.runAsync(ending::close);
      do {
        send(inside, "GET /ready HTTP/1.1");
      } while (!said(inside).startsWith("HTTP/1.1 503"));

      try (Socket late = new Socket("127.0.0.1", port)) {
        send(late, "GET /live HTTP/1.1");
        assertThat(said(late)).isEmpty();
      } catch (IOException refused) {
        // as good
      }
      end.get(20, TimeUnit.SECONDS);
    }
  }

  private static void send(Socket socket, String line, String... headers) throws IOException {
    String head = line + "\r\nHost: localhost\r\n" + String.join("\r\n", headers);
    socket
        .getOutputStream()
        .write(
            (head + (headers.length == 0 ? "\r\n" : "\r\n\r\n")).getBytes(StandardCharsets.UTF_8));
  }

  /** What comes next, in one piece as answers are short; empty at the end. */
  private static String said(Socket socket) throws IOException {
    socket.setSoTimeout(10_000);
    byte[] bytes = new byte[10_000];
    int read = socket.getInputStream().read(bytes);
    return read < 0 ? "" : new String(bytes, 0, read, StandardCharsets.UTF_8);
  }

  @Test
  void slow_clients_are_sent_away() throws Exception {
    assertThat(raw("GET /live HTTP/1.1", "Host: loc")).isEmpty();
    assertThat(raw("GET /live HTTP/1.1", "Host: localhost", "Content-Length: 5", "", "ab"))
        .startsWith("HTTP/1.1 408");
  }

  @Test
  void a_body_that_is_no_HTTP_is_refused_in_the_words_of_its_wire() throws Exception {
    String[] broken = {
      "Host: localhost", "Transfer-Encoding: chunked", "", "zz", "{}", "0", "", ""
    };
    for (Map.Entry<String, Integer> wire :
        Map.of("/v1/queues.list", 455, "/v1/locks.list", 400, "/api/v1/push", 400).entrySet()) {
      String[] lines =
          Stream.of(List.of("POST " + wire.getKey() + " HTTP/1.1"), List.of(broken))
              .flatMap(List::stream)
              .toArray(String[]::new);
      assertThat(raw(lines))
          .startsWith("HTTP/1.1 " + wire.getValue())
          .contains("the body cannot be read as HTTP");
    }
    assertThat(get("/live").statusCode()).isEqualTo(200);
  }

  @Test
  void a_body_whose_end_is_not_plain_hides_no_other_request() throws Exception {
    for (String coding : List.of("xchunked", "identity", "gzip, chunked", "chunked, chunked", "")) {
      String answer =
          raw(
              "POST /live HTTP/1.1",
              "Host: localhost",
              "Transfer-Encoding: " + coding,
              "",
              "GET /live HTTP/1.1",
              "Host: localhost",
              "",
              "");
      assertThat(answer)
          .as(coding)
          .startsWith("HTTP/1.1 400")
          .containsIgnoringCase("Connection: close")
          .doesNotContain("HTTP/1.1 200");
    }
    String[] both = {
      "POST /live HTTP/1.1", "Host: localhost", "Content-Length: 5", "Transfer-Encoding: chunked"
    };
    assertThat(raw(String.join("\r\n", both), "", "0", "", "")).startsWith("HTTP/1.1 400");
  }

  @Test
  void the_head_of_a_stream_ends() throws Exception {
    assertThat(raw("HEAD /events HTTP/1.1", "Host: localhost", "Connection: close", "", ""))
        .startsWith("HTTP/1.1 200")
        .containsIgnoringCase("Content-Type: text/event-stream")
        .endsWith("\r\n\r\n")
        .doesNotContain("data:");
  }

  @Test
  void large_bodies_and_headers_are_refused() throws Exception {
    assertThat(raw("GET /live HTTP/1.1", "Host: localhost", "Content-Length: 99999999", "", ""))
        .startsWith("HTTP/1.1 413");
    assertThat(raw("GET /live HTTP/1.1", "Host: localhost", "X: " + "x".repeat(40_000), "", ""))
        .startsWith("HTTP/1.1 400")
        .contains("\"code\":\"bad_request\"");
  }

  @Test
  void the_sizes_of_bodies_and_headers_can_be_chosen() throws Exception {
    server.close();
    server =
        HoldfastServer.start(
            Services.of(Holdfast.inMemory()),
            ServerOptions.DEFAULTS.port(0).limits(Limits.DEFAULTS.sizes(64 * 1024, 2_000)));
    String close = "Connection: close";

    assertThat(
            raw("GET /live HTTP/1.1", "Host: localhost", close, "X: " + "x".repeat(40_000), "", ""))
        .startsWith("HTTP/1.1 200");
    for (String path : List.of("/v1/queue.produce", "/v1/locks.list", "/api/v1/push")) {
      String line = "POST " + path + " HTTP/1.1";
      assertThat(raw(line, "Host: localhost", "Content-Length: 2001", "", ""))
          .as(path)
          .contains("2000 bytes");
    }
  }

  @Test
  void a_larger_body_is_only_for_who_needs_a_token() throws Exception {
    server.close();
    server =
        HoldfastServer.start(
            Services.of(Holdfast.inMemory()),
            ServerOptions.DEFAULTS.port(0).limits(Limits.DEFAULTS.sizes(16 * 1024, 1_000_000)));

    assertThat(raw("GET /live HTTP/1.1", "Host: localhost", "Content-Length: 500000", "", ""))
        .startsWith("HTTP/1.1 413");
    assertThat(
            raw(
                "POST /v1/locks.list HTTP/1.1",
                "Host: localhost",
                "Content-Length: 1000001",
                "",
                ""))
        .contains("1000000 bytes");
  }

  @Test
  void a_head_that_is_no_HTTP_is_refused_in_the_words_of_its_wire() throws Exception {
    Map<String, String> wires =
        Map.of(
            "/v1/queues.list",
            "{\"code\":455,\"code_text\":\"Client Content Error\",\"message\":\"",
            "/v1/locks.list",
            "\"code\":\"InvalidArgument\"",
            "/api/v1/push",
            "\"code\":\"INVALID_ARGUMENT\"");
    for (Map.Entry<String, String> wire : wires.entrySet()) {
      String line = "POST " + wire.getKey() + " HTTP/1.1";
      assertThat(raw(line, "Host: localhost", "X: " + "x".repeat(17_000), "", ""))
          .contains(wire.getValue(), "the request cannot be read as HTTP")
          .containsIgnoringCase("X-Content-Type-Options: nosniff");
    }
    assertThat(raw("what is this", "", ""))
        .contains("\"code\":\"bad_request\"")
        .containsIgnoringCase("X-Content-Type-Options: nosniff");
  }

  @Test
  void it_does_not_leave_the_machine_without_tokens() {
    Holdfast holdfast = Holdfast.inMemory();
    assertThatThrownBy(
            () ->
                HoldfastServer.start(
                    Services.of(holdfast), ServerOptions.DEFAULTS.host("0.0.0.0").port(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--insecure");
    holdfast.close();
  }
}
