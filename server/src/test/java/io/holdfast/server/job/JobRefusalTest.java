package io.holdfast.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.server.GoldenServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a call about jobs is told by the name of the field, and by a code. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // started before all tests
class JobRefusalTest {
  private static GoldenServer server;

  @BeforeAll
  static void start() {
    server = new GoldenServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "enqueue | {} | InvalidArgument | 'jobs' is missing",
        "enqueue | {\"jobs\":[]} | InvalidArgument | jobs must be 1 to 1000",
        "enqueue | {\"jobs\":[null]} | InvalidArgument | 'jobs[0]' must not be null",
        "enqueue | {\"jobs\":[7]} | InvalidArgument | 'jobs[0]' must be an object",
        "enqueue | {\"jobs\":{}} | InvalidArgument | 'jobs' must be a list",
        "enqueue | {\"jobs\":[{}]} | JobTypeRequired | type",
        "enqueue | {\"jobs\":[{\"type\":\" \"}]} | JobTypeRequired | type",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"id\":\"\"}]} | JobIdRequired | id",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"queue\":\"\"}]} | QueueRequired | queue",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"what\":1}]} | InvalidArgument | unknown field 'jobs[0].what'",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"timeoutNanos\":-1}]} | NegativeTimeout | timeoutNanos",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"maxAttempts\":-1}]} | NegativeMaxAttempts | maxAttempts",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"attempts\":-1}]} | NegativeAttempts | attempts",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"attempts\":2,\"maxAttempts\":1}]} | AttemptsExceedMaxAttempts | attempts",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"priority\":101}]} | InvalidArgument | priority",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"priority\":1e2}]} | InvalidArgument | 'jobs[0].priority' must be a whole number",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"maxAttempts\":3000000000}]} | InvalidArgument | 'jobs[0].maxAttempts'",
        "enqueue | {\"jobs\":[{\"type\":\"t\\u0000\"}]} | InvalidArgument | type",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"runAt\":\"soon\"}]} | InvalidArgument | 'jobs[0].runAt' must be an instant",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"runAt\":5}]} | InvalidArgument | 'jobs[0].runAt' must be an instant",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"runAt\":\"+10000-01-01T00:00:00Z\"}]} | InvalidArgument | runAt",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"runAt\":\"2026-01-01T00:00:00Z\",\"delayMs\":1}]} | InvalidArgument | two forms",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"delayMs\":-1}]} | InvalidArgument | delayMs",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"delayMs\":1e999999999}]} | InvalidArgument | 'delayMs' is out of range",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"delayMs\":1e-999999999}]} | InvalidArgument | 'delayMs' is out of range",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"payload\":1,\"payloadBase64\":\"\"}]} | InvalidArgument | two forms",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"payloadBase64\":\"*\"}]} | InvalidArgument | 'payloadBase64' must be base64",
        "enqueue | {\"jobs\":[{\"type\":\"t\",\"traceId\":7}]} | InvalidArgument | 'jobs[0].traceId' must be text",
        "reserve | {\"queue\":\"\"} | QueueRequired | queue",
        "reserve | {\"queue\":\"q\",\"queues\":[]} | InvalidArgument | two forms",
        "reserve | {\"queues\":[]} | InvalidArgument | queues must be 1 to 64",
        "reserve | {\"queues\":[null]} | InvalidArgument | 'queues[0]' must not be null",
        "reserve | {\"queues\":[{\"max\":1}]} | QueueRequired | queue",
        "reserve | {\"queues\":[{\"name\":\"q\",\"max\":0}]} | InvalidLimit | max",
        "reserve | {\"limit\":0} | InvalidLimit | limit",
        "reserve | {\"limit\":1001} | InvalidLimit | limit",
        "reserve | {\"leaseMs\":0} | InvalidLeaseDuration | leaseMs",
        "reserve | {\"leaseMs\":0.0001} | InvalidLeaseDuration | leaseMs",
        "reserve | {\"leaseMs\":86400001} | InvalidLeaseDuration | leaseMs",
        "reserve | {\"waitMs\":-1} | InvalidArgument | 'waitMs' must be 0 to 30000",
        "reserve | {\"waitMs\":30001} | InvalidArgument | 'waitMs' must be 0 to 30000",
        "reserve | {\"json\":\"yes\"} | InvalidArgument | 'json' must be true or false",
        "extend | {\"items\":[{}]} | InvalidArgument | 'leaseMs' is missing",
        "extend | {\"leaseMs\":1000} | InvalidArgument | 'items' is missing",
        "extend | {\"leaseMs\":0,\"items\":[{}]} | InvalidLeaseDuration | leaseMs",
        "extend | {\"leaseMs\":1,\"items\":[null]} | InvalidArgument | 'items[0]'",
        "heartbeat | {} | InvalidArgument | 'leaseMs' is missing",
        "heartbeat | {\"leaseMs\":1,\"worker\":{}} | InvalidArgument | worker",
        "heartbeat | {\"leaseMs\":1,\"worker\":{\"id\":\"w\",\"queues\":[null]}} | InvalidArgument | 'worker.queues[0]'",
        "ack | {} | InvalidArgument | 'items' is missing",
        "ack | {\"items\":[]} | InvalidArgument | items must be 1 to 1000",
        "ack | {\"items\":[{\"id\":\"a\",\"token\":\"t\",\"error\":\"x\"}]} | InvalidArgument | unknown field 'items[0].error'",
        "ack | {\"items\":[{\"output\":1,\"outputBase64\":\"\"}]} | InvalidArgument | two forms",
        "retry | {\"items\":[{\"policy\":true,\"delayMs\":1}]} | InvalidArgument | forms of one thing",
        "retry | {\"items\":[{\"attempts\":-1}]} | NegativeAttempts | attempts",
        "fail | {\"items\":[{\"attempts\":-1}]} | NegativeAttempts | attempts",
        "release | {\"items\":[{\"delayMs\":-1}]} | InvalidArgument | delayMs",
        "progress | {\"items\":[{\"percent\":101}]} | InvalidArgument | percent",
        "progress | {\"items\":[{\"checkpointBase64\":\"*\"}]} | InvalidArgument | base64",
        "inspect | {} | JobIdRequired | id",
        "explain | {} | JobIdRequired | id",
        "list | {} | QueueRequired | queue",
        "list | {\"queue\":\"q\",\"limit\":501} | InvalidLimit | limit",
        "list | {\"queue\":\"q\",\"cursor\":\"x\"} | InvalidCursor | cursor",
        "list | {\"queue\":\"q\",\"traceId\":\"x\"} | InvalidArgument | traceId stands alone",
        "list | {\"traceId\":\" \"} | InvalidArgument | traceId must not be blank",
        "dlq.list | {\"queue\":\"q\",\"state\":\"ready\"} | InvalidArgument | state must be dlq",
        "cancel | {} | InvalidArgument | 'ids' is missing",
        "cancel | {\"ids\":[null]} | InvalidArgument | 'ids[0]'",
        "cancel | {\"ids\":[\"\"]} | JobIdRequired | id",
        "requeue | {\"ids\":[]} | InvalidArgument | ids must be",
        "requeue | {\"ids\":[\"a\"],\"queue\":\"\"} | QueueRequired | queue",
        "dlq.requeue | {} | QueueRequired | queue",
        "dlq.requeue | {\"queue\":\"q\",\"limit\":10001} | InvalidLimit | limit",
        "dlq.requeue | {\"queue\":\"q\",\"spreadMs\":-1} | InvalidArgument | spreadMs",
        "dlq.purge | {\"queue\":\"q\",\"spreadMs\":1} | InvalidArgument | 'spreadMs'",
        "queues | {\"queue\":\"\"} | QueueRequired | queue",
        "stats | {\"queue\":\"\"} | QueueRequired | queue",
        "workers | {\"x\":1} | InvalidArgument | unknown field 'x'",
        "queue.configure | {} | QueueRequired | queue",
        "queue.configure | {\"queue\":\"q\",\"doneKeepMs\":-1} | InvalidArgument | doneKeepMs",
        "queue.configure | {\"queue\":\"q\",\"dlqKeepMs\":1e400} | InvalidArgument | 'dlqKeepMs' is out of range",
        "queue.configure | {\"queue\":\"q\",\"dlqKeepMs\":\"1\"} | InvalidArgument | 'dlqKeepMs' must be a number or null",
        "queue.configure | {\"queue\":\"q\",\"limits\":[{\"maxRunning\":1}]} | InvalidArgument | key must not be blank",
        "queue.configure | {\"queue\":\"q\",\"limits\":[{\"key\":\"k\",\"rate\":1}]} | InvalidArgument | rate",
        "queue.pause | {} | QueueRequired | queue",
        "queue.resume | {} | QueueRequired | queue",
        "schedules.put | {\"name\":\"s\",\"type\":\"t\"} | InvalidArgument | 'cron' is missing",
        "schedules.put | {\"name\":\"s\",\"type\":\"t\",\"cron\":\"odd\"} | InvalidSchedule |",
        "schedules.put | {\"name\":\"s\",\"type\":\"t\",\"cron\":\"@daily\",\"zone\":\"Mars\"} | InvalidSchedule |",
        "schedules.put | {\"type\":\"t\",\"cron\":\"@daily\"} | InvalidArgument | name must not be blank",
        "schedules.put | {\"name\":\"s\",\"cron\":\"@daily\"} | JobTypeRequired | type",
        "schedules.put | {\"name\":\"s\",\"type\":\"t\",\"cron\":\"@daily\",\"missed\":\"x\"} | InvalidArgument | 'missed' must be one of run_once",
        "schedules.delete | {} | InvalidArgument | name",
        "schedules.list | {\"x\":1} | InvalidArgument | unknown field 'x'",
        "enqueue | {\"jobs\" | InvalidArgument | not valid JSON",
        "enqueue | [] | InvalidArgument | the body must be an object",
      })
  void bad_input(String verb, String body, String code, String part) {
    server.post("jobs." + verb, body).refuses(400, code, part == null ? "" : part);
  }

  @Test
  void deep_json_is_not_read() {
    String deep = "[".repeat(100) + "]".repeat(100);
    server
        .post("jobs.enqueue", "{\"jobs\":[{\"type\":\"t\",\"payload\":" + deep + "}]}")
        .refuses(400, "InvalidArgument", "");
  }

  @Test
  void what_is_not_there_is_404() {
    server.post("jobs.inspect", "{\"id\":\"none\"}").refuses(404, "JobNotFound", "none");
    server.post("jobs.explain", "{\"id\":\"none\"}").refuses(404, "JobNotFound", "none");
    for (String verb : List.of("pause", "resume", "trigger", "delete")) {
      server
          .post("jobs.schedules." + verb, "{\"name\":\"none\"}")
          .refuses(404, "ScheduleNotFound", "none");
    }
  }

  @Test
  void a_taken_id_is_409_and_named() {
    String body = "{\"jobs\":[{\"id\":\"dup\",\"type\":\"t\",\"queue\":\"dups\"}]}";
    server.post("jobs.enqueue", body);
    GoldenServer.Said said = server.post("jobs.enqueue", body).refuses(409, "DuplicateJobId", "");
    assertThat(said.body()).contains("\"id\":\"dup\"");
  }

  @Test
  void too_much_is_413() {
    String large = "x".repeat((1 << 20) + 1);
    server
        .post("jobs.enqueue", "{\"jobs\":[{\"type\":\"t\",\"payload\":\"" + large + "\"}]}")
        .refuses(413, "PayloadTooLarge", "payload");
    assertThat(server.post("jobs.inspect", "x".repeat(300_000)).status()).isEqualTo(413);
  }

  @Test
  void unknown_verbs_are_501() {
    server.post("jobs.steal", "{}").refuses(501, "InvalidArgument", "");
  }

  @Test
  void closed_jobs_are_503() {
    try (GoldenServer closing = new GoldenServer()) {
      closing.holdfast.jobs().close();
      for (String verb : List.of("inspect", "explain")) {
        GoldenServer.Said said =
            closing.post("jobs." + verb, "{\"id\":\"a\"}").refuses(503, "StoreClosed", "");
        assertThat(said.response().headers().firstValue("Retry-After")).contains("1");
      }
      closing.post("jobs.reserve", "{}").refuses(503, "StoreClosed", "");
      closing.post("jobs.reserve", "{\"waitMs\":10}").refuses(503, "StoreClosed", "");
    }
  }

  @Test
  void roles_and_prefixes_are_kept() {
    try (GoldenServer guarded = GoldenServer.withTokens()) {
      guarded.holdfast.jobs().enqueue(NewJob.of("t").id("x").queue("b/q").traced("tr"));
      String token =
          guarded.holdfast.jobs().reserve(ReserveRequest.of("b/q", 1)).jobs().get(0).token();
      guarded.post("jobs.stats", "{}").refuses(401, "Unauthorized", "a token is needed");
      for (String verb : List.of("reserve", "extend", "heartbeat", "ack", "retry", "fail")) {
        guarded.post("jobs." + verb, "{}", "reader").refuses(403, "Forbidden", "role work");
      }
      guarded.post("jobs.enqueue", "{}", "worker").refuses(403, "Forbidden", "role produce");
      for (String verb : List.of("inspect", "list", "dlq.list", "queues", "stats", "workers")) {
        guarded.post("jobs." + verb, "{}", "producer").refuses(403, "Forbidden", "role read");
      }
      for (String verb :
          List.of(
              "cancel",
              "requeue",
              "dlq.requeue",
              "dlq.purge",
              "queue.pause",
              "queue.resume",
              "queue.configure",
              "schedules.put",
              "schedules.delete",
              "schedules.trigger")) {
        guarded.post("jobs." + verb, "{}", "worker").refuses(403, "Forbidden", "role admin");
      }
      guarded
          .post("jobs.enqueue", "{\"jobs\":[{\"type\":\"t\",\"attempts\":1}]}", "producer")
          .refuses(403, "Forbidden", "role admin");

      String items = "\"items\":[{\"id\":\"x\",\"token\":\"" + token + "\"}]}";
      for (String verb : List.of("ack", "retry", "fail", "release", "progress")) {
        guarded.post("jobs." + verb, "{" + items, "a-worker").refuses(403, "Forbidden", "name");
      }
      for (String verb : List.of("extend", "heartbeat")) {
        guarded
            .post("jobs." + verb, "{\"leaseMs\":1000," + items, "a-worker")
            .refuses(403, "Forbidden", "name");
      }
      guarded.post("jobs.reserve", "{\"queue\":\"b/q\"}", "a-worker").refuses(403, "Forbidden", "");
      guarded.post("jobs.inspect", "{\"id\":\"x\"}", "a-admin").refuses(403, "Forbidden", "");
      guarded.post("jobs.explain", "{\"id\":\"x\"}", "a-admin").refuses(403, "Forbidden", "");
      guarded.post("jobs.cancel", "{\"ids\":[\"x\"]}", "a-admin").refuses(403, "Forbidden", "");
      guarded.post("jobs.list", "{\"queue\":\"b/q\"}", "a-admin").refuses(403, "Forbidden", "");
      guarded.post("jobs.list", "{\"traceId\":\"tr\"}", "a-admin").is(200, "{\"jobs\":[]}");
      guarded.post("jobs.queues", "{}", "a-admin").is(200, "{\"queues\":[]}");
      guarded.post("jobs.stats", "{}", "a-admin").is(200, "{\"queues\":[]}");
      assertThat(guarded.post("jobs.ack", "{" + items, "worker").body()).contains("\"ok\":true");
    }
  }
}
