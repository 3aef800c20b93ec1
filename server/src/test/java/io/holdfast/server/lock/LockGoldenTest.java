package io.holdfast.server.lock;

import static io.holdfast.server.GoldenServer.said;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Fence;
import io.holdfast.server.GoldenServer;
import io.holdfast.testkit.ManualTime;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every verb of locks, word by word. */
@Timeout(60)
class LockGoldenTest {
  private static final String ID = "A".repeat(22);
  private static final String OTHER = "B".repeat(22);
  private static final long NOW = ManualTime.START_MS;

  private final GoldenServer server = new GoldenServer();

  @AfterEach
  void close() {
    server.close();
  }

  private GoldenServer.Said take() {
    return server.post(
        "locks.acquire", "{\"key\":\"k\",\"ttlMs\":30000,\"lockId\":\"" + ID + "\"}");
  }

  @Test
  void acquire_grants_and_refuses() {
    String granted =
        "{\"ok\":true,\"lockId\":\""
            + ID
            + "\",\"fence\":\"000000000000001\",\"expiresAtMs\":"
            + (NOW + 30_000)
            + ",\"acquiredAtMs\":"
            + NOW
            + ",\"leftMs\":30000,\"waitedMs\":0}";
    take().is(200, granted);
    take().is(200, granted);
    server.time.advanceMs(1000);
    server
        .post("locks.acquire", "{\"key\":\"k\",\"ttlMs\":1}")
        .is(200, "{\"ok\":false,\"reason\":\"locked\",\"retryAfterMs\":30000}");
    assertThat(server.post("locks.acquire", "{\"key\":\"other\",\"ttlMs\":1}").body())
        .containsPattern("\\{\"ok\":true,\"lockId\":\"[A-Za-z0-9_-]{22}\",");
  }

  @Test
  void release_says_why_not() {
    take();
    String body = "{\"lockId\":\"" + ID + "\"}";

    server.post("locks.release", body).is(200, "{\"ok\":true}");
    server.post("locks.release", body).is(200, "{\"ok\":false,\"reason\":\"not-found\"}");
    take();
    server.time.advanceMs(31_000);
    server.post("locks.release", body).is(200, "{\"ok\":false,\"reason\":\"expired\"}");
  }

  @Test
  void extend_replaces_the_time() {
    take();
    String body = "{\"lockId\":\"" + ID + "\",\"ttlMs\":5000}";

    server.post("locks.extend", body).is(200, "{\"ok\":true,\"expiresAtMs\":" + (NOW + 5000) + "}");
    server.time.advanceMs(6000);
    server.post("locks.extend", body).is(200, "{\"ok\":false,\"reason\":\"expired\"}");
    server
        .post("locks.extend", "{\"lockId\":\"" + OTHER + "\",\"ttlMs\":5000}")
        .is(200, "{\"ok\":false,\"reason\":\"not-found\"}");
  }

  @Test
  void a_key_can_be_looked_at() {
    server.post("locks.isLocked", "{\"key\":\"k\"}").is(200, "{\"locked\":false}");
    server.post("locks.lookup", "{\"key\":\"k\"}").is(200, "{\"found\":false}");
    take();
    String info =
        ",\"fence\":\"000000000000001\",\"expiresAtMs\":"
            + (NOW + 30_000)
            + ",\"acquiredAtMs\":"
            + NOW;

    server.post("locks.isLocked", "{\"key\":\"k\"}").is(200, "{\"locked\":true}");
    String hashed =
        "{\"found\":true,\"keyHash\":\"0000006b00000141000002ed\","
            + "\"lockIdHash\":\"761621603f31b080201c6800\"";
    server.post("locks.lookup", "{\"key\":\"k\"}").is(200, hashed + info + "}");
    server.post("locks.lookup", "{\"lockId\":\"" + ID + "\"}").is(200, hashed + info + "}");
    server
        .post("locks.lookup", "{\"key\":\"k\",\"raw\":true}")
        .is(200, hashed + info + ",\"key\":\"k\",\"lockId\":\"" + ID + "\"}");
  }

