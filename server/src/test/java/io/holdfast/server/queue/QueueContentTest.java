package io.holdfast.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.queue.QueueServer.Heard;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which form requests and replies have, and what is not taken. */
class QueueContentTest {
  private static final byte[] STATS =
      "{\"queue_name\":\"orders\"}".getBytes(StandardCharsets.UTF_8);

  private static QueueServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new QueueServer();
    server.create("orders");
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json,text/html",
        "*/*",
        "application/*",
        "application/*;q=0.8"
      })
  void json_has_many_names(String type) throws Exception {
    Heard heard = server.post("queue.stats", STATS, "Content-Type", type, "Accept", type);

    assertThat(heard.status()).as(heard.text()).isEqualTo(200);
    assertThat(heard.type()).isEqualTo("application/json");
  }

  @Test
  void json_is_what_nobody_asked_for() throws Exception {
    Heard heard = server.post("queue.stats", STATS);

    assertThat(heard.type()).isEqualTo("application/json");
    assertThat(heard.status()).isEqualTo(200);
  }

  @Test
  void a_question_in_protobuf_is_answered_in_json_unless_it_says_otherwise() throws Exception {
    byte[] stats = ProtoBytes.message().text(1, "orders").bytes();

    assertThat(server.post("queue.stats", stats, "Content-Type", "application/protobuf").type())
        .isEqualTo("application/json");
    assertThat(
            server
                .post(
                    "queue.stats",
                    stats,
                    "Content-Type",
                    "application/protobuf; x",
                    "Accept",
                    "APPLICATION/protobuf, application/json")
                .type())
        .isEqualTo("application/protobuf");
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-protobuf", "json", "text/html, */*"})
  void other_types_are_refused_in_json(String type) throws Exception {
    Heard content = server.post("queue.stats", STATS, "Content-Type", type);
    assertThat(content.status()).isEqualTo(455);
    assertThat(content.text())
        .isEqualTo(
            "{\"code\":455,\"code_text\":\"Client Content Error\",\"message\":"
                + "\"header 'Content-Type' names a type that is not known here\"}");
    Heard accept = server.post("queue.stats", STATS, "Accept", type);
    assertThat(accept.status()).isEqualTo(455);
    assertThat(accept.type()).isEqualTo("application/json");
    assertThat(accept.text()).contains("header 'Accept'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "queue.stats|{\"queue_name\":\"orders\",\"color\":1}|unknown field 'color'",
        "queue.stats|{\"queue_name\":\"orders\",\"queueName\":\"orders\"}|'queue_name' is there twice",
        "queue.stats|{\"queue_name\":7}|field 'queue_name' is not a text",
        "queue.stats|{\"queue_name\":\"orders\"|the body is not JSON",
        "queue.stats|{\"queue_name\":\"orders\"}{}|goes on after",
        "queue.stats|[]|not a JSON object",
        "queue.stats|null|not a JSON object",
        "queue.stats|``|not a JSON object",
        "queue.lease|{\"batch_size\":1.5}|field 'batch_size' is not a whole number",
        "queue.lease|{\"batch_size\":2147483648}|field 'batch_size' is not a number in range",
        "queue.lease|{\"batch_size\":1e999}|field 'batch_size' is not",
        "queue.lease|{\"batch_size\":\"many\"}|field 'batch_size' is not a whole number",
        "queue.lease|{\"batch_size\":true}|field 'batch_size' is not a number",
        "queue.clear|{\"queue\":\"true\"}|field 'queue' is not true or false",
        "queue.produce|{\"items\":{}}|field 'items' is not a list",
        "queue.produce|{\"items\":[null]}|field 'items[0]' is not an object",
        "queue.produce|{\"items\":[{},{\"bytes\":\"?\"}]}|field 'items[1].bytes' is not bytes in base64",
        "queue.produce|{\"items\":[{\"enqueue_at\":\"now\"}]}|field 'items[0].enqueue_at' is not a time",
        "queue.produce|{\"items\":[{\"enqueue_at\":\"9999-12-31T23:59:59-02:00\"}]}|field 'items[0].enqueue_at' is not a time of the years 1 to 9999",
        "queue.produce|{\"items\":[{\"enqueue_at\":\"0001-01-01T00:00:00+02:00\"}]}|field 'items[0].enqueue_at' is not a time of the years 1 to 9999",
        "queue.retry|{\"items\":[{\"retry_at\":\"9999-12-31T23:59:59-02:00\"}]}|field 'items[0].retry_at' is not a time of the years 1 to 9999",
        "queue.produce|{\"items\":[{\"x\":1}]}|unknown field 'items[0].x'",
        "queues.list|{\"queue_name\":\"orders\"}|unknown field 'queue_name'",
      })
  void json_that_does_not_fit_names_the_field(String path, String body, String message)
      throws Exception {
    Heard heard = server.post(path, body == null ? "" : body);

    assertThat(heard.text()).contains("\"code\":455").contains(message);
    assertThat(heard.status()).isEqualTo(455);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2020-01-01T00:00Z",
        "2020-01-01T00:00:00+02",
        "2020-01-01T00:00:00+0200",
        "2020-01-01T00:00:00+02:00:30",
        "2020-01-01T00:00:00.Z",
        "2020-01-01T00:00:00.0000000001Z",
        "2020-01-01T00:00:00",
        "2020-01-01 00:00:00Z",
        "2020-02-30T00:00:00Z",
        "+2020-01-01T00:00:00Z"
      })
  void times_have_the_form_of_RFC_3339(String time) throws Exception {
    Heard heard = server.post("queue.produce", "{\"items\":[{\"enqueue_at\":\"" + time + "\"}]}");

    assertThat(heard.status()).isEqualTo(455);
    assertThat(heard.text()).contains("field 'items[0].enqueue_at' is not a time as in RFC 3339");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2020-01-01T00:00:00Z",
        "2020-01-01t00:00:00z",
        "2020-01-01T00:00:00.5Z",
        "2020-01-01T00:00:00.123456789-11:30",
        "9999-12-31T23:59:59.999999999Z",
        "0001-01-01T02:00:00+02:00"
      })
  void what_has_that_form_is_a_time(String time) throws Exception {
    assertThat(
            server
                .post(
                    "queue.produce",
                    "{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"items\":"
                        + "[{\"enqueue_at\":\""
                        + time
                        + "\"}]}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void numbers_may_be_texts_and_null_is_nothing() throws Exception {
    assertThat(
            server
                .post(
                    "queue.lease",
                    "{\"queue_name\":\"orders\",\"batch_size\":\"1e1\",\"client_id\":null,"
                        + "\"request_timeout\":null}")
                .text())
        .contains("invalid client id");
    assertThat(server.post("queues.list", "{\"limit\":\"5\",\"pivot\":null}").status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "queue.produce,5000000",
    "queues.update,512000",
    "queue.lease,64000",
    "queue.stats,64000",
    "queue.clear,64000",
    "queue.reload,64000",
    "queue.complete,256000",
    "queues.create,256000"
  })
  void bodies_have_limits(String path, int limit) throws Exception {
    Heard within = server.post(path, " ".repeat(limit));
    assertThat(within.status()).isEqualTo(455);
    Heard beyond = server.post(path, " ".repeat(limit + 1));
    assertThat(beyond.status()).isEqualTo(400);
    assertThat(beyond.text())
        .isEqualTo(
            "{\"code\":400,\"code_text\":\"Bad Request\",\"message\":\"the body is larger than "
                + limit
                + " bytes\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "DELETE", "PATCH"})
  void only_post_is_taken(String method) throws Exception {
    Heard heard = server.send(method, "queue.stats", STATS);

    assertThat(heard.status()).isEqualTo(400);
    assertThat(heard.text()).startsWith("{\"code\":400,\"code_text\":\"Bad Request\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nothing",
        "namespaces.list",
        "users.create",
        "apikeys.create",
        "roles.list",
        "rolebindings.list",
        "queues.rebalance",
        "storage/scheduled.add",
        "storage/scheduled.delete",
        "queue.produce/more"
      })
  void what_is_not_there_is_not_implemented(String path) throws Exception {
    Heard heard = server.post(path, "{}");

    assertThat(heard.status()).isEqualTo(501);
    assertThat(heard.text()).startsWith("{\"code\":501,\"code_text\":\"Not Implemented\"");
  }
}
