package io.holdfast.server.job;

import static io.holdfast.server.GoldenServer.said;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.client.http.WireModule;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.NewJob;
import io.holdfast.job.WorkerInfo;
import io.holdfast.server.GoldenServer;
import io.holdfast.testkit.ManualTime;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every verb of jobs, word by word; what is refused is in {@link JobRefusalTest}. */
@Timeout(60)
class JobGoldenTest {
  private static final Instant NOW = Instant.ofEpochMilli(ManualTime.START_MS);

  private final GoldenServer server = new GoldenServer();

  @AfterEach
  void close() {
    server.close();
  }

  static String at(long millis) {
    return "\"" + WireModule.text(NOW.plusMillis(millis)) + "\"";
  }

  private void enqueue(String id) {
    server
        .post("jobs.enqueue", "{\"jobs\":[{\"id\":\"" + id + "\",\"type\":\"t\",\"queue\":\"q\"}]}")
        .is(200, "{\"results\":[{\"id\":\"" + id + "\",\"existed\":false}]}");
  }

  /** The token of the next job. */
  private String token() {
    return value(server.post("jobs.reserve", "{\"queue\":\"q\"}").body(), "/jobs/0/token");
  }

  private static String value(String json, String path) {
    try {
      JsonNode found = new ObjectMapper().readTree(json).at(path);
      assertThat(found.isMissingNode()).as(json).isFalse();
      return found.asText();
    } catch (java.io.IOException e) {
      throw new AssertionError(json, e);
    }
  }

  private static String item(String token, String more) {
    return "{\"items\":[{\"id\":\"a\",\"token\":\"" + token + "\"" + more + "}]}";
  }

  @Test
  void enqueue_tells_ids() {
    server
        .post(
            "jobs.enqueue",
            "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"idempotencyKey\":\"k\"},"
                + "{\"id\":\"b\",\"type\":\"t\",\"idempotencyKey\":\" k \"}]}")
        .is(
            200,
            "{\"results\":[{\"id\":\"a\",\"existed\":false},{\"id\":\"a\",\"existed\":true}]}");
    assertThat(server.post("jobs.enqueue", "{\"jobs\":[{\"type\":\"t\"}]}").body())
        .matches("\\{\"results\":\\[\\{\"id\":\"[0-9a-f]{32}\",\"existed\":false}]}");
  }

  @Test
  void everything_that_was_enqueued_comes_back() {
    server.post(
        "jobs.enqueue",
        "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"payloadBase64\":\"AP8=\","
            + "\"runAt\":\"2026-05-28T20:26:40.1234567+00:00\",\"timeoutNanos\":5,"
            + "\"maxAttempts\":3,\"priority\":-7,\"idempotencyKey\":\"k\",\"traceId\":\"x\"}]}");

    server
        .post("jobs.inspect", "{\"id\":\"a\",\"withPayload\":true}")
        .is(
            200,
            "{\"job\":{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"state\":\"scheduled\","
                + "\"payloadBase64\":\"AP8=\",\"runAt\":\"2026-05-28T20:26:40.123456Z\","
                + "\"timeoutNanos\":5,\"createdAt\":"
                + at(0)
                + ",\"attempts\":0,\"maxAttempts\":3,\"lastError\":\"\",\"priority\":-7,"
                + "\"deliveries\":0,\"excused\":0,\"idempotencyKey\":\"k\",\"traceId\":\"x\","
                + "\"dlqCount\":0}}");
    assertThat(server.post("jobs.inspect", "{\"id\":\"a\"}").body()).doesNotContain("payload");
  }

  @Test
  void a_payload_of_json_is_stored_compact_as_it_was_written() {
    server.post(
        "jobs.enqueue",
        "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"payload\":"
            + " { \"z\" : 1.10, \"a\" : [ 1E400, -0, 12345678901234567890123, \"\\u00e9\" ], "
            + "\"n\" : null } }]}");

    String stored = "{\"z\":1.10,\"a\":[1E400,-0,12345678901234567890123,\"é\"],\"n\":null}";
    assertThat(server.holdfast.jobs().inspect("a").spec().payload())
        .isEqualTo(stored.getBytes(StandardCharsets.UTF_8));
    assertThat(server.post("jobs.reserve", "{\"queue\":\"q\",\"json\":true}").body())
        .contains("\"payload\":" + stored + ",");
  }

