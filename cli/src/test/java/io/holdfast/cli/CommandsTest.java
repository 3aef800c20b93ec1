package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.Holdfast;
import io.holdfast.job.JobQuery;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command that works through a server, on one that keeps everything in memory. */
class CommandsTest {
  private static final Holdfast HOLDFAST = Holdfast.inMemory();

  private static HoldfastServer server;

  @TempDir Path directory;

  @BeforeAll
  static void start() throws IOException {
    server =
        HoldfastServer.start(Services.of(HOLDFAST), ServerOptions.DEFAULTS.port(0).version("test"));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  /** What a command printed, and how it ended. */
  private record Done(int code, String out) {}

  private static Done run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server");
    all.add(server.address().toString());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int code =
        Main.execute(
            new PrintStream(out, true, StandardCharsets.UTF_8), all.toArray(String[]::new));
    return new Done(code, out.toString(StandardCharsets.UTF_8));
  }

  private static String ok(String... arguments) {
    Done done = run(arguments);
    assertThat(done.code).as(done.out).isZero();
    return done.out;
  }

  private static JsonNode json(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    return new ObjectMapper().readTree(ok(all.toArray(String[]::new)));
  }

  @Test
  void a_queue_from_its_creation_to_its_end() throws IOException {
    ok("queues", "create", "dead");
    ok("queues", "create", "mail", "--lease", "1m", "--dead-queue", "dead", "--max-attempts", "2");
    assertThat(ok("queues", "list")).contains("mail", "dead");
    assertThat(json("queues", "show", "mail").get("deadQueue").asText()).isEqualTo("dead");
    ok("queues", "configure", "mail", "--lease", "2m");
    assertThat(json("queues", "show", "mail").get("leaseTimeout").asText()).isEqualTo("2m");
    assertThat(json("queues", "show", "mail").get("maxAttempts").asInt()).isEqualTo(2);

    ok("produce", "mail", "to ann", "--kind", "letter", "--reference", "ann");
    ok("produce", "mail", "later", "--at", "2999-01-01T00:00:00Z");
    assertThat(json("queues", "peek", "mail").get(0).get("payload").asText()).isEqualTo("to ann");
    assertThat(json("queues", "peek", "mail", "--scheduled")).hasSize(1);
    assertThat(json("queues", "stats", "mail").get(0).get("total").asInt()).isEqualTo(1);

    JsonNode leased = json("lease", "mail", "--batch", "5");
    assertThat(leased).hasSize(1);
    ok("complete", "mail", leased.get(0).get("id").asText());
    assertThat(run("complete", "mail", leased.get(0).get("id").asText()).code).isEqualTo(1);

    ok("queues", "pause", "mail");
    assertThat(ok("queues", "list")).contains("lease");
    ok("queues", "resume", "mail");
    assertThat(ok("queues", "redrive", "dead")).contains("0 moved");
    ok("queues", "clear", "mail");
    assertThat(json("queues", "peek", "mail", "--scheduled")).isEmpty();
    ok("queues", "delete", "mail", "--force");
    assertThat(run("queues", "show", "mail").code).isEqualTo(1);
  }

  @Test
  void a_text_from_standard_input_ends_before_its_last_line_break() throws IOException {
    ok("queues", "create", "echoed");

    for (String typed : List.of("{}\n", "a\n\n", "b\r\n", "c", "\n")) {
      typing(typed, "produce", "echoed");
    }

    assertThat(json("queues", "peek", "echoed").findValuesAsText("payload"))
        .containsExactly("{}", "a\n", "b", "c", "\n");
  }

