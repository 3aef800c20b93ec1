package io.holdfast.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.server.queue.QueueServer.Heard;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first thing that is wrong is told, in the words that clients look for. */
class QueueRefusalTest {
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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "queue.produce|{}|queue name is invalid; it cannot be empty",
        "queue.produce|{\"queue_name\":\"a b\"}|queue name is invalid",
        "queue.produce|{\"queue_name\":\"x\"}|queue does not exist; no such queue named 'x'",
        "queue.produce|{\"queue_name\":\"orders\"}|request timeout is required",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"x\"}|request timeout is invalid",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"10ms\"}|request timeout is invalid",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"-5s\"}|request timeout is invalid",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"300y\"}|request timeout is invalid",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"1m\"}|items cannot be empty",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"items\":[{\"kind\":\"\\u0000\"}]}|items is invalid; kind",
        "queue.produce|{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"items\":[{\"kind\":\"\\ud800\"}]}|items is invalid; kind",
        "queue.lease|{\"queue_name\":\"x\"}|queue does not exist",
        "queue.lease|{\"queue_name\":\"orders\"}|invalid client id",
        "queue.lease|{\"queue_name\":\"orders\",\"client_id\":\"c\",\"request_timeout\":\"x\"}|invalid batch size",
        "queue.lease|{\"queue_name\":\"orders\",\"client_id\":\"c\",\"batch_size\":1}|request timeout is required",
        "queue.lease|{\"queue_name\":\"orders\",\"client_id\":\"c\",\"batch_size\":1,\"request_timeout\":\"16m\"}|request timeout is invalid",
        "queue.complete|{\"queue_name\":\"orders\",\"partition\":7}|partition is invalid; 7 is not one of 1",
        "queue.complete|{\"queue_name\":\"orders\"}|request timeout is required",
        "queue.complete|{\"queue_name\":\"orders\",\"request_timeout\":\"x\"}|request timeout is invalid",
        "queue.complete|{\"queue_name\":\"orders\",\"request_timeout\":\"16m\"}|ids is invalid",
        "queue.complete|{\"queue_name\":\"orders\",\"request_timeout\":\"16m\",\"ids\":[\"x\"]}|request timeout is invalid",
        "queue.complete|{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"ids\":[\"x\"]}|invalid storage id",
        "queue.complete|{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"ids\":[\"000000000000000000000000000\"]}|item(s) cannot be completed; '000000000000000000000000000' does not exist",
        "queue.retry|{\"queue_name\":\"orders\",\"items\":[]}|items cannot be empty",
        "queue.extend|{\"queue_name\":\"orders\",\"lease_timeout\":\"x\"}|ids is invalid",
        "queue.extend|{\"queue_name\":\"orders\",\"lease_timeout\":\"x\",\"ids\":[\"x\"]}|lease timeout is invalid",
        "queue.redrive|{\"queue_name\":\"orders\"}|limit is invalid",
        "queues.create|{\"queue_name\":\"n~\"}|queue name is invalid",
        "queues.create|{\"queue_name\":\"n\",\"lease_timeout\":\"1h0m0.00000000001s\",\"expire_timeout\":\"x\"}|lease timeout is invalid; it cannot be longer than 15",
        "queues.create|{\"queue_name\":\"n\",\"lease_timeout\":\"x\",\"expire_timeout\":\"x\"}|expire timeout is invalid; it must be a duration",
        "queues.create|{\"queue_name\":\"n\",\"requested_partitions\":1}|expire timeout is invalid; it is required",
        "queues.create|{\"queue_name\":\"n\",\"lease_timeout\":\"2h\",\"expire_timeout\":\"1h\",\"requested_partitions\":1}|lease timeout is too long",
        "queues.create|{\"queue_name\":\"n\",\"lease_timeout\":\"1h\",\"expire_timeout\":\"1h\"}|partitions is invalid",
        "queues.create|{\"queue_name\":\"n\",\"max_attempts\":-1}|max attempts is invalid",
        "queues.create|{\"queue_name\":\"n\",\"dead_queue\":\"n\"}|dead queue is invalid",
        "queues.update|{\"queue_name\":\"x\",\"lease_timeout\":\"x\"}|queue does not exist",
        "queues.update|{\"queue_name\":\"orders\",\"lease_timeout\":\"x\"}|lease timeout is invalid",
        "queues.update|{\"queue_name\":\"orders\",\"lease_timeout\":\"25h\"}|lease timeout is too long",
        "queues.list|{\"limit\":-1}|limit is invalid",
        "queues.list|{\"pivot\":\"~\"}|pivot is invalid",
        "storage/items.list|{\"queue_name\":\"orders\",\"pivot\":\"x\"}|pivot is invalid",
        "storage/items.list|{\"queue_name\":\"orders\",\"limit\":65537}|limit is invalid",
        "storage/items.import|{\"queue_name\":\"orders\"}|items cannot be empty",
        "storage/items.delete|{\"queue_name\":\"orders\"}|ids is invalid",
      })
  void bad_requests(String path, String body, String message) throws Exception {
    Heard heard = server.post(path, body);

    assertThat(heard.text())
        .startsWith("{\"code\":400,\"code_text\":\"Bad Request\",\"message\":\"" + message);
    assertThat(heard.status()).isEqualTo(400);
  }

  @Test
  void half_a_surrogate_in_what_is_quoted_does_no_harm() throws Exception {
    Heard heard =
        server.post("storage/items.delete", "{\"queue_name\":\"orders\",\"ids\":[\"\\ud800\"]}");

    assertThat(heard.text()).contains("invalid storage id; '?' is not one");
    assertThat(server.post("queue.stats", "{\"\\ud800\":1}").status()).isEqualTo(455);
  }

  @Test
  void a_reference_may_not_be_long() throws Exception {
    Heard heard =
        server.post(
            "queues.create", "{\"queue_name\":\"n\",\"reference\":\"" + "r".repeat(2001) + "\"}");

    assertThat(heard.text()).contains("reference field is invalid");
  }

  @Test
  void durations_are_those_of_go() throws Exception {
    for (String text : new String[] {"900ms", "1h0m0s", "1.5s", "2µs", "3us", "1000ns", ".5m"}) {
      assertThat(
              server
                  .post(
                      "queues.update",
                      "{\"queue_name\":\"orders\",\"lease_timeout\":\"" + text + "\"}")
                  .status())
          .as(text)
          .isEqualTo(200);
    }
    assertThat(server.post("queues.info", "{\"queue_name\":\"orders\"}").text())
        .contains("\"lease_timeout\":\"30s\"");
    for (String text :
        new String[] {"0", "1", "s", "1 s", "5d", "1s5", "--1s", "1e3s", "9999999h"}) {
      assertThat(
              server
                  .post(
                      "queues.update",
                      "{\"queue_name\":\"orders\",\"lease_timeout\":\"" + text + "\"}")
                  .text())
          .as(text)
          .contains("lease timeout is invalid");
    }
  }
}