  @Test
  void a_payload_may_be_null_or_a_number_or_text() {
    server.post(
        "jobs.enqueue",
        "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"payload\":null},"
            + "{\"id\":\"b\",\"type\":\"t\",\"payload\":7},"
            + "{\"id\":\"c\",\"type\":\"t\",\"payload\":\"x\"},{\"id\":\"d\",\"type\":\"t\"}]}");

    List<String> payloads =
        List.of("a", "b", "c", "d").stream()
            .map(id -> new String(payload(id), StandardCharsets.UTF_8))
            .toList();
    assertThat(payloads).containsExactly("null", "7", "\"x\"", "");
  }

  private byte[] payload(String id) {
    return server.holdfast.jobs().inspect(id).spec().payload();
  }

  @Test
  void reserve_leases() {
    enqueue("a");
    String body =
        server
            .post(
                "jobs.reserve",
                "{\"queues\":[{\"name\":\"q\",\"max\":2}],\"limit\":5,\"leaseMs\":1000,"
                    + "\"worker\":\"w\"}")
            .body();

    String token = value(body, "/jobs/0/token");
    assertThat(token).matches("[0-9a-f]{32}");
    assertThat(body)
        .isEqualTo(
            "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"state\":\"inflight\","
                + "\"payloadBase64\":\"\",\"timeoutNanos\":0,\"createdAt\":"
                + at(0)
                + ",\"attempts\":0,\"maxAttempts\":0,\"lastError\":\"\",\"priority\":0,"
                + "\"deliveries\":1,\"excused\":0,\"fence\":1,\"token\":\""
                + token
                + "\",\"leaseExpiresAt\":"
                + at(1000)
                + ",\"lease\":{\"expiresAt\":"
                + at(1000)
                + ",\"owner\":\"w#"
                + token.substring(0, 8)
                + "\"},\"dlqCount\":0}],\"paused\":[],\"at\":"
                + at(0)
                + "}");
    assertThat(server.post("jobs.inspect", "{\"id\":\"a\"}").body())
        .doesNotContain(token)
        .contains("\"lease\":{\"expiresAt\":" + at(1000) + ",\"owner\":\"w#");
  }

  @Test
  void reserve_without_a_queue_is_for_the_default_one() {
    server.post("jobs.enqueue", "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\"}]}");
    assertThat(server.post("jobs.reserve", "").body()).contains("\"queue\":\"default\"");
    server
        .post("jobs.reserve", "{}")
        .is(200, "{\"jobs\":[],\"paused\":[],\"at\":" + at(0) + ",\"nextAt\":" + at(30_000) + "}");
  }

  @Test
  void a_paused_queue_is_named() {
    enqueue("a");
    server.post("jobs.queue.pause", "{\"queue\":\"q\"}").is(200, "{}");
    server
        .post("jobs.reserve", "{\"queue\":\"q\"}")
        .is(200, "{\"jobs\":[],\"paused\":[\"q\"],\"at\":" + at(0) + "}");
    server.post("jobs.queue.resume", "{\"queue\":\"q\"}").is(200, "{}");
    assertThat(token()).hasSize(32);
  }

  @Test
  void a_parked_reserve_gets_what_comes() {
    CompletableFuture<HttpResponse<String>> waiting =
        server.begin("jobs.reserve", "{\"queue\":\"q\",\"waitMs\":30000}", null);
    enqueue("a");
    assertThat(said(waiting).body()).contains("\"id\":\"a\"");
  }

  @Test
  void a_parked_reserve_whose_client_leaves_takes_nothing() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
      String body = "{\"queue\":\"q\",\"waitMs\":30000}";
      socket
          .getOutputStream()
          .write(
              ("POST /v1/jobs.reserve HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      server.post("jobs.stats", "{}");
    }
    enqueue("a");

    String token = token();

    assertThat(token).hasSize(32);
    assertThat(server.holdfast.jobs().inspect("a").state()).isEqualTo(JobState.INFLIGHT);
  }