  private static void typing(String text, String... arguments) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    try {
      ok(arguments);
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void a_lock_is_listed_shown_and_broken() throws IOException {
    HOLDFAST.locks().acquire("commands:key", Duration.ofMinutes(1));

    assertThat(ok("locks", "list", "--raw", "--prefix", "commands:"))
        .contains("000000000000001", "commands:key");
    assertThat(json("locks", "list", "--prefix", "commands:").get("locks")).hasSize(1);
    assertThat(json("locks", "stats").get("liveLocks").asLong()).isPositive();
    assertThat(json("locks", "show", "commands:key").get("locked").asBoolean()).isTrue();
    assertThat(ok("locks", "show", "commands:key")).contains("locked", "counter   1");
    assertThat(run("locks", "break", "commands:key", "--fence", "2").code).isEqualTo(1);
    assertThat(ok("locks", "break", "commands:key", "--fence", "1")).contains("broken");
    assertThat(ok("locks", "show", "commands:key")).contains("free");
    assertThat(run("locks", "list", "--schema", "other").code).isEqualTo(2);
    assertThat(run("locks", "list", "--data", "somewhere").code).isEqualTo(2);
  }

  @Test
  void a_stream_from_its_first_message_to_its_end() throws IOException {
    ok("streams", "configure", "orders", "--option", "retryLimit=1", "--option", "leaseTime=60");
    ok("push", "orders", "{\"tea\":1}", "--partition", "ann", "--transaction", "t1");
    assertThat(ok("push", "orders", "{\"tea\":1}", "--partition", "ann", "--transaction", "t1"))
        .contains("duplicate");
    assertThat(ok("streams", "list")).contains("orders");
    assertThat(ok("streams", "show", "orders")).contains("retryLimit=1");
    assertThat(json("streams", "peek", "orders").get(0).get("transactionId").asText())
        .isEqualTo("t1");

    JsonNode popped = json("pop", "orders", "--group", "billing").get(0);
    assertThat(ok("streams", "partitions", "orders")).contains("true");
    assertThat(ok("streams", "explain", "orders", "ann", "billing")).containsIgnoringCase("lease");
    ok(
        "ack",
        popped.get("partitionId").asText(),
        "t1",
        "--lease",
        popped.get("leaseId").asText(),
        "--group",
        "billing");
    assertThat(json("pop", "orders", "--group", "billing")).isEmpty();
    ok("streams", "seek", "orders", "billing", "begin");
    assertThat(json("pop", "orders", "--group", "billing")).hasSize(1);
    assertThat(ok("streams", "stats", "orders")).contains("billing");

    ok("streams", "pause", "orders");
    assertThat(json("pop", "orders", "--group", "other")).isEmpty();
    ok("streams", "resume", "orders");
    assertThat(ok("streams", "dead", "orders")).contains("nothing");
    ok("streams", "redrive", "orders");
    assertThat(ok("streams", "delete", "orders")).contains("deleted");
    assertThat(run("streams", "show", "orders").code).isEqualTo(1);
    assertThat(run("streams", "seek", "orders", "billing", "never").code).isEqualTo(2);
    String nobody = new UUID(1, 2).toString();
    assertThat(run("ack", nobody, "t", "--lease", nobody).code).isEqualTo(1);
  }

  @Test
  void a_job_from_its_birth_to_its_end() throws IOException {
    String id =
        json(
                "enqueue",
                "report",
                "{}",
                "--queue",
                "reports",
                "--max-attempts",
                "3",
                "--trace",
                "t1")
            .get("id")
            .asText();
    assertThat(json("jobs", "show", id).get("state").asText()).isEqualTo("ready");
    assertThat(ok("jobs", "list", "reports")).contains(id);
    assertThat(ok("jobs", "list", "reports", "--state", "dlq")).contains("nothing");
    assertThat(ok("jobs", "explain", id)).contains("ready");
    assertThat(ok("jobs", "stats", "reports")).contains("ready");
    assertThat(ok("jobs", "queues")).contains("reports");
    ok("jobs", "pause", "reports");
    ok("jobs", "resume", "reports");
    assertThat(ok("jobs", "cancel", id)).contains("cancelled");
    assertThat(ok("jobs", "retry", id, "--run-at", "4102444800")).contains("requeued");
    assertThat(json("jobs", "show", id).get("runAt").asText()).startsWith("2100-01-01");
    assertThat(ok("jobs", "redrive", "reports")).contains("0 requeued");
    assertThat(ok("jobs", "clear", "reports")).contains("0 deleted");
    assertThat(ok("jobs", "schedules")).contains("nothing");
    assertThat(run("jobs", "show", "unknown").code).isEqualTo(1);
  }

  @Test
  void a_queue_of_jobs_is_configured_and_fed_by_a_schedule() throws IOException {
    ok("jobs", "configure", "digests", "--limit", "smtp=2", "--keep-done", "1h");
    assertThat(ok("jobs", "queues")).contains("smtp=2");
    assertThat(json("jobs", "queues").findPath("limits").get("smtp").asInt()).isEqualTo(2);

    String[] daily = {"jobs", "schedule", "daily", "--cron", "0 7 * * *", "--type", "digest"};
    assertThat(ok(daily)).contains("scheduled daily, next at", "T07:00:00Z");
    assertThat(ok("jobs", "schedules")).contains("daily", "0 7 * * *");
    ok("jobs", "unschedule", "daily");
    assertThat(ok("jobs", "schedules")).contains("nothing");
    daily[4] = "whenever";
    assertThat(run(daily).code).isEqualTo(1);
    assertThat(run("jobs", "schedule", "daily").code).isEqualTo(2);
  }

  @Test
  void a_wish_about_a_job_that_is_not_there_fails() {
    assertThat(run("jobs", "retry", "nope").code).isEqualTo(1);
    assertThat(run("jobs", "cancel", "nope").code).isEqualTo(1);
    assertThat(run("streams", "stats", "nope").code).isEqualTo(1);
  }

  @Test
  void jobs_are_listed_by_states_that_exist() {
    Cli.Done done =
        Cli.here("jobs", "list", "--state", "foo", "--server", server.address().toString());

    assertThat(done.code()).isEqualTo(2);
    assertThat(done.err()).contains("ready", "inflight", "dlq").hasLineCount(1);
  }

  @Test
  void the_failure_of_a_dead_letter_is_an_object() throws IOException {
    ok("streams", "configure", "failing", "--option", "retryLimit=0");
    ok("push", "failing", "{}", "--transaction", "t1");
    JsonNode popped = json("pop", "failing").get(0);
    String partition = popped.get("partitionId").asText();
    ok("ack", partition, "t1", "--lease", popped.get("leaseId").asText(), "--failed", "no tea");

    JsonNode failure = json("streams", "dead", "failing").get(0).get("failure");

    assertThat(failure.get("reason").asText()).isEqualTo("retry_limit");
    assertThat(failure.get("error").asText()).isEqualTo("no tea");
    assertThat(failure.get("attempt").isInt()).isTrue();
    assertThat(ok("streams", "dead", "failing")).contains("reason=retry_limit error=no tea");
  }

  @Test
  void a_lock_is_taken_and_given_back() throws IOException {
    String id = json("acquire", "deploy", "--ttl", "1m").get("lockId").asText();
    assertThat(run("acquire", "deploy").code).isEqualTo(75);
    assertThat(ok("release", id)).contains("released");
    assertThat(run("release", id).code).isEqualTo(1);
    assertThat(run("release", "-" + id.substring(1)).code).isEqualTo(1);
    assertThat(run("release", id, "--nonsense").code).isEqualTo(2);
  }

  @Test
  void a_token_gets_a_line_of_its_own_in_a_file_that_ends_inside_one() throws IOException {
    Path tokens = Files.writeString(directory.resolve("tokens"), "# ours");

    Cli.here("token", "create", "ann", "--role", "read", "--file", tokens.toString());
    Cli.here("token", "create", "bob", "--role", "read", "--file", tokens.toString());

    assertThat(Files.readAllLines(tokens))
        .hasSize(3)
        .satisfiesExactly(
            first -> assertThat(first).isEqualTo("# ours"),
            second -> assertThat(second).startsWith("ann"),
            third -> assertThat(third).startsWith("bob"));
  }

  @Test
  void top_shows_everything_once() throws IOException {
    ok("queues", "create", "top-queue");
    ok("push", "top-stream", "{}");
    ok("pop", "top-stream", "--group", "g");
    ok("enqueue", "t", "{}", "--queue", "top-jobs");

    assertThat(ok("top", "--times", "1"))
        .contains("top-queue", "top-stream", "top-jobs", "waiters");
    assertThat(json("top", "--times", "1").get("queues").findValuesAsText("queue"))
        .contains("top-queue");
  }

  @Test
  void bench_measures_for_a_while_and_draws() throws IOException {
    Path plot = directory.resolve("plot.png");
    for (String subject : List.of("queue", "stream", "job", "lock")) {
      JsonNode figures =
          json("bench", subject, "--seconds", "1", "--callers", "2", "--png", plot.toString());
      assertThat(figures).isNotEmpty();
      assertThat(figures.get(0).get("perSecond").asLong()).isPositive();
    }
    assertThat(ImageIO.read(plot.toFile()).getWidth()).isPositive();
    Files.delete(plot);
    assertThat(queuesOfBenchmarks())
        .allSatisfy(queue -> assertThat(waitingIn(queue)).as(queue).isZero());
    assertThat(run("bench", "nothing").code).isEqualTo(2);
  }

  private static List<String> queuesOfBenchmarks() {
    return HOLDFAST.jobs().queues().list().stream()
        .map(queue -> queue.queue())
        .filter(queue -> queue.startsWith("holdfast-bench"))
        .toList();
  }

  private static int waitingIn(String queue) {
    return HOLDFAST.jobs().list(new JobQuery(queue, "ready", null, 10, null)).jobs().size();
  }

  @Test
  void bench_does_not_run_for_a_plot_that_cannot_be_written() {
    String plot = directory.resolve("missing").resolve("plot.png").toString();
    String address = server.address().toString();

    Cli.Done done = Cli.here("bench", "lock", "--seconds", "1", "--png", plot, "--server", address);

    assertThat(done.code()).isEqualTo(2);
    assertThat(done.out()).isEmpty();
    assertThat(done.err()).contains("--png: cannot write").hasLineCount(1);
  }

  @Test
  void mistakes_are_told_and_end_with_two() {
    for (String address : List.of("garbage", "ftp://localhost", "http://")) {
      int code = Main.execute(System.out, "queues", "list", "--server", address);
      assertThat(code).as(address).isEqualTo(2);
    }
    assertThat(run("queues", "list", "--db", "postgres://x/y").code).isEqualTo(2);
    assertThat(run("streams", "configure", "s", "--option", "nonsense=1").code).isEqualTo(2);
    assertThat(run("jobs", "retry", "x", "--run-at", "soon").code).isEqualTo(2);
    assertThat(run("queues").code).isEqualTo(2);
  }
}