  @Test
  void operators_list_and_inspect() {
    take();
    String lock =
        "{\"keyHash\":\"0000006b00000141000002ed\",\"lockIdHash\":\"761621603f31b080201c6800\","
            + "\"fence\":\"000000000000001\",\"expiresAtMs\":"
            + (NOW + 30_000)
            + ",\"acquiredAtMs\":"
            + NOW;

    server.post("locks.list", "{}").is(200, "{\"locks\":[" + lock + "}]}");
    server.post("locks.list", "").is(200, "{\"locks\":[" + lock + "}]}");
    server.post("locks.list", "{\"after\":\"k\"}").is(200, "{\"locks\":[]}");
    server
        .post("locks.list", "{\"prefix\":\"k\",\"limit\":1,\"raw\":true}")
        .is(200, "{\"locks\":[" + lock + ",\"key\":\"k\",\"lockId\":\"" + ID + "\"}]}");
    server
        .post("locks.inspect", "{\"key\":\"k\"}")
        .is(
            200,
            "{\"lock\":"
                + lock
                + "},\"remainingMs\":31000,\"fence\":\"000000000000001\",\"waiters\":[],"
                + "\"refusal\":\"taken for another 31000 ms unless released or renewed\",\"nowMs\":"
                + NOW
                + "}");
    server
        .post("locks.inspect", "{\"key\":\"free\"}")
        .is(
            200,
            "{\"remainingMs\":0,\"fence\":\"000000000000000\",\"waiters\":[],\"nowMs\":"
                + NOW
                + "}");
    server
        .post("locks.stats", "{}")
        .is(
            200,
            "{\"liveLocks\":1,\"expiredRows\":0,\"counters\":1,\"waiters\":0,"
                + "\"lockTableBytes\":0,\"counterTableBytes\":0}");
  }

  @Test
  void operators_step_in() {
    take();

    server
        .post("locks.break", "{\"key\":\"k\",\"fence\":\"000000000000002\"}")
        .is(200, "{\"broken\":false}");
    server
        .post("locks.break", "{\"key\":\"k\",\"fence\":\"000000000000001\"}")
        .is(200, "{\"broken\":true}");
    server.post("locks.raiseFences", "{\"by\":10}").is(200, "{\"raised\":1}");
    assertThat(take().body()).contains("\"fence\":\"000000000000012\"");
    server.time.advanceMs(33_000);
    server.post("locks.purge", "{}").is(200, "{\"purged\":1}");
  }

  @Test
  void a_parked_acquire_is_granted_on_release() {
    take();
    CompletableFuture<HttpResponse<String>> waiting = park("k", 60_000);
    server.post("locks.release", "{\"lockId\":\"" + ID + "\"}");

    assertThat(said(waiting).body())
        .startsWith("{\"ok\":true")
        .contains("\"fence\":\"000000000000002\"");
  }

  @Test
  void a_parked_acquire_gives_up_on_time() {
    take();
    CompletableFuture<HttpResponse<String>> waiting = park("k", 5_000);

    server.time.advanceMs(5_000);

    // As of its last look, which is that at the end or one before.
    assertThat(said(waiting).body())
        .matches("\\{\"ok\":false,\"reason\":\"locked\",\"retryAfterMs\":(26|31)000}");
  }

  @Test
  void a_parked_acquire_whose_client_leaves_takes_nothing() throws Exception {
    take();
    try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
      String body = "{\"key\":\"k\",\"ttlMs\":30000,\"waitMs\":60000}";
      String request =
          "POST /v1/locks.acquire HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      until(() -> waiters("k") == 1);
    }
    until(() -> waiters("k") == 0);

    server.post("locks.release", "{\"lockId\":\"" + ID + "\"}");