  @Test
  void extend_and_heartbeat_move_the_expiry() {
    enqueue("a");
    String token = token();
    String items = "\"items\":[{\"id\":\"a\",\"token\":\"" + token + "\"},{\"id\":\"b\"}]";

    String results =
        "{\"results\":[{\"id\":\"a\",\"ok\":true,\"token\":\""
            + token
            + "\",\"leaseExpiresAt\":%s},"
            + "{\"id\":\"b\",\"ok\":false,\"code\":\"JobNotInflight\"}]}";
    server
        .post("jobs.extend", "{\"leaseMs\":0.5," + items + "}")
        .is(200, results.formatted("\"" + WireModule.text(NOW.plusNanos(500_000)) + "\""));
    server
        .post(
            "jobs.heartbeat",
            "{\"worker\":{\"id\":\"w\",\"host\":\"h\",\"queues\":[\"q\"],\"types\":[\"t\"],"
                + "\"slots\":2},\"leaseMs\":5000,"
                + items
                + "}")
        .is(200, results.formatted(at(5000)));
    server
        .post("jobs.workers", "{}")
        .is(
            200,
            "{\"workers\":[{\"id\":\"w\",\"host\":\"h\",\"queues\":[\"q\"],\"types\":[\"t\"],"
                + "\"slots\":2,\"startedAt\":"
                + at(0)
                + ",\"seenAt\":"
                + at(0)
                + "}]}");
    server.post("jobs.workers", "{\"queue\":\"other\"}").is(200, "{\"workers\":[]}");
    server.post("jobs.heartbeat", "{\"leaseMs\":5000}").is(200, "{\"results\":[]}");
  }

