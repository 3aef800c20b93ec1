package io.holdfast.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DashboardHttpTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path folder;
  private HoldfastServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  private void start(ServerOptions options) throws IOException {
    Services services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, options.port(0));
    new Shop(services).open();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private String asset(String name) throws Exception {
    Matcher found = Pattern.compile("/assets/[0-9a-f]+/").matcher(get("/").body());
    assertThat(found.find()).isTrue();
    return found.group() + name;
  }

  @Test
  void the_page_lets_no_foreign_script_in() throws Exception {
    start(ServerOptions.DEFAULTS);

    HttpResponse<String> page = get("/");

    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
    assertThat(page.headers().firstValue("Referrer-Policy")).contains("no-referrer");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(page.body()).doesNotContain("<style").doesNotContain(" style=");
  }

  @Test
  void files_are_kept_for_ever_and_small() throws Exception {
    start(ServerOptions.DEFAULTS);

    HttpResponse<String> script = get(asset("app.js"));
    HttpResponse<String> chart = get(asset("chart.js"), "Accept-Encoding", "gzip");

    assertThat(script.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
    assertThat(script.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/javascript");
    assertThat(chart.headers().firstValue("Content-Encoding")).contains("gzip");
    String tag = script.headers().firstValue("ETag").orElseThrow();
    assertThat(get(asset("app.js"), "If-None-Match", tag).statusCode()).isEqualTo(304);
    assertThat(get(asset("nothing.js")).statusCode()).isEqualTo(404);
    assertThat(get("/assets/old/app.js").headers().firstValue("Cache-Control"))
        .contains("no-cache");
  }

  @Test
  void figures_come_as_events() throws Exception {
    start(ServerOptions.DEFAULTS);

    HttpResponse<InputStream> events =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(server.address() + "/events")).build(),
            HttpResponse.BodyHandlers.ofInputStream());

    assertThat(events.headers().firstValue("Content-Type")).contains("text/event-stream");
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("event: history");
      assertThat(lines.readLine()).startsWith("data: {");
      String line = lines.readLine();
      while (!line.startsWith("data: ")) {
        line = lines.readLine();
      }
      assertThat(line).contains("\"mails\"").contains("\"orders\"").contains("\"reports\"");
    }
  }

  @Test
  void the_page_is_for_everybody_and_what_it_shows_is_not() throws Exception {
    Path file = folder.resolve("tokens");
    Files.write(file, List.of(Tokens.line("worker", Set.of(Role.WORK), List.of(), "work-token")));
    start(ServerOptions.DEFAULTS.tokens(file));

    assertThat(get("/").statusCode()).isEqualTo(200);
    assertThat(get(asset("app.js")).statusCode()).isEqualTo(200);
    for (String path : List.of("/events", "/dashboard/session", "/dashboard/doctor", "/metrics")) {
      assertThat(get(path).statusCode()).isEqualTo(401);
      assertThat(get(path, "Authorization", "Bearer work-token").statusCode()).isEqualTo(403);
    }
  }

  @Test
  void a_server_ends_although_somebody_looks() throws Exception {
    start(ServerOptions.DEFAULTS);
    HttpResponse<InputStream> events =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(server.address() + "/events")).build(),
            HttpResponse.BodyHandlers.ofInputStream());

    long begun = System.nanoTime();
    server.close();

    assertThat(System.nanoTime() - begun).isLessThan(10_000_000_000L);
    events.body().close();
  }

  @Test
  void every_documented_figure_is_there() throws Exception {
    start(ServerOptions.DEFAULTS);
    get("/metrics", "Authorization", "Basic of-no-use");
    String guide = Files.readString(Path.of("../docs/guides/metrics.md"));
    String here = guide.replaceFirst("(?s)## On PostgreSQL.*?## What", "## What");
    Matcher names = Pattern.compile("`(holdfast_[a-z_]+)[`{]").matcher(here);

    String figures = get("/metrics").body();

    int documented = 0;
    while (names.find()) {
      documented++;
      assertThat(figures).contains("\n" + names.group(1));
    }
    assertThat(documented).isGreaterThan(25);
  }

  @Test
  void the_board_asks_only_for_figures_that_are_documented() throws Exception {
    start(ServerOptions.DEFAULTS);
    String guide = Files.readString(Path.of("../docs/guides/metrics.md"));
    Matcher names =
        Pattern.compile("holdfast_[a-z_]+")
            .matcher(Files.readString(Path.of("../docs/grafana.json")));

    int asked = 0;
    while (names.find()) {
      asked++;
      assertThat(guide).contains("`" + names.group());
    }
    assertThat(asked).isGreaterThan(20);
  }
}
