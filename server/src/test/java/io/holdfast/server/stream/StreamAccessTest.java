package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.StreamJson;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Trace;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may do what with streams: every route, by role and by name. */
class StreamAccessTest extends StreamWire {
  private static final String ROLES =
      """
      DELETE /api/v1/consumer-groups/{group} admin
      DELETE /api/v1/consumer-groups/{group}/queues/{queue} admin
      DELETE /api/v1/dlq admin
      DELETE /api/v1/messages/{partitionId}/{transactionId} admin
      DELETE /api/v1/queues/{queue}/clear admin
      DELETE /api/v1/resources/queues/{queue} admin
      GET /api/v1/consumer-groups read
      GET /api/v1/consumer-groups/lagging read
      GET /api/v1/consumer-groups/{group} read
      GET /api/v1/dlq read
      GET /api/v1/explain read
      GET /api/v1/leases read
      GET /api/v1/messages read
      GET /api/v1/messages/by-trace/{traceId} read
      GET /api/v1/messages/{partitionId}/{transactionId} read
      GET /api/v1/partitions/stuck read
      GET /api/v1/partitions/utilization read
      GET /api/v1/pop work
      GET /api/v1/pop/queue/{queue} work
      GET /api/v1/pop/queue/{queue}/partition/{partition} work
      GET /api/v1/resources/namespaces read
      GET /api/v1/resources/overview read
      GET /api/v1/resources/queues read
      GET /api/v1/resources/queues/{queue} read
      GET /api/v1/resources/queues/{queue}/depth read
      GET /api/v1/resources/tasks read
      GET /api/v1/status/buffers read
      GET /api/v1/status/queues read
      GET /api/v1/status/queues/{queue} read
      GET /api/v1/status/queues/{queue}/messages read
      GET /api/v1/system/maintenance read
      GET /api/v1/system/maintenance/pop read
      GET /api/v1/traces/by-name/{name} read
      GET /api/v1/traces/names read
      GET /api/v1/traces/{partitionId}/{transactionId} read
      POST /api/v1/ack work
      POST /api/v1/ack-pop work
      POST /api/v1/ack/batch work
      POST /api/v1/configure produce
      POST /api/v1/consumer-groups/{group}/queues/{queue}/partitions/{partition}/seek work
      POST /api/v1/consumer-groups/{group}/queues/{queue}/seek work
      POST /api/v1/consumer-groups/{group}/subscription work
      POST /api/v1/dlq/redrive admin
      POST /api/v1/lease/{leaseId}/extend work
      POST /api/v1/lease/{leaseId}/release work
      POST /api/v1/messages/{partitionId}/{transactionId}/dlq admin
      POST /api/v1/messages/{partitionId}/{transactionId}/retry admin
      POST /api/v1/push produce
      POST /api/v1/queues/{queue}/clear admin
      POST /api/v1/queues/{queue}/partitions/{partition}/park admin
      POST /api/v1/queues/{queue}/partitions/{partition}/unpark admin
      POST /api/v1/queues/{queue}/pause admin
      POST /api/v1/stats/refresh admin
      POST /api/v1/system/maintenance admin
      POST /api/v1/system/maintenance/pop admin
      POST /api/v1/traces work
      POST /api/v1/transaction produce and work
      POST /v1/streams.byTrace read
      POST /v1/streams.countDeadLetters read
      POST /v1/streams.countDeadLettersByPartition read
      POST /v1/streams.cursors read
      POST /v1/streams.deadLetter read
      POST /v1/streams.deadLetters read
      POST /v1/streams.deleteGroup admin
      POST /v1/streams.deleteMessage admin
      POST /v1/streams.depth read
      POST /v1/streams.depths read
      POST /v1/streams.dropped read
      POST /v1/streams.explain read
      POST /v1/streams.figures read
      POST /v1/streams.find read
      POST /v1/streams.findMessages read
      POST /v1/streams.groups read
      POST /v1/streams.held read
      POST /v1/streams.leases read
      POST /v1/streams.leave work
      POST /v1/streams.list read
      POST /v1/streams.message read
      POST /v1/streams.messages read
      POST /v1/streams.park admin
      POST /v1/streams.partition read
      POST /v1/streams.partitionNames read
      POST /v1/streams.partitions read
      POST /v1/streams.pausePop admin
      POST /v1/streams.pausePush admin
      POST /v1/streams.pausedAll read
      POST /v1/streams.ping read
      POST /v1/streams.purgeDeadLetters admin
      POST /v1/streams.record work
      POST /v1/streams.redrive admin
      POST /v1/streams.revoke admin
      POST /v1/streams.seek work
      POST /v1/streams.startGroupAt work
      POST /v1/streams.stuck read
      POST /v1/streams.tally read
      POST /v1/streams.traceNames read
      POST /v1/streams.traces read
      POST /v1/streams.tracesNamed read
      POST /v1/streams.unpark admin
      POST /v1/streams.utilization read
      """;

