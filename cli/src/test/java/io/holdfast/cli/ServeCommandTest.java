package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.client.HoldfastClient;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast serve} as its users start and end it. */
@Timeout(120)
class ServeCommandTest {
  @TempDir Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  private Cli serve(String... arguments) {
    List<String> all = new ArrayList<>(List.of("serve", "--port", "0"));
    all.addAll(List.of(arguments));
    return Cli.start(directory, all.toArray(String[]::new));
  }

  /** Where it is, as it tells. */
  private static String address(Cli server) {
    String dashboard = server.line("  Dashboard");
    return dashboard.substring(0, dashboard.length() - 1);
  }

  private HttpResponse<String> get(String address) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(20)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_key_lets_it_encrypt_streams() throws IOException {
    Files.writeString(directory.resolve("key"), "0123456789abcdef".repeat(4) + "\n");
    try (Cli server = serve("--memory", "--stream-key", "key")) {
      server.line("Holdfast is ready.");
      try (HoldfastClient client = HoldfastClient.connect(address(server))) {
        Streams streams = client.streams();
        streams.configure(StreamConfig.of("secrets").with(StreamOption.ENCRYPTION_ENABLED, true));
        streams.push(List.of(NewMessage.to("secrets", "hush")));
        StoredMessage stored = streams.browser().messages(MessageQuery.of("secrets")).get(0);
        assertThat(stored.isEncrypted()).isTrue();
        assertThat(stored.message().payload().text()).isEqualTo("hush");
      }
    }
  }

  @Test
  void a_key_that_is_none_is_a_mistake_and_not_shown() throws IOException {
    Path file = Files.writeString(directory.resolve("key"), "0123secret");

    Cli.Done bad = Cli.here("serve", "--memory", "--stream-key", file.toString());
    assertThat(bad.code()).isEqualTo(2);
    assertThat(bad.err()).contains("--stream-key", "64").doesNotContain("0123secret");
    Cli.Done missing = Cli.here("serve", "--memory", "--stream-key", file + ".nowhere");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("cannot read").hasLineCount(1);
    String key = "0123456789abcdef".repeat(4);
    Cli.Done noFile = Cli.here("serve", "--memory", "--stream-key", key);
    assertThat(noFile.code()).isEqualTo(2);
    assertThat(noFile.err()).contains("give the file").doesNotContain(key);
  }