  @Test
  void ack_finishes_and_repeats() {
    enqueue("a");
    String token = token();
    String ok = "{\"results\":[{\"id\":\"a\",\"ok\":true}]}";

    server.post("jobs.ack", item(token, ",\"output\":{ \"x\": 1.0 }")).is(200, ok);
    server
        .post("jobs.ack", item(token, ""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true,\"repeated\":true}]}");
    server
        .post("jobs.ack", item("other", ""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":false,\"code\":\"JobNotInflight\"}]}");
    assertThat(server.post("jobs.inspect", "{\"id\":\"a\"}").body())
        .contains("\"state\":\"done\"")
        .contains("\"outcome\":\"succeeded\",\"finishedAt\":" + at(0))
        .contains("\"outputBase64\":\"eyJ4IjoxLjB9\"");
  }

  @Test
  void an_expired_lease_and_a_wrong_token_are_told_in_the_item() {
    enqueue("a");
    String token = token();
    server
        .post("jobs.ack", item("wrong", ""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":false,\"code\":\"LeaseMismatch\"}]}");
    server.time.advanceMs(30_000);
    server
        .post("jobs.ack", item(token, ""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":false,\"code\":\"LeaseExpired\"}]}");
  }

  @Test
  void retry_waits() {
    enqueue("a");
    server
        .post("jobs.retry", item(token(), ",\"delayMs\":1000,\"error\":\"no\",\"attempts\":4"))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true}]}");
    assertThat(server.post("jobs.inspect", "{\"id\":\"a\"}").body())
        .contains("\"state\":\"scheduled\",\"runAt\":" + at(1000))
        .contains("\"attempts\":4,\"maxAttempts\":0,\"lastError\":\"no\",\"failedAt\":" + at(0));
  }

  @Test
  void the_policy_retries_and_gives_up() {
    server.post(
        "jobs.enqueue",
        "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"maxAttempts\":2}]}");

    server
        .post("jobs.retry", item(token(), ",\"policy\":true,\"error\":\"no\""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true}]}");
    assertThat(server.holdfast.jobs().inspect("a").spec().runAt())
        .isBetween(NOW.plusMillis(800), NOW.plusMillis(1200));
    server.time.advanceMs(1200);
    server
        .post("jobs.retry", item(token(), ",\"policy\":true,\"error\":\"no\""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true,\"dead\":true}]}");
    assertThat(server.holdfast.jobs().inspect("a").state()).isEqualTo(JobState.DLQ);
  }

  @Test
  void fail_release_and_progress() {
    enqueue("a");
    String token = token();
    server
        .post(
            "jobs.progress",
            item(token, ",\"percent\":40,\"note\":\"n\",\"checkpointBase64\":\"AQ==\""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true}]}");
    server
        .post("jobs.release", item(token, ""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true}]}");
    server
        .post("jobs.fail", item(token(), ",\"reason\":\"bad\",\"error\":\"worse\""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true}]}");
    server
        .post("jobs.dlq.list", "{\"queue\":\"q\"}")
        .is(
            200,
            "{\"jobs\":[{\"id\":\"a\",\"type\":\"t\",\"queue\":\"q\",\"state\":\"dlq\","
                + "\"timeoutNanos\":0,\"createdAt\":"
                + at(0)
                + ",\"attempts\":1,\"maxAttempts\":0,\"lastError\":\"worse\",\"failedAt\":"
                + at(0)
                + ",\"priority\":0,\"deliveries\":2,\"excused\":1,\"progress\":40,\"note\":\"n\","
                + "\"checkpointBase64\":\"AQ==\",\"outcome\":\"failed\",\"finishedAt\":"
                + at(0)
                + ",\"dlqReason\":\"bad\",\"dlqFailedAt\":"
                + at(0)
                + ",\"dlqAttempts\":1,\"dlqCount\":1}]}");
  }

  @Test
  void cancel_and_requeue_answer_per_id() {
    enqueue("a");
    enqueue("b");
    String token = token();
    server
        .post("jobs.cancel", "{\"ids\":[\"a\",\"b\",\"c\"]}")
        .is(
            200,
            "{\"results\":[{\"id\":\"a\",\"result\":\"requested\"},"
                + "{\"id\":\"b\",\"result\":\"cancelled\"},{\"id\":\"c\",\"result\":\"not_found\"}]}");
    server
        .post("jobs.progress", item(token, ",\"percent\":1"))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true,\"cancelRequested\":true}]}");
    server
        .post("jobs.retry", item(token, ",\"error\":\"x\""))
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":true,\"cancelled\":true}]}");
    server
        .post("jobs.requeue", "{\"ids\":[\"a\",\"c\"],\"queue\":\"q\"}")
        .is(
            200,
            "{\"results\":[{\"id\":\"a\",\"ok\":true},"
                + "{\"id\":\"c\",\"ok\":false,\"code\":\"JobNotFound\"}]}");
    server
        .post("jobs.requeue", "{\"ids\":[\"b\"],\"queue\":\"other\"}")
        .is(200, "{\"results\":[{\"id\":\"b\",\"ok\":false,\"code\":\"QueueMismatch\"}]}");
    server
        .post("jobs.requeue", "{\"ids\":[\"a\"]}")
        .is(200, "{\"results\":[{\"id\":\"a\",\"ok\":false,\"code\":\"JobNotRequeueable\"}]}");
  }

  @Test
  void dead_letters_are_requeued_and_purged() {
    for (String id : List.of("a", "b")) {
      enqueue(id);
    }
    for (String id : List.of("a", "b")) {
      server.post(
          "jobs.fail",
          "{\"items\":[{\"id\":\"" + id + "\",\"token\":\"" + token() + "\",\"reason\":\"r\"}]}");
    }
    server
        .post(
            "jobs.dlq.requeue",
            "{\"queue\":\"q\",\"type\":\"t\",\"reasonPrefix\":\"r\",\"limit\":1,\"spreadMs\":10}")
        .is(200, "{\"requeued\":1,\"more\":true}");
    server.post("jobs.dlq.purge", "{\"queue\":\"q\"}").is(200, "{\"purged\":1,\"more\":false}");
  }

  @Test
  void lists_go_page_by_page_and_by_trace() {
    enqueue("a");
    enqueue("b");
    String first = server.post("jobs.list", "{\"queue\":\"q\",\"limit\":1}").body();
    String cursor = value(first, "/nextCursor");

    String second =
        server
            .post("jobs.list", "{\"queue\":\"q\",\"limit\":1,\"cursor\":\"" + cursor + "\"}")
            .body();

    assertThat(value(first, "/jobs/0/id")).isEqualTo("a");
    assertThat(value(second, "/jobs/0/id")).isEqualTo("b");
    server.post("jobs.list", "{\"queue\":\"q\",\"state\":\"odd\"}").is(200, "{\"jobs\":[]}");
    server.holdfast.jobs().enqueue(NewJob.of("t").id("c").traced("x"));
    assertThat(value(server.post("jobs.list", "{\"traceId\":\"x\"}").body(), "/jobs/0/id"))
        .isEqualTo("c");
  }

  @Test
  void explain_gives_reasons() {
    enqueue("a");
    server.post("jobs.queue.pause", "{\"queue\":\"q\"}");
    assertThat(server.post("jobs.explain", "{\"id\":\"a\"}").body())
        .startsWith("{\"state\":\"ready\",\"reasons\":[{\"code\":\"QUEUE_PAUSED\",\"text\":\"")
        .contains("\"since\":" + at(0))
        .contains("\"action\":\"");
  }

  @Test
  void queues_are_set_up() {
    server
        .post(
            "jobs.queue.configure",
            "{\"queue\":\"q\",\"doneKeepMs\":0,\"dlqKeepMs\":null,\"deliveryLimit\":3,"
                + "\"defaultLimitKey\":\"k\",\"limits\":[{\"key\":\"k\",\"maxRunning\":2}]}")
        .is(200, "{}");
    server
        .post("jobs.queues", "{\"queue\":\"q\"}")
        .is(
            200,
            "{\"queues\":[{\"queue\":\"q\",\"paused\":false,\"doneKeepMs\":0,"
                + "\"deliveryLimit\":3,\"defaultLimitKey\":\"k\","
                + "\"limits\":[{\"key\":\"k\",\"maxRunning\":2}]}]}");
    server.post("jobs.queue.configure", "{\"queue\":\"q\",\"dlqKeepMs\":60000}");
    server.post("jobs.queue.pause", "{\"queue\":\"q\"}");
    server
        .post("jobs.queues", "{}")
        .is(
            200,
            "{\"queues\":[{\"queue\":\"q\",\"paused\":true,\"pausedAt\":"
                + at(0)
                + ",\"doneKeepMs\":0,\"dlqKeepMs\":60000,\"deliveryLimit\":3,"
                + "\"defaultLimitKey\":\"k\",\"limits\":[{\"key\":\"k\",\"maxRunning\":2}]}]}");
  }

  @Test
  void stats_count() {
    enqueue("a");
    String stats =
        "{\"queues\":[{\"queue\":\"q\",\"counts\":{\"ready\":{\"count\":1},"
            + "\"scheduled\":{\"count\":0},\"gated\":{\"count\":0},\"inflight\":{\"count\":0},"
            + "\"done\":{\"count\":0},\"dlq\":{\"count\":0}},\"oldestReadyAt\":"
            + at(0)
            + ",\"finishedLastMinute\":{\"count\":0},\"diedLastMinute\":{\"count\":0}}]}";
    server.post("jobs.stats", "{\"queue\":\"q\"}").is(200, stats);
    server.post("jobs.stats", "{}").is(200, stats);
  }

  @Test
  void schedules_come_and_go() {
    String spec =
        "{\"name\":\"s\",\"queue\":\"q\",\"type\":\"t\",\"payload\":[1],\"cron\":\"@every 60s\","
            + "\"overlap\":\"skip\"}";
    String put = server.post("jobs.schedules.put", spec).body();
    String nextAt = value(put, "/nextAt");
    String shown =
        "{\"name\":\"s\",\"queue\":\"q\",\"type\":\"t\",\"payloadBase64\":\"WzFd\",\"priority\":0,"
            + "\"maxAttempts\":0,\"timeoutNanos\":0,\"cron\":\"@every 60s\",\"zone\":\"UTC\","
            + "\"missed\":\"run_once\",\"overlap\":\"skip\",\"enabled\":true,\"nextAt\":\""
            + nextAt
            + "\"}";

    assertThat(put).isEqualTo(shown);
    server.post("jobs.schedules.list", "{}").is(200, "{\"schedules\":[" + shown + "]}");
    assertThat(server.post("jobs.schedules.pause", "{\"name\":\"s\"}").body())
        .contains("\"enabled\":false");
    assertThat(server.post("jobs.schedules.resume", "{\"name\":\"s\"}").body())
        .contains("\"enabled\":true");
    String jobId =
        value(server.post("jobs.schedules.trigger", "{\"name\":\"s\"}").body(), "/jobId");
    assertThat(payload(jobId)).isEqualTo("[1]".getBytes(StandardCharsets.UTF_8));
    server.post("jobs.schedules.delete", "{\"name\":\"s\"}").is(200, "{}");
    server.post("jobs.schedules.list", "{}").is(200, "{\"schedules\":[]}");
  }

  @Test
  void a_worker_of_this_process_is_seen_as_well() {
    server
        .holdfast
        .jobs()
        .heartbeat(
            new JobStore.Heartbeat(
                new WorkerInfo("w", "h", List.of("q"), List.of(), 1, null, null),
                List.of(),
                Duration.ofSeconds(1)));
    assertThat(server.post("jobs.workers", "{\"queue\":\"q\"}").body()).contains("\"id\":\"w\"");
  }
}