  /** What answers a token for other names, with what is its own: nothing, here. */
  private static final String ANSWERED =
      """
      DELETE /api/v1/consumer-groups/{group}
      GET /api/v1/consumer-groups
      GET /api/v1/consumer-groups/lagging
      GET /api/v1/consumer-groups/{group}
      GET /api/v1/messages/by-trace/{traceId}
      GET /api/v1/pop
      GET /api/v1/resources/namespaces
      GET /api/v1/resources/overview
      GET /api/v1/resources/queues
      GET /api/v1/resources/tasks
      GET /api/v1/status/buffers
      GET /api/v1/status/queues
      GET /api/v1/system/maintenance
      GET /api/v1/system/maintenance/pop
      GET /api/v1/traces/by-name/{name}
      POST /api/v1/stats/refresh
      POST /v1/streams.byTrace
      POST /v1/streams.depths
      POST /v1/streams.dropped
      POST /v1/streams.figures
      POST /v1/streams.groups
      POST /v1/streams.leases
      POST /v1/streams.leave
      POST /v1/streams.list
      POST /v1/streams.pausedAll
      POST /v1/streams.ping
      POST /v1/streams.stuck
      POST /v1/streams.utilization
      """;

  private static final UUID TRACE = UUID.randomUUID();

  private String token = "admin";
  private UUID partition;
  private UUID lease;
  private UUID letter;

