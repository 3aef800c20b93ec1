package io.holdfast.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Queue;
import io.holdfast.queue.StoredItem;
import io.holdfast.server.queue.QueueServer.Heard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every endpoint in JSON, as a strict client of Querator sees it. */
class QueueJsonTest {
  private static final String DONE = "{\"code\":200}";
  private static final Pattern ID = Pattern.compile("\"id\":\"([0-9A-Za-z]{27})\"");

  private QueueServer server;

  @BeforeEach
  void start() throws Exception {
    server = new QueueServer();
    server.create("orders");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static void isDone(Heard heard) {
    assertThat(heard.text()).isEqualTo(DONE);
    assertThat(heard.status()).isEqualTo(200);
    assertThat(heard.type()).isEqualTo("application/json");
    assertThat(heard.all().headers().firstValue("X-Content-Type-Options")).contains("nosniff");
  }

  private static void isRefused(Heard heard, int code, String text, String message) {
    assertThat(heard.text())
        .isEqualTo(
            "{\"code\":%d,\"code_text\":\"%s\",\"message\":\"%s\"}".formatted(code, text, message));
    assertThat(heard.status()).isEqualTo(code);
  }

  private void produce(String items) throws Exception {
    isDone(
        server.post(
            "queue.produce",
            "{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"items\":[" + items + "]}"));
  }

  private String lease() throws Exception {
    Heard heard =
        server.post(
            "queue.lease",
            "{\"queue_name\":\"orders\",\"batch_size\":10,\"client_id\":\"me\","
                + "\"request_timeout\":\"1m\"}");
    assertThat(heard.status()).isEqualTo(200);
    return heard.text();
  }

  private static String id(String text) {
    Matcher matcher = ID.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private List<StoredItem> stored() {
    return server.holdfast.queues().queue("orders").admin().list(0, "", 0);
  }

  @Test
  void what_is_produced_is_leased_and_completed() throws Exception {
    produce(
        "{\"encoding\":\"json\",\"kind\":\"mail\",\"reference\":\"r1\",\"bytes\":\"aGVsbG8=\"},"
            + "{\"utf8\":\"grüße\"},{}");

    String leased = lease();

    List<String> ids = stored().stream().map(StoredItem::id).toList();
    assertThat(leased)
        .isEqualTo(
            ("{\"queue_name\":\"orders\",\"items\":["
                    + "{\"encoding\":\"json\",\"kind\":\"mail\",\"reference\":\"r1\",\"id\":\"%s\","
                    + "\"attempts\":1,\"lease_deadline\":\"2026-05-28T20:27:40Z\",\"bytes\":\"aGVsbG8=\"},"
                    + "{\"id\":\"%s\",\"attempts\":1,\"lease_deadline\":\"2026-05-28T20:27:40Z\","
                    + "\"bytes\":\"Z3LDvMOfZQ==\"},"
                    + "{\"id\":\"%s\",\"attempts\":1,\"lease_deadline\":\"2026-05-28T20:27:40Z\"}]}")
                .formatted(ids.toArray()));

    isDone(
        server.post(
            "queue.complete",
            "{\"queue_name\":\"orders\",\"partition\":0,\"request_timeout\":\"1m\",\"ids\":[\"%s\",\"%s\",\"%s\"]}"
                .formatted(ids.toArray())));
    assertThat(stored()).isEmpty();
  }

  @Test
  void ids_are_told_to_who_asks() throws Exception {
    Heard heard =
        server.post(
            "queue.produce",
            "{\"queueName\":\"orders\",\"requestTimeout\":\"1m\",\"items\":[{\"utf8\":\"a\"}],"
                + "\"returnIds\":true}");

    assertThat(heard.text())
        .isEqualTo("{\"code\":200,\"ids\":[\"%s\"]}".formatted(stored().get(0).id()));
  }

  @Test
  void a_lease_without_items_is_to_be_repeated() throws Exception {
    String lease =
        "{\"queue_name\":\"orders\",\"batch_size\":1,\"client_id\":\"me\","
            + "\"request_timeout\":\"5s\"}";
    CompletableFuture<Heard> heard = server.posting("queue.lease", lease);
    server.awaitLeases("orders", 1);
    assertThat(server.post("queue.stats", "{\"queue_name\":\"orders\"}").text())
        .contains("{\"lease_waiting\":1,\"partitions\":[");
    isRefused(
        server.post("queue.lease", lease),
        400,
        "Bad Request",
        "duplicate client id; a client cannot make multiple leased requests to the same queue");
    server.time.advance(Duration.ofSeconds(5));

    isRefused(
        heard.get(), 454, "Retry Request", "request timeout; no items are in the queue, try again");
  }

  @Test
  void a_leased_item_goes_back_later_or_for_ever() throws Exception {
    produce("{\"utf8\":\"a\"},{\"utf8\":\"b\"}");
    lease();
    List<StoredItem> items = stored();

    isDone(
        server.post(
            "queue.retry",
            "{\"queue_name\":\"orders\",\"items\":[{\"id\":\"%s\",\"retry_at\":\"2026-05-28T22:26:50+02:00\"},{\"id\":\"%s\",\"dead\":true}]}"
                .formatted(items.get(0).id(), items.get(1).id())));

    assertThat(stored()).isEmpty();
    assertThat(
            server
                .post("storage/scheduled.list", "{\"queue_name\":\"orders\",\"limit\":\"10\"}")
                .text())
        .isEqualTo(
            ("{\"items\":[{\"id\":\"%s\",\"lease_deadline\":\"0001-01-01T00:00:00Z\","
                    + "\"expire_deadline\":\"2026-05-29T20:26:50Z\",\"created_at\":\"2026-05-28T20:26:40Z\","
                    + "\"enqueue_at\":\"2026-05-28T20:26:50Z\",\"attempts\":1,\"payload\":\"YQ==\"}]}")
                .formatted(items.get(0).id()));
  }

  @Test
  void a_lease_is_extended() throws Exception {
    produce("{\"utf8\":\"a\"}");
    String id = id(lease());

    assertThat(
            server
                .post(
                    "queue.extend",
                    "{\"queue_name\":\"orders\",\"lease_timeout\":\"90s\",\"ids\":[\"%s\"]}"
                        .formatted(id))
                .text())
        .isEqualTo("{\"lease_deadline\":\"2026-05-28T20:28:10Z\"}");
    assertThat(
            server
                .post("queue.extend", "{\"queue_name\":\"orders\",\"ids\":[\"%s\"]}".formatted(id))
                .text())
        .isEqualTo("{\"lease_deadline\":\"2026-05-28T20:27:40Z\"}");
  }

  @Test
  void a_lease_is_handed_back_without_an_attempt() throws Exception {
    produce("{\"utf8\":\"a\"}");
    String id = id(lease());

    isDone(server.post("queue.handback", "{\"queue_name\":\"orders\",\"ids\":[\"" + id + "\"]}"));

    assertThat(stored().get(0).attempts()).isZero();
    assertThat(stored().get(0).isLeased()).isFalse();
  }

  @Test
  void items_that_are_not_leased_cannot_be_settled() throws Exception {
    produce("{\"utf8\":\"a\"}");
    String id = stored().get(0).id();

    isRefused(
        server.post(
            "queue.complete",
            "{\"queue_name\":\"orders\",\"request_timeout\":\"1m\",\"ids\":[\"" + id + "\"]}"),
        400,
        "Bad Request",
        "item(s) cannot be completed; '" + id + "' is not marked as leased");
    assertThat(
            server
                .post(
                    "queue.retry",
                    "{\"queue_name\":\"orders\",\"items\":[{\"id\":\"" + id + "\"}]}")
                .text())
        .contains("item(s) cannot be retried; '" + id + "' is not marked as leased");
    assertThat(
            server
                .post("queue.extend", "{\"queue_name\":\"orders\",\"ids\":[\"" + id + "\"]}")
                .text())
        .contains("item(s) cannot be extended; '" + id + "' is not marked as leased");
  }

  @Test
  void figures_are_told_by_partition() throws Exception {
    produce("{\"utf8\":\"a\"},{\"utf8\":\"b\",\"enqueue_at\":\"2026-05-28T21:00:00.000Z\"}");
    produce("{\"utf8\":\"c\"}");
    server.post(
        "queue.lease",
        "{\"queue_name\":\"orders\",\"batch_size\":1,\"client_id\":\"me\",\"request_timeout\":\"1m\"}");
    server.time.advance(Duration.ofMillis(1500));

    assertThat(server.post("queue.stats", "{\"queue_name\":\"orders\"}").text())
        .isEqualTo(
            "{\"queue_name\":\"orders\",\"logicalQueues\":[{\"partitions\":[{\"total\":2,"
                + "\"total_leased\":1,\"average_age\":\"1.5s\",\"average_leased_age\":\"58.5s\","
                + "\"scheduled\":1}]}]}");
  }

  @Test
  void queues_are_cleared_and_reloaded() throws Exception {
    produce("{\"utf8\":\"a\"}");

    isRefused(
        server.post("queue.clear", "{\"queue_name\":\"orders\",\"destructive\":true}"),
        400,
        "Bad Request",
        "invalid clear request; one of 'queue' and 'scheduled' is required");
    isDone(server.post("queue.clear", "{\"queue_name\":\"orders\",\"queue\":true}"));
    assertThat(stored()).isEmpty();
    isDone(server.post("queue.reload", "{\"queue_name\":\"orders\"}"));
    isDone(server.post("queue.wake", "{\"queue_name\":\"orders\"}"));
  }

  @Test
  void queues_are_created_described_changed_and_deleted() throws Exception {
    isDone(
        server.post(
            "queues.create",
            "{\"queue_name\":\"mail\",\"dead_queue\":\"orders\",\"reference\":\"r\","
                + "\"lease_timeout\":\"90s\",\"expire_timeout\":\"24h0m0s\",\"max_attempts\":3,"
                + "\"requested_partitions\":2}"));
    String info =
        "{\"queue_name\":\"mail\",\"created_at\":\"2026-05-28T20:26:40Z\","
            + "\"updated_at\":\"2026-05-28T20:26:40Z\",\"dead_queue\":\"orders\","
            + "\"reference\":\"r\",\"lease_timeout\":\"1m30s\",\"expire_timeout\":\"24h0m0s\","
            + "\"max_attempts\":3,\"requested_partitions\":2,"
            + "\"partitions\":[{},{\"partition\":1}],\"namespace\":\"_system\"}";
    assertThat(server.post("queues.info", "{\"queue_name\":\"mail\"}").text()).isEqualTo(info);

    isDone(
        server.post(
            "queues.update",
            "{\"queue_name\":\"mail\",\"dead_queue\":\"\",\"max_attempts\":null,"
                + "\"expire_timeout\":\"\"}"));
    assertThat(server.post("queues.info", "{\"queue_name\":\"mail\"}").text())
        .isEqualTo(info.replace("\"dead_queue\":\"orders\",", ""));
    assertThat(server.post("queues.list", "{\"limit\":1}").text())
        .startsWith("{\"items\":[{\"queue_name\":\"mail\",");
    assertThat(server.post("queues.list", "{\"pivot\":\"mailz\"}").text())
        .startsWith("{\"items\":[{\"queue_name\":\"orders\",");
    assertThat(server.post("queues.list", "{\"namespace\":\"elsewhere\"}").text()).isEqualTo("{}");
    isDone(server.post("queues.delete", "{\"queue_name\":\"mail\"}"));
    isRefused(
        server.post("queues.info", "{\"queue_name\":\"mail\"}"),
        400,
        "Bad Request",
        "queue does not exist; no such queue named 'mail'");
  }

  @Test
  void a_queue_is_created_once_and_deleted_by_force() throws Exception {
    produce("{\"utf8\":\"a\"}");

    assertThat(
            server
                .post(
                    "queues.create",
                    "{\"queue_name\":\"orders\",\"lease_timeout\":\"1m\","
                        + "\"expire_timeout\":\"1h\",\"requested_partitions\":1}")
                .text())
        .startsWith("{\"code\":400,\"code_text\":\"Bad Request\"")
        .contains("already exists");
    assertThat(server.post("queues.delete", "{\"queue_name\":\"orders\"}").status()).isEqualTo(400);
    isDone(server.post("queues.delete", "{\"queue_name\":\"orders\",\"force\":true}"));
  }

  @Test
  void a_paused_queue_says_so_to_who_asks_for_extensions() throws Exception {
    isDone(server.post("queue.pause", "{\"queue_name\":\"orders\",\"scope\":\"lease\"}"));

    assertThat(server.extended("queues.info", "{\"queue_name\":\"orders\"}").text())
        .contains("\"paused\":\"lease\"");
    assertThat(server.post("queues.info", "{\"queue_name\":\"orders\"}").text())
        .doesNotContain("paused")
        .doesNotContain("version")
        .doesNotContain("storage");
    isDone(server.post("queue.resume", "{\"queue_name\":\"orders\"}"));
    assertThat(server.extended("queues.info", "{\"queue_name\":\"orders\"}").text())
        .doesNotContain("paused");
    isRefused(
        server.post("queue.pause", "{\"queue_name\":\"orders\",\"scope\":\"some\"}"),
        400,
        "Bad Request",
        "scope is invalid; it must be 'lease'");
  }

  @Test
  void stored_items_are_listed_imported_and_deleted() throws Exception {
    Heard imported =
        server.post(
            "storage/items.import",
            "{\"queue_name\":\"orders\",\"items\":[{\"source_id\":\"s1\",\"is_leased\":true,"
                + "\"lease_deadline\":\"2026-05-28T20:30:00.000001Z\","
                + "\"expire_deadline\":\"2026-06-01T00:00:00Z\",\"attempts\":2,\"max_attempts\":5,"
                + "\"reference\":\"r\",\"encoding\":\"e\",\"kind\":\"k\",\"payload\":\"-_8\"},"
                + "{\"lease_deadline\":\"1970-01-01T00:00:00Z\",\"dead_deadline\":null,"
                + "\"updated_at\":\"2026-06-01T00:00:00Z\"}]}");
    List<StoredItem> items = stored();
    String first =
        ("{\"id\":\"%s\",\"source_id\":\"s1\",\"is_leased\":true,"
                + "\"lease_deadline\":\"2026-05-28T20:30:00.000001Z\","
                + "\"expire_deadline\":\"2026-06-01T00:00:00Z\",\"created_at\":\"2026-05-28T20:26:40Z\","
                + "\"attempts\":2,\"max_attempts\":5,\"reference\":\"r\",\"encoding\":\"e\","
                + "\"kind\":\"k\",\"payload\":\"+/8=\"}")
            .formatted(items.get(0).id());
    String second =
        ("{\"id\":\"%s\",\"lease_deadline\":\"0001-01-01T00:00:00Z\","
                + "\"expire_deadline\":\"2026-05-29T20:26:40Z\",\"created_at\":\"2026-05-28T20:26:40Z\"}")
            .formatted(items.get(1).id());
    String both = "{\"items\":[" + first + "," + second + "]}";

    assertThat(imported.text()).isEqualTo(both);
    assertThat(items.get(1).times().leaseDeadline()).isNull();
    assertThat(server.post("storage/items.list", "{\"queue_name\":\"orders\"}").text())
        .isEqualTo(both);
    assertThat(
            server
                .post(
                    "storage/items.list",
                    "{\"queue_name\":\"orders\",\"pivot\":\"%s\",\"limit\":1}"
                        .formatted(items.get(1).id()))
                .text())
        .isEqualTo("{\"items\":[" + second + "]}");
    isDone(
        server.post(
            "storage/items.delete",
            "{\"queue_name\":\"orders\",\"ids\":[\"%s\"]}".formatted(items.get(0).id())));
    assertThat(stored()).hasSize(1);
    isRefused(
        server.post("storage/items.delete", "{\"queue_name\":\"orders\",\"ids\":[\"what\"]}"),
        400,
        "Bad Request",
        "invalid storage id; 'what' is not one");
  }

  @Test
  void dead_items_are_driven_back() throws Exception {
    server.create("dead");
    server.post("queues.update", "{\"queue_name\":\"orders\",\"dead_queue\":\"dead\"}");
    produce("{\"utf8\":\"a\"}");
    String id = id(lease());
    server.post(
        "queue.retry",
        "{\"queue_name\":\"orders\",\"items\":[{\"id\":\"" + id + "\",\"dead\":true}]}");
    Queue dead = server.holdfast.queues().queue("dead");
    assertThat(dead.admin().list(0, "", 0)).hasSize(1);
    assertThat(server.extended("storage/items.list", "{\"queue_name\":\"dead\"}").text())
        .contains("\"source_queue\":\"orders\",\"dead_reason\":\"dead\"");
    assertThat(server.post("storage/items.list", "{\"queue_name\":\"dead\"}").text())
        .contains("\"source_id\":\"" + id + "\"")
        .doesNotContain("source_queue");

    assertThat(server.post("queue.redrive", "{\"queue_name\":\"dead\",\"limit\":5}").text())
        .isEqualTo("{\"code\":200,\"moved\":1}");
    assertThat(stored()).hasSize(1);
  }

  @Test
  void times_are_read_as_rfc_3339_has_them() throws Exception {
    produce("{\"utf8\":\"a\",\"enqueue_at\":\"2026-05-28T23:00:00.123456789+02:00\"}");

    assertThat(
            server
                .holdfast
                .queues()
                .queue("orders")
                .admin()
                .listScheduled(0, "", 0)
                .get(0)
                .times()
                .enqueueAt())
        .isEqualTo(Instant.parse("2026-05-28T21:00:00.123456Z"));
    produce("{\"utf8\":\"b\",\"enqueue_at\":\"0001-01-01T00:00:00Z\"}");
    assertThat(stored()).hasSize(1);
  }
}