  @Test
  void it_serves_until_it_is_told_to_end_and_keeps_what_it_was_given() {
    try (Cli server = serve("--data", "data")) {
      server.line("Holdfast is ready.");
      try (HoldfastClient client = HoldfastClient.connect(address(server))) {
        client.queues().create(NewQueue.named("mails"));
        client.queues().queue("mails").produce(NewItem.text("kept"));
      }
      assertThat(server.signal("TERM").end().code()).isZero();
    }
    try (Cli again = serve("--data", "data")) {
      String address = address(again);
      try (HoldfastClient client = HoldfastClient.connect(address)) {
        LeaseRequest request = new LeaseRequest("me", 1, Duration.ofSeconds(20));
        assertThat(client.queues().queue("mails").lease(request).items().get(0).text())
            .isEqualTo("kept");
      }
      assertThat(get(address + "/").body()).contains("<title>");
      assertThat(get(address + "/ready").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void its_own_database_is_started_again_when_it_was_ended() throws IOException {
    try (Cli server = serve("--data", "data")) {
      server.line("Holdfast is ready.");
      String address = address(server);
      Path pid = directory.resolve("data/postgres/postmaster.pid");
      long postmaster = Long.parseLong(Files.readAllLines(pid).get(0));
      String port = Files.readAllLines(pid).get(3);

      new ProcessBuilder("kill", "-QUIT", Long.toString(postmaster)).start();

      Cli.await(
          "another one runs",
          () ->
              ProcessHandle.of(postmaster).isEmpty()
                  && get(address + "/ready").statusCode() == 200);
      assertThat(Files.readAllLines(pid).get(3)).isEqualTo(port);
    }
  }

  @Test
  void a_demonstration_moves_everything() {
    try (Cli server = serve("--memory", "--demo")) {
      String address = address(server);

      Cli.await("queues, streams, jobs and locks move", () -> isMoving(address));
    }
  }

  private boolean isMoving(String address) {
    String figures = get(address + "/metrics").body();
    return List.of(
            "holdfast_queue_operations_total\\{operation=\"completed\"[^\\n]* [1-9]",
            "holdfast_stream_messages_total\\{[^\\n]* [1-9]",
            "holdfast_job_finished_last_minute\\{[^\\n]* [1-9]",
            "holdfast_lock_live [1-9]")
        .stream()
        .allMatch(figure -> Pattern.compile(figure).matcher(figures).find());
  }

  @Test
  void without_its_database_it_says_what_it_waits_for() throws IOException {
    try (Cli server = serve("--db", "postgres://user:geheim@127.0.0.1:1/db")) {
      String problem = server.line("Holdfast waits: ");
      String address = address(server);

      assertThat(problem).isNotEmpty().doesNotContain("geheim");
      assertThat(get(address + "/live").statusCode()).isEqualTo(200);
      assertThat(get(address + "/ready").statusCode()).isEqualTo(503);
      JsonNode refused = new ObjectMapper().readTree(lock(address));
      assertThat(refused.at("/details/code").asText()).isNotEmpty().isNotEqualTo("Internal");
      Cli.Done done = server.signal("TERM").end();
      assertThat(done.code()).isZero();
      assertThat(done.out() + done.err()).doesNotContain("geheim");
    }
  }

  private String lock(String address) {
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(address + "/v1/locks.isLocked"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"k\"}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isIn(503, 504);
      return answer.body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_second_signal_ends_it_although_a_client_does_not_let_go() throws IOException {
    try (Cli server = serve("--memory", "--shutdown-timeout", "50")) {
      URI address = URI.create(address(server));
      try (Socket client = new Socket(address.getHost(), address.getPort())) {
        String half =
            "POST /v1/queue.produce HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{";
        client.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
        client.getOutputStream().flush();
        Cli.await("the call is there", () -> figure(address, "holdfast_http_calls") == 2);

        server.signal("TERM");
        long sentNanos = System.nanoTime();
        Cli.await("it takes no new calls", () -> !isServing(address));
        Cli.await("it is not the same moment", () -> System.nanoTime() - sentNanos > 500_000_000L);
        server.signal("TERM");

        assertThat(server.end().code()).isNotZero();
      }
    }
  }

  /** The value of a figure; the call that asks is among those that are served. */
  private double figure(URI address, String name) {
    return get(address + "/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElse(-1);
  }

  private boolean isServing(URI address) {
    try {
      return get(address + "/metrics").statusCode() == 200;
    } catch (UncheckedIOException refused) {
      return false;
    }
  }

  @Test
  void a_limit_may_stand_in_the_environment() {
    Map<String, String> limits = Map.of("HOLDFAST_LIMIT", "connections=500, idle=soon");
    try (Cli server = Cli.start(directory, limits, "serve", "--memory", "--port", "0")) {
      Cli.Done done = server.end();

      assertThat(done.code()).isEqualTo(2);
      assertThat(done.err()).contains("--limit: 'soon'").hasLineCount(1);
    }
  }

  @Test
  void a_server_with_few_connections_refuses_more() throws IOException {
    try (Cli server = serve("--memory", "--limit", "connections=1,idle=30s")) {
      URI address = URI.create(address(server));
      try (Socket first = new Socket(address.getHost(), address.getPort())) {
        assertThat(first.isConnected()).isTrue();
        Cli.await("it is full", () -> !isServing(address));
      }
    }
  }

  @Test
  void a_database_that_is_no_address_is_a_mistake_in_usage() {
    Cli.Done done = Cli.run("serve", "--port", "0", "--db", "nonsense");

    assertThat(done.code()).isEqualTo(2);
    assertThat(done.err()).contains("--db: ").hasLineCount(1);
  }

  @Test
  void without_tokens_it_stays_on_this_machine() {
    Cli.Done done = Cli.run("serve", "--memory", "--port", "0", "--host", "0.0.0.0");

    assertThat(done.code()).isEqualTo(2);
    assertThat(done.err()).contains("--tokens", "--insecure").hasLineCount(1);
  }
}