  @Override
  protected ServerOptions options() {
    try {
      Path file = Files.createTempFile("tokens", ".txt");
      Files.write(
          file,
          List.of(
              Tokens.line("r", Set.of(Role.READ), List.of(), "read"),
              Tokens.line("p", Set.of(Role.PRODUCE), List.of(), "produce"),
              Tokens.line("w", Set.of(Role.WORK), List.of(), "work"),
              Tokens.line("pw", Set.of(Role.PRODUCE, Role.WORK), List.of(), "produce and work"),
              Tokens.line("a", Set.of(Role.ADMIN), List.of(), "admin"),
              Tokens.line("o", Set.of(Role.ADMIN), List.of("our."), "ours")));
      return super.options().tokens(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected String token() {
    return token;
  }

  @BeforeEach
  void fill() {
    streams.configure(StreamConfig.of("their"));
    for (String text : List.of("1", "2", "3")) {
      streams.push(List.of(NewMessage.to("their", text).in("p").once("t" + text).traced(TRACE)));
    }
    Popped first = streams.pop(PopRequest.of("their").group("g"));
    streams.ack(first.ackAll(Verdict.DEAD_LETTER));
    Batch held = streams.pop(PopRequest.of("their").group("g")).batches().get(0);
    partition = held.partitionId();
    lease = held.lease().id();
    letter = streams.deadLetters().list(DeadLetterQuery.of("their")).get(0).id();
    streams.browser().record(partition, "t2", note());
  }

  private static Trace.Note note() {
    return new Trace.Note("g", "seen", Payload.of("1"), List.of("secret"));
  }

  /** Method and path of every route of streams, as the server describes itself. */
  private Set<String> routes() {
    token = "admin";
    JsonNode paths = get("/openapi.json").json().path("paths");
    Set<String> routes = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : paths.properties()) {
      for (Map.Entry<String, JsonNode> call : path.getValue().properties()) {
        if (call.getValue().path("tags").path(0).asText().equals("streams")) {
          routes.add(call.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
        }
      }
    }
    return routes;
  }

  private Answer ask(String route, String body) {
    String[] both = route.split(" ");
    String path =
        both[1]
            .replace("{queue}", "their")
            .replace("{partition}", "p")
            .replace("{group}", "g")
            .replace("{partitionId}", partition.toString())
            .replace("{transactionId}", "t2")
            .replace("{leaseId}", lease.toString())
            .replace("{traceId}", TRACE.toString())
            .replace("{name}", "secret");
    boolean isBare = body == null || !both[0].equals("POST");
    return send(both[0], path, isBare ? null : body);
  }

  @Test
  void every_route_wants_a_token() {
    for (String route : routes()) {
      token = null;
      assertThat(ask(route, "{}").status()).as(route).isEqualTo(401);
      token = "guessed";
      assertThat(ask(route, "{}").status()).as(route).isEqualTo(401);
    }
  }

  @Test
  void a_list_shows_what_is_ours_behind_any_number_of_others() {
    for (int i = 0; i < 130; i++) {
      streams.configure(StreamConfig.of("a%03d".formatted(i)));
    }
    for (String queue : List.of("our.1", "our.2", "our.3")) {
      streams.configure(StreamConfig.of(queue));
    }
    token = "ours";

    assertThat(names("{'limit':100}")).containsExactly("our.1", "our.2", "our.3");
    assertThat(names("{'limit':2}")).containsExactly("our.1", "our.2");
    assertThat(names("{'limit':2,'after':'our.2'}")).containsExactly("our.3");
  }

  private List<String> names(String asked) {
    return post("/v1/streams.list", asked).json().path("value").findValuesAsText("name");
  }

  private boolean may(String role, String route) {
    token = role;
    return ask(route, "{}").status() != 403;
  }

  @Test
  void every_route_is_for_its_role() {
    StringBuilder found = new StringBuilder();
    for (String route : routes()) {
      String least =
          Stream.of("read", "produce", "work", "produce and work")
              .filter(role -> may(role, route))
              .findFirst()
              .orElse("admin");
      found.append(route).append(' ').append(least).append('\n');
    }

    assertThat(found.toString()).isEqualTo(ROLES);
  }

  /** Everything that any route could want, about a queue that is not ours. */
  private String about(String route) {
    Map<String, Object> body = new HashMap<>();
    Map<String, Object> ack =
        Map.of("transactionId", "t2", "partitionId", partition, "leaseId", lease);
    body.putAll(ack);
    body.put("queue", "their");
    body.put("partition", "p");
    body.put("group", "g");
    body.put("consumerGroup", "g");
    body.put("items", List.of(Map.of("queue", "their", "partition", "p", "payload", 1)));
    body.put("acknowledgments", List.of(ack));
    body.put("operations", List.of(with(ack, "type", "ack")));
    body.put("ack", Map.of("consumerGroup", "g", "acknowledgments", List.of(ack)));
    body.put("pop", route.endsWith("pause") ? true : Map.of("queue", "their"));
    body.put("push", "reject");
    body.put("enabled", true);
    body.put("toEnd", true);
    body.put("subscriptionTimestamp", "2030-01-01T00:00:00Z");
    body.put("at", "2030-01-01T00:00:00Z");
    body.put("data", 1);
    body.put("name", route.endsWith("pausePush") ? "reject" : "secret");
    body.put("reason", "why");
    body.put("id", route.endsWith("byTrace") ? TRACE : letter);
    body.put("ids", List.of(letter));
    body.put("limit", 10);
    body.put("flag", true);
    body.put("position", Position.END);
    body.put("cursor", new CursorKey("their", "p", "g"));
    body.put("messages", MessageQuery.of("their"));
    body.put("letters", DeadLetterQuery.of("their"));
    body.put("redrive", Redrive.BACK);
    body.put("note", note());
    return new String(StreamJson.write(body), StandardCharsets.UTF_8);
  }

  private static Map<String, Object> with(Map<String, Object> all, String name, Object value) {
    Map<String, Object> more = new HashMap<>(all);
    more.put(name, value);
    return more;
  }

  private String state() {
    return List.of(
            streams.admin().list(null, 10),
            streams.admin().pausedAll(),
            streams.admin().groups(null),
            streams.admin().cursors("their", null, null, 10),
            streams.browser().leases(null),
            streams.browser().messages(MessageQuery.of("their")),
            streams.browser().traces(partition, "t2"),
            streams.deadLetters().list(DeadLetterQuery.of(null)))
        .toString();
  }

  @Test
  void a_token_for_other_names_learns_nothing_and_changes_nothing() {
    String before = state();
    StringBuilder answered = new StringBuilder();
    for (String route : routes()) {
      token = "ours";
      String query = route.startsWith("POST") ? "" : "?queue=their&consumerGroup=g&partition=p";
      Answer named = ask(route + query, about(route));
      Answer bare = ask(route, "{}");

      if (named.status() != 403 && named.status() != 501) {
        answered.append(route).append('\n');
      }
      assertThat(named.body() + bare.body())
          .as(route)
          .doesNotContain("their")
          .doesNotContain(partition.toString())
          .doesNotContain(letter.toString());
    }

    assertThat(answered.toString()).isEqualTo(ANSWERED);
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void a_token_for_other_names_does_not_count_what_is_held_for_them() {
    streams.configure(StreamConfig.of("our.mail"));
    streams.admin().holdPush(null);
    for (String queue : List.of("their", "their", "our.mail")) {
      streams.push(List.of(NewMessage.to(queue, "1")));
    }

    token = "ours";
    assertThat(get("/api/v1/status/buffers").json().path("pending").asInt()).isEqualTo(1);
    assertThat(get("/api/v1/system/maintenance").json().path("bufferedMessages").asInt())
        .isEqualTo(1);
    token = "read";
    assertThat(get("/api/v1/status/buffers").json().path("pending").asInt()).isEqualTo(3);
  }
}
