package io.holdfast.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.NewQueue;
import io.holdfast.queue.QueueOptions;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import io.holdfast.server.queue.QueueServer.Heard;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what with queues. */
class QueueAccessTest {
  private QueueServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    Path tokens = directory.resolve("tokens");
    Files.write(
        tokens,
        List.of(
            Tokens.line("reader", Set.of(Role.READ), List.of(), "r"),
            Tokens.line("producer", Set.of(Role.PRODUCE), List.of(), "p"),
            Tokens.line("worker", Set.of(Role.WORK), List.of(), "w"),
            Tokens.line("ours", Set.of(Role.ADMIN), List.of("our."), "o"),
            Tokens.line("admin", Set.of(Role.ADMIN), List.of(), "a")));
    server = new QueueServer(ServerOptions.DEFAULTS.tokens(tokens), QueueOptions.DEFAULTS);
    for (String name : new String[] {"a", "our.mail", "our.orders", "z"}) {
      server.holdfast.queues().create(NewQueue.named(name));
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Heard as(String token, String path, String body) throws Exception {
    return server.post(
        path, body.getBytes(StandardCharsets.UTF_8), "Authorization", "Bearer " + token);
  }

  @Test
  void without_a_token_nothing_is_told() throws Exception {
    Heard heard = server.post("queues.list", "{}");

    assertThat(heard.status()).isEqualTo(401);
    assertThat(heard.text())
        .isEqualTo(
            "{\"code\":401,\"code_text\":\"Unauthorized\",\"message\":\"a token is needed\"}");
    assertThat(as("guessed", "queues.list", "{}").status()).isEqualTo(401);
    assertThat(
            server
                .post(
                    "queues.list",
                    "{}".getBytes(StandardCharsets.UTF_8),
                    "Authorization",
                    "Basic x")
                .status())
        .isEqualTo(401);
  }

  @Test
  void each_role_has_its_calls() throws Exception {
    String a = "{\"queue_name\":\"a\"}";
    assertThat(as("r", "queue.stats", a).status()).isEqualTo(200);
    assertThat(as("r", "queues.info", a).status()).isEqualTo(200);
    assertThat(as("r", "storage/items.list", a).status()).isEqualTo(200);
    assertThat(as("r", "queue.produce", a).text())
        .isEqualTo(
            "{\"code\":403,\"code_text\":\"Forbidden\",\"message\":\"the token lacks the role"
                + " produce\"}");
    assertThat(as("p", "queue.produce", a).status()).isEqualTo(400);
    assertThat(as("p", "queue.lease", a).status()).isEqualTo(403);
    assertThat(as("w", "queue.lease", a).status()).isEqualTo(400);
    assertThat(as("w", "queue.extend", a).status()).isEqualTo(400);
    assertThat(as("w", "queue.clear", a).status()).isEqualTo(403);
    assertThat(as("w", "queues.delete", a).status()).isEqualTo(403);
    assertThat(as("w", "storage/items.import", a).status()).isEqualTo(403);
    assertThat(as("a", "queues.delete", a).status()).isEqualTo(200);
  }

  @Test
  void a_token_for_some_names_sees_only_those() throws Exception {
    assertThat(as("o", "queue.stats", "{\"queue_name\":\"a\"}").status()).isEqualTo(403);
    assertThat(as("o", "queue.stats", "{\"queue_name\":\"our.mail\"}").status()).isEqualTo(200);
    assertThat(as("o", "queues.list", "{\"limit\":1}").text())
        .contains("our.mail")
        .doesNotContain("our.orders");
    assertThat(as("o", "queues.list", "{}").text())
        .contains("our.mail", "our.orders")
        .doesNotContain("\"a\"")
        .doesNotContain("\"z\"");
    assertThat(
            as("o", "queues.update", "{\"queue_name\":\"our.mail\",\"dead_queue\":\"z\"}").status())
        .isEqualTo(403);
    assertThat(
            as(
                    "o",
                    "storage/items.import",
                    "{\"queue_name\":\"our.mail\",\"items\":[{\"source_queue\":\"z\"}]}")
                .status())
        .isEqualTo(403);
  }
}
