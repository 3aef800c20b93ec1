package io.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.Holdfast;
import io.holdfast.postgres.PostgresHoldfast;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every route, asked for nonsense: what comes back is a refusal or an answer, never a failure of
 * the server and never nothing. What is asked follows from a seed.
 */
@Timeout(120)
class BadRequestsTest {
  private static final int ROUNDS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Random random = new Random(7);
  private final Nonsense nonsense = new Nonsense(random);

  @Test
  void a_server_on_memory_refuses_them_all() throws Exception {
    torment(Services.of(Holdfast.inMemory()));
  }

  @Test
  void a_server_on_postgres_refuses_them_all() throws Exception {
    // A database of its own: what is stored here is no use to other tests.
    PostgresHoldfast on = PostgresHoldfast.open(TestServer.freshDatabase());
    torment(new Services(on.locks(), on.queues(), on.streams(), on.jobs(), on));
  }

  private void torment(Services services) throws Exception {
    try (HoldfastServer server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0))) {
      JsonNode description = JSON.readTree(get(server, "/openapi.json").body());
      List<String> failures = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        for (Route asked : routes(description)) {
          failures.addAll(ask(server, asked));
        }
      }
      assertThat(failures).isEmpty();
      assertThat(get(server, "/ready").statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics").statusCode()).isEqualTo(200);
    }
  }

  /** A route and what is to be sent there; null if that is not described. */
  private record Route(String method, String path, JsonNode body) {}

  private static List<Route> routes(JsonNode description) {
    List<Route> routes = new ArrayList<>();
    description
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        call ->
                            routes.add(
                                new Route(
                                    call.getKey().toUpperCase(java.util.Locale.ROOT),
                                    path.getKey(),
                                    resolved(description, call.getValue())))));
    routes.removeIf(route -> route.path().equals("/events")); // it does not end
    return routes;
  }

  private static JsonNode resolved(JsonNode description, JsonNode call) {
    JsonNode schema = call.at("/requestBody/content/application~1json/schema");
    return Nonsense.resolved(description, schema);
  }

  private HttpResponse<String> get(HoldfastServer server, String path)
      throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(server.address() + path)).GET());
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
  }

  private List<String> ask(HoldfastServer server, Route route) throws InterruptedException {
    String path = route.path();
    while (path.contains("{")) {
      path = path.replaceFirst("\\{[^}]*}", nonsense.segment());
    }
    String query = route.method().equals("POST") ? "" : nonsense.query();
    byte[] body = nonsense.body(route.body());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + path + query))
            .method(
                route.method(),
                route.method().equals("GET")
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body))
            .header("Content-Type", "application/json");
    String what = route.method() + " " + path + query + " " + new String(body, UTF_8);
    try {
      HttpResponse<String> answer = send(request);
      return isFine(route, answer)
          ? List.of()
          : List.of(what + " -> " + answer.statusCode() + " " + answer.body());
    } catch (IOException e) {
      return List.of(what + " -> " + e);
    }
  }

  /** An unknown message has the status that the wire of streams gives it. */
  private static boolean isFine(Route route, HttpResponse<String> answer) {
    int status = answer.statusCode();
    boolean isKnown = status == 501 || status == 500 && route.path().equals("/api/v1/traces");
    return (status < 500 || isKnown) && !answer.body().contains("Exception");
  }
}