    server.post("locks.isLocked", "{\"key\":\"k\"}").is(200, "{\"locked\":false}");
    assertThat(server.holdfast.locks().operator().inspect("k").counter()).isEqualTo(1);
  }

  @Test
  void many_parked_acquires_need_few_threads() {
    take();
    int before = Thread.activeCount();
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(
          server.begin(
              "locks.acquire",
              "{\"key\":\"k\",\"ttlMs\":30000,\"waitMs\":60000,\"lockId\":\""
                  + "C%021d".formatted(i)
                  + "\"}",
              null));
    }
    until(() -> waiters("k") == 1);
    int during = Thread.activeCount();
    until(
        () -> {
          server.time.advanceMs(1000);
          return waiting.stream().allMatch(CompletableFuture::isDone);
        });
    waiting.forEach(one -> assertThat(said(one).status()).isEqualTo(200));

    assertThat(during - before).isLessThan(100);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "acquire | {\"ttlMs\":1} | 'key' is missing",
        "acquire | {\"key\":\"\",\"ttlMs\":1} | key must not be empty",
        "acquire | {\"key\":\"k\\u0000\",\"ttlMs\":1} | key has a NUL",
        "acquire | {\"key\":\"k\\ud800\",\"ttlMs\":1} | key has an unpaired surrogate",
        "acquire | {\"key\":7,\"ttlMs\":1} | 'key' must be text",
        "acquire | {\"key\":\"k\"} | 'ttlMs' is missing",
        "acquire | {\"key\":\"k\",\"ttlMs\":0} | ttlMs must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":-1} | ttlMs must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":1.5} | 'ttlMs' must be a whole number",
        "acquire | {\"key\":\"k\",\"ttlMs\":\"1\"} | 'ttlMs' must be a whole number",
        "acquire | {\"key\":\"k\",\"ttlMs\":\" \"} | 'ttlMs' must be a whole number",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"fair\":\" \"} | 'fair' must be true or false",
        "acquire | {\"key\":\"k\",\"ttlMs\":9000000000000001} | ttlMs must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":99999999999999999999} | 'ttlMs'",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"lockId\":\"x\"} | lockId must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"waitMs\":-1} | 'waitMs' must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"waitMs\":600001} | 'waitMs' must be",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"fair\":1} | 'fair' must be true or false",
        "acquire | {\"key\":\"k\",\"ttlMs\":1,\"extra\":1} | unknown field 'extra'",
        "acquire | {\"key\":\"k\",\"key\":\"k\",\"ttlMs\":1} | not valid JSON",
        "acquire | {\"key\":\"k\" | not valid JSON",
        "acquire | {} {} | the body must be an object",
        "acquire | [] | the body must be an object",
        "acquire | null | the body must be an object",
        "acquire | 7 | the body must be",
        "release | {} | 'lockId' is missing",
        "release | {\"lockId\":\"x\"} | lockId must be",
        "extend | {\"lockId\":\"AAAAAAAAAAAAAAAAAAAAAA\"} | 'ttlMs' is missing",
        "isLocked | {} | 'key' is missing",
        "lookup | {} | give either",
        "lookup | {\"key\":\"k\",\"lockId\":\"AAAAAAAAAAAAAAAAAAAAAA\"} | give either",
        "list | {\"limit\":1001} | limit must be 1 to 1000",
        "list | {\"limit\":0} | limit must be 1 to 1000",
        "list | {\"prefix\":\"\\u0000\"} | prefix has a NUL",
        "inspect | {} | 'key' is missing",
        "stats | {\"x\":1} | unknown field 'x'",
        "break | {\"key\":\"k\"} | 'fence' is missing",
        "break | {\"key\":\"k\",\"fence\":\"1\"} | 15 decimal digits",
        "raiseFences | {} | 'by' is missing",
        "raiseFences | {\"by\":0} | fences are raised by 1",
      })
  void bad_input_is_refused_by_the_name_of_the_field(String verb, String body, String part) {
    server.post("locks." + verb, body).refuses(400, "InvalidArgument", part);
  }

  @Test
  void an_id_that_is_in_use_for_another_key_is_the_callers_mistake() {
    take();
    server
        .post("locks.acquire", "{\"key\":\"other\",\"ttlMs\":1,\"lockId\":\"" + ID + "\"}")
        .refuses(400, "InvalidArgument", "lockId is in use");
  }

  @Test
  void used_up_fences_are_an_internal_error() {
    server.holdfast.locks().acquire("k", Duration.ofMillis(1));
    server.time.advanceMs(2000);
    server.holdfast.locks().operator().raiseFences(Fence.MAX);

    take().refuses(500, "Internal", "");
  }

  @Test
  void what_is_not_there_is_told_in_the_same_words() {
    server.post("locks.steal", "{}").refuses(501, "InvalidArgument", "");
    assertThat(server.post("locks.acquire", "x".repeat(300_000)).status()).isEqualTo(413);
  }

  @Test
  void closed_locks_are_unavailable() {
    server.holdfast.locks().close();
    GoldenServer.Said said = take().refuses(503, "ServiceUnavailable", "closed");
    assertThat(said.response().headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void roles_and_prefixes_are_kept() {
    try (GoldenServer guarded = GoldenServer.withTokens()) {
      String acquire = "{\"key\":\"b/k\",\"ttlMs\":30000,\"lockId\":\"" + ID + "\"}";
      guarded.post("locks.acquire", acquire).refuses(401, "AuthFailed", "a token is needed");
      guarded.post("locks.acquire", acquire, "reader").refuses(403, "AuthFailed", "role work");
      guarded.post("locks.acquire", acquire, "a-worker").refuses(403, "AuthFailed", "this name");
      assertThat(guarded.post("locks.acquire", acquire, "worker").status()).isEqualTo(200);

      String id = "{\"lockId\":\"" + ID + "\"}";
      guarded.post("locks.release", id, "a-worker").refuses(403, "AuthFailed", "this name");
      guarded
          .post("locks.extend", "{\"lockId\":\"" + ID + "\",\"ttlMs\":1}", "a-worker")
          .refuses(403, "AuthFailed", "this name");
      guarded.post("locks.lookup", id, "a-worker").refuses(403, "AuthFailed", "this name");
      String key = "{\"key\":\"b/k\"}";
      for (String token : List.of("reader", "worker", "admin")) {
        guarded.post("locks.isLocked", key, token).is(200, "{\"locked\":true}");
      }
      guarded.post("locks.isLocked", key, "producer").refuses(403, "AuthFailed", "role");
      guarded
          .post("locks.lookup", "{\"key\":\"b/k\",\"raw\":true}", "worker")
          .refuses(403, "AuthFailed", "role admin");
      for (String verb : List.of("list", "inspect", "stats", "break", "raiseFences", "purge")) {
        guarded.post("locks." + verb, "{}", "worker").refuses(403, "AuthFailed", "role admin");
      }
      guarded.post("locks.list", "{}", "a-admin").is(200, "{\"locks\":[]}");
      guarded.post("locks.raiseFences", "{\"by\":1}", "a-admin").refuses(403, "AuthFailed", "");
      guarded.post("locks.purge", "{}", "a-admin").refuses(403, "AuthFailed", "");
    }
  }

  private CompletableFuture<HttpResponse<String>> park(String key, long waitMs) {
    int before = waiters(key);
    CompletableFuture<HttpResponse<String>> waiting =
        server.begin(
            "locks.acquire",
            "{\"key\":\"" + key + "\",\"ttlMs\":30000,\"waitMs\":" + waitMs + ",\"fair\":true}",
            null);
    until(() -> waiters(key) == before + 1);
    return waiting;
  }

  private int waiters(String key) {
    return server.holdfast.locks().operator().inspect(key).waiters().size();
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }
}
