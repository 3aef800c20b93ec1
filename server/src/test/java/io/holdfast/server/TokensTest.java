package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trying to get in. */
class TokensTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path directory;
  private Path file;
  private HoldfastServer server;

  @BeforeEach
  void start() throws IOException {
    file = directory.resolve("tokens");
    write(
        Tokens.line("boss", Set.of(Role.ADMIN), List.of(), "boss-token"),
        Tokens.line("chief", Set.of(Role.ADMIN), List.of("shop."), "chief-token"),
        Tokens.line("shop", Set.of(Role.PRODUCE, Role.WORK), List.of("shop."), "shop-token"),
        Tokens.line("eye", Set.of(Role.READ), List.of(), "eye-token"));
    server =
        HoldfastServer.start(
            Services.of(Holdfast.inMemory()), ServerOptions.DEFAULTS.port(0).tokens(file));
    for (String name : List.of("shop.mail", "other", "shop")) {
      assertThat(post("queues.create", "boss-token", queue(name))).isEqualTo(200);
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void write(String... lines) throws IOException {
    Files.write(file, List.of(lines));
  }

  private static String queue(String name) {
    return """
        {"queue_name":"%s","lease_timeout":"1m","expire_timeout":"1h","requested_partitions":1}"""
        .formatted(name);
  }

  private static String produce(String name) {
    return """
        {"queue_name":"%s","request_timeout":"1s","items":[{"utf8":"x"}]}"""
        .formatted(name);
  }

  private HttpResponse<String> send(String method, String path, String token, String body)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", token.contains(" ") ? token : "Bearer " + token);
    }
    try {
      return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private int post(String verb, String token, String body) throws IOException {
    return send("POST", "/v1/" + verb, token, body).statusCode();
  }

  @Test
  void nobody_gets_in_without_a_token_that_was_given() throws IOException {
    for (String token :
        List.of("", "wrong", "boss-toke", "boss-token2", "Basic Ym9zczp4", "\u00e9")) {
      assertThat(post("queue.produce", token, produce("shop.mail"))).as(token).isEqualTo(401);
      assertThat(send("GET", "/metrics", token, "").statusCode()).as(token).isEqualTo(401);
      assertThat(send("GET", "/openapi.json", token, "").statusCode()).as(token).isEqualTo(401);
    }
    assertThat(send("GET", "/metrics", "", "").headers().firstValue("WWW-Authenticate"))
        .contains("Bearer");
    assertThat(send("GET", "/live", "", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/live", "Basic Ym9zczp4", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/ready", "", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/health", "", "").statusCode()).isEqualTo(200);
  }

  @Test
  void a_foreign_page_does_not_get_in_with_a_token_either() throws Exception {
    for (String path : List.of("/api/v1/pop/queue/shop.mail", "/metrics")) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(server.address() + path))
              .header("Authorization", "Bearer boss-token");

      assertThat(status(request.copy())).as(path).isLessThan(300);
      assertThat(status(request.header("Sec-Fetch-Site", "cross-site"))).as(path).isEqualTo(403);
    }
  }

  private static int status(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  @Test
  void locks_are_listed_behind_any_number_of_others() throws IOException {
    for (int i = 0; i < 130; i++) {
      lock("a%03d".formatted(i));
    }
    lock("shop.1");
    lock("shop.2");

    assertThat(send("POST", "/v1/locks.list", "chief-token", "{\"raw\":true}").body())
        .contains("\"shop.1\"", "\"shop.2\"")
        .doesNotContain("\"a129\"");
    assertThat(send("POST", "/v1/locks.list", "chief-token", "{\"raw\":true,\"limit\":1}").body())
        .contains("\"shop.1\"")
        .doesNotContain("\"shop.2\"");
  }

  private void lock(String key) throws IOException {
    String body = "{\"key\":\"%s\",\"ttlMs\":60000}".formatted(key);
    assertThat(post("locks.acquire", "boss-token", body)).isEqualTo(200);
  }

  @Test
  void what_names_everything_is_not_for_a_token_with_prefixes() throws IOException {
    assertThat(send("GET", "/metrics", "chief-token", "").statusCode()).isEqualTo(403);
    assertThat(send("GET", "/metrics", "boss-token", "").statusCode()).isEqualTo(200);
  }

  @Test
  void a_redrive_needs_the_queues_that_items_came_from() throws IOException {
    String redrive = "{\"queue_name\":\"shop.mail\",\"limit\":10}";
    String other = "{\"queue_name\":\"other\",\"dead_queue\":\"shop.mail\"}";
    assertThat(post("queues.update", "boss-token", other)).isEqualTo(200);
    assertThat(post("queue.produce", "boss-token", produce("other"))).isEqualTo(200);
    String leased =
        send(
                "POST",
                "/v1/queue.lease",
                "boss-token",
                """
                {"queue_name":"other","client_id":"c","batch_size":1,"request_timeout":"5s"}""")
            .body();
    String id = leased.replaceAll("(?s).*\"id\":\\s*\"([^\"]+)\".*", "$1");
    String bury = "{\"queue_name\":\"other\",\"items\":[{\"id\":\"%s\",\"dead\":true}]}";
    assertThat(post("queue.retry", "boss-token", bury.formatted(id))).isEqualTo(200);

    assertThat(post("queue.redrive", "chief-token", redrive)).isEqualTo(403);
    assertThat(post("queue.redrive", "boss-token", redrive)).isEqualTo(200);
    assertThat(post("queue.redrive", "chief-token", redrive)).isEqualTo(200);
  }

  @Test
  void a_role_is_good_for_its_own_calls() throws IOException {
    assertThat(post("queue.produce", "shop-token", produce("shop.mail"))).isEqualTo(200);
    assertThat(post("queue.produce", "eye-token", produce("shop.mail"))).isEqualTo(403);
    assertThat(post("queues.create", "shop-token", queue("shop.new"))).isEqualTo(403);
    assertThat(post("queues.delete", "eye-token", "{\"queue_name\":\"other\"}")).isEqualTo(403);
    assertThat(post("queues.list", "eye-token", "{}")).isEqualTo(200);
    assertThat(send("GET", "/metrics", "eye-token", "").statusCode()).isEqualTo(200);
    assertThat(send("GET", "/metrics", "shop-token", "").statusCode()).isEqualTo(403);
  }

  @Test
  void a_prefix_is_no_suggestion() throws IOException {
    for (String name : List.of("other", "shop", "SHOP.mail", "xshop.mail", " shop.mail")) {
      assertThat(post("queue.produce", "shop-token", produce(name))).as(name).isEqualTo(403);
      assertThat(
              post(
                  "queue.lease",
                  "shop-token",
                  """
                  {"queue_name":"%s","client_id":"c","batch_size":1,"request_timeout":"1s"}"""
                      .formatted(name)))
          .as(name)
          .isEqualTo(403);
    }
  }

  @Test
  void refusals_are_counted_and_tell_nothing_of_the_token() throws IOException {
    HttpResponse<String> refused = send("POST", "/v1/queue.produce", "s3cret", produce("other"));

    assertThat(refused.body()).doesNotContain("s3cret").contains("401");
    assertThat(send("GET", "/metrics", "boss-token", "").body())
        .contains("holdfast_refused_total{reason=\"unauthenticated\"}")
        .doesNotContain("s3cret");
  }

  @Test
  void an_empty_prefix_does_not_stand_for_every_name() {
    String line = Tokens.line("shop", Set.of(Role.WORK), List.of(), "s3cret");
    for (String prefixes : List.of(",", ",shop.", "shop.,", "shop.,,mail.")) {
      assertThatThrownBy(() -> Tokens.parse(List.of(line + " " + prefixes)))
          .as(prefixes)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line 1 of the token file has an empty prefix");
    }
  }

  @Test
  void a_line_that_makes_no_sense_is_named_but_not_quoted() {
    for (String line :
        List.of("boss admin", "boss king " + "a".repeat(64), "boss admin s3cret-token")) {
      assertThatThrownBy(() -> Tokens.parse(List.of("# tokens", "", line)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line 3")
          .hasMessageNotContaining("s3cret");
    }
  }
}
