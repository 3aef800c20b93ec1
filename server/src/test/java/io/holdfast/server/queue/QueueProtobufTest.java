package io.holdfast.server.queue;

import static io.holdfast.server.queue.ProtoBytes.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.StoredItem;
import io.holdfast.server.queue.QueueServer.Heard;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every endpoint in protobuf. */
class QueueProtobufTest {
  private static final byte[] DONE = message().number(1, 200).bytes();

  private QueueServer server;

  @BeforeEach
  void start() throws Exception {
    server = new QueueServer();
    isDone(
        ask(
            "queues.create",
            message()
                .text(1, "orders")
                .text(6, "1m")
                .text(7, "24h")
                .number(9, 1)
                .number(77, 5) // a field of tomorrow
                .text(78, "too")));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Heard ask(String path, ProtoBytes body, String... more) throws Exception {
    String[] headers = {"Content-Type", QueueServer.PROTOBUF, "Accept", QueueServer.PROTOBUF};
    String[] all = java.util.Arrays.copyOf(headers, headers.length + more.length);
    System.arraycopy(more, 0, all, headers.length, more.length);
    Heard heard = server.post(path, body.bytes(), all);
    assertThat(heard.type()).isEqualTo("application/protobuf");
    return heard;
  }

  private static void isDone(Heard heard) {
    assertThat(heard.text()).isEqualTo(new String(DONE, StandardCharsets.UTF_8));
    assertThat(heard.status()).isEqualTo(200);
    assertThat(heard.body()).isEqualTo(DONE);
  }

  private void produce() throws Exception {
    isDone(
        ask(
            "queue.produce",
            message()
                .text(1, "orders")
                .text(2, "1m")
                .message(
                    3,
                    message()
                        .text(1, "json")
                        .text(2, "mail")
                        .text(3, "r1")
                        .time(4, "0001-01-01T00:00:00Z")
                        .bytes(5, new byte[] {0, -1}))
                .message(3, message().text(6, "b"))));
  }

  private byte[] lease() throws Exception {
    Heard heard =
        ask("queue.lease", message().text(1, "orders").number(2, 10).text(3, "me").text(4, "30s"));
    assertThat(heard.status()).isEqualTo(200);
    return heard.body();
  }

  private List<StoredItem> stored() {
    return server.holdfast.queues().queue("orders").admin().list(0, "", 0);
  }

  @Test
  void what_is_produced_is_leased_and_completed() throws Exception {
    produce();
    byte[] leased = lease();

    List<String> ids = stored().stream().map(StoredItem::id).toList();
    assertThat(leased)
        .isEqualTo(
            message()
                .text(1, "orders")
                .message(
                    3,
                    message()
                        .text(1, "json")
                        .text(2, "mail")
                        .text(3, "r1")
                        .text(4, ids.get(0))
                        .number(5, 1)
                        .time(6, "2026-05-28T20:27:40Z")
                        .bytes(7, new byte[] {0, -1}))
                .message(
                    3,
                    message()
                        .text(4, ids.get(1))
                        .number(5, 1)
                        .time(6, "2026-05-28T20:27:40Z")
                        .text(7, "b"))
                .bytes());
    isDone(
        ask(
            "queue.complete",
            message()
                .text(1, "orders")
                .number(2, 0)
                .text(3, "1m")
                .text(4, ids.get(0))
                .text(4, ids.get(1))));
    assertThat(stored()).isEmpty();
  }

  @Test
  void ids_are_told_to_who_asks() throws Exception {
    Heard heard =
        ask(
            "queue.produce",
            message().text(1, "orders").text(2, "1m").message(3, message()).number(100, 1));

    assertThat(heard.body())
        .isEqualTo(message().number(1, 200).text(101, stored().get(0).id()).bytes());
  }

  @Test
  void a_leased_item_goes_back_is_extended_and_handed_back() throws Exception {
    produce();
    lease();
    String first = stored().get(0).id();
    String second = stored().get(1).id();

    assertThat(
            ask("queue.extend", message().text(1, "orders").text(3, "90s").text(4, first)).body())
        .isEqualTo(message().time(1, "2026-05-28T20:28:10Z").bytes());
    isDone(ask("queue.handback", message().text(1, "orders").text(3, first)));
    isDone(
        ask(
            "queue.retry",
            message()
                .text(1, "orders")
                .message(3, message().text(1, second).time(2, "2026-05-28T21:00:00.5Z"))));

    assertThat(ask("storage/scheduled.list", message().text(1, "orders")).body())
        .isEqualTo(
            message()
                .message(
                    1,
                    message()
                        .text(1, second)
                        .time(4, "0001-01-01T00:00:00Z")
                        .time(5, "2026-05-29T21:00:00.5Z")
                        .time(7, "2026-05-28T20:26:40Z")
                        .time(9, "2026-05-28T21:00:00.5Z")
                        .number(10, 1)
                        .text(15, "b"))
                .bytes());
    assertThat(stored()).hasSize(1);
  }

  @Test
  void figures_are_told() throws Exception {
    produce();

    assertThat(ask("queue.stats", message().text(1, "orders")).body())
        .isEqualTo(
            message()
                .text(1, "orders")
                .message(
                    2, message().message(11, message().number(2, 2).text(5, "0s").text(6, "0s")))
                .bytes());
  }

  @Test
  void queues_are_described_changed_and_deleted() throws Exception {
    ProtoBytes info =
        message()
            .text(1, "orders")
            .time(2, "2026-05-28T20:26:40Z")
            .time(3, "2026-05-28T20:26:40Z")
            .text(5, "note")
            .text(6, "1m0s")
            .text(7, "24h0m0s")
            .number(8, 7)
            .number(9, 1)
            .message(10, message())
            .text(11, "_system");
    isDone(ask("queues.update", message().text(1, "orders").text(5, "note").number(8, 7)));
    assertThat(ask("queues.info", message().text(1, "orders")).body()).isEqualTo(info.bytes());
    assertThat(ask("queues.list", message()).body()).isEqualTo(message().message(1, info).bytes());

    isDone(ask("queues.update", message().text(1, "orders").text(5, "other")));
    assertThat(server.post("queues.info", "{\"queue_name\":\"orders\"}").text())
        .contains("\"reference\":\"other\"")
        .doesNotContain("max_attempts"); // what protobuf leaves out is zero
    isDone(ask("queues.delete", message().text(1, "orders")));
  }

  @Test
  void a_queue_is_paused_cleared_reloaded_and_woken() throws Exception {
    produce();

    isDone(ask("queue.pause", message().text(1, "orders")));
    assertThat(
            ProtoBytes.read(
                    ask("queues.info", message().text(1, "orders"), "Holdfast-Extensions", "1")
                        .body())
                .get(100))
        .hasSize(1)
        .first()
        .isEqualTo("lease".getBytes(StandardCharsets.UTF_8));
    isDone(ask("queue.resume", message().text(1, "orders")));
    isDone(ask("queue.reload", message().text(1, "orders")));
    isDone(ask("queue.wake", message().text(1, "orders")));
    isDone(ask("queue.clear", message().text(1, "orders").number(3, 1).number(4, 1).number(5, 1)));
    assertThat(stored()).isEmpty();
    assertThat(ask("queue.redrive", message().text(1, "orders").number(2, 3)).body())
        .isEqualTo(DONE);
  }

  @Test
  void stored_items_are_imported_listed_and_deleted() throws Exception {
    ProtoBytes item =
        message()
            .text(2, "s1")
            .number(3, 1)
            .time(4, "2026-05-28T20:30:00.000001Z")
            .time(5, "2026-06-01T00:00:00Z")
            .number(10, 2)
            .number(11, 5)
            .text(12, "r")
            .text(13, "e")
            .text(14, "k")
            .text(15, "p");
    Heard imported =
        ask(
            "storage/items.import",
            message()
                .text(1, "orders")
                .message(3, item)
                .message(3, message().time(4, "0001-01-01T00:00:00Z")));
    String first = stored().get(0).id();
    String second = stored().get(1).id();
    byte[] one =
        message()
            .text(1, first)
            .text(2, "s1")
            .number(3, 1)
            .time(4, "2026-05-28T20:30:00.000001Z")
            .time(5, "2026-06-01T00:00:00Z")
            .time(7, "2026-05-28T20:26:40Z")
            .number(10, 2)
            .number(11, 5)
            .text(12, "r")
            .text(13, "e")
            .text(14, "k")
            .text(15, "p")
            .bytes();
    byte[] two =
        message()
            .text(1, second)
            .time(4, "0001-01-01T00:00:00Z")
            .time(5, "2026-05-29T20:26:40Z")
            .time(7, "2026-05-28T20:26:40Z")
            .bytes();

    assertThat(imported.body()).isEqualTo(message().bytes(2, one).bytes(2, two).bytes());
    assertThat(ask("storage/items.list", message().text(1, "orders")).body())
        .isEqualTo(message().bytes(1, one).bytes(1, two).bytes());
    assertThat(
            ask("storage/items.list", message().text(1, "orders").text(3, second).number(4, 1))
                .body())
        .isEqualTo(message().bytes(1, two).bytes());
    isDone(ask("storage/items.delete", message().text(1, "orders").text(3, first).text(3, second)));
    assertThat(stored()).isEmpty();
  }

  @Test
  void times_are_of_the_years_1_to_9999() throws Exception {
    for (long seconds : new long[] {-62135596801L, 253402300800L}) {
      ProtoBytes time = message().number(1, seconds);
      isRefused(
          ask("queue.produce", produced(message().message(4, time))),
          "items is invalid; enqueue_at is out of range");
      isRefused(
          ask("queue.retry", message().text(1, "orders").message(3, message().message(2, time))),
          "items is invalid; retry_at is out of range");
      for (int field : new int[] {4, 5, 9}) {
        assertThat(
                ask(
                        "storage/items.import",
                        message().text(1, "orders").message(3, message().message(field, time)))
                    .text())
            .contains("is out of range");
      }
    }
  }

  @Test
  void a_deadline_beyond_the_year_9999_is_told_as_the_last_moment_of_it() throws Exception {
    isDone(ask("queue.produce", produced(message().time(4, "9999-12-31T23:59:59Z"))));

    byte[] item =
        (byte[])
            ProtoBytes.read(ask("storage/scheduled.list", message().text(1, "orders")).body())
                .get(1)
                .get(0);

    assertThat(ProtoBytes.read(item).get(5))
        .containsExactly(message().number(1, 253402300799L).number(2, 999_999_999L).bytes());
  }

  private static ProtoBytes produced(ProtoBytes item) {
    return message().text(1, "orders").text(2, "1m").message(3, item);
  }

  private static void isRefused(Heard heard, String message) {
    assertThat(heard.status()).isEqualTo(400);
    assertThat(ProtoBytes.text(ProtoBytes.read(heard.body()).get(3).get(0))).isEqualTo(message);
  }

  @Test
  void a_refusal_is_a_message_too() throws Exception {
    Heard heard = ask("queues.info", message().text(1, "nobody"));

    assertThat(heard.status()).isEqualTo(400);
    assertThat(heard.body())
        .isEqualTo(
            message()
                .number(1, 400)
                .text(2, "Bad Request")
                .text(3, "queue does not exist; no such queue named 'nobody'")
                .bytes());
    Heard details = ask("queues.info", message().text(1, "nobody"), "Holdfast-Extensions", "1");
    assertThat(ProtoBytes.read(details.body()).get(4))
        .contains(message().text(1, "kind").text(2, "INVALID").bytes());
  }

  @Test
  void an_empty_message_is_a_message() throws Exception {
    assertThat(ask("queues.list", message()).status()).isEqualTo(200);
    assertThat(ask("queue.stats", message()).text()).contains("queue name is invalid");
  }

  @Test
  void bytes_that_are_no_message_are_refused() throws Exception {
    byte[][] broken = {
      {8}, // a number that ends
      {10, 5, 'a'}, // a text that ends
      {12}, // a group that ends before it begins
      {10, 2, (byte) 0xc3, 0x28}, // not UTF-8
      "{\"queue_name\":\"orders\"}".getBytes(StandardCharsets.UTF_8),
      {10, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f}, // of a negative length
    };
    for (byte[] body : broken) {
      Heard heard = server.post("queue.stats", body, "Content-Type", QueueServer.PROTOBUF);
      assertThat(heard.status()).as(heard.text()).isEqualTo(455);
      assertThat(heard.text()).startsWith("{\"code\":455,\"code_text\":\"Client Content Error\"");
    }
    Heard time =
        server.post(
            "queue.produce",
            message()
                .text(1, "orders")
                .text(2, "1m")
                .message(3, message().message(4, message().number(2, 2_000_000_000L)))
                .bytes(),
            "Content-Type",
            QueueServer.PROTOBUF);
    assertThat(time.text()).contains("field 'enqueue_at' is not a time");
    assertThat(time.status()).isEqualTo(455);
  }
}
