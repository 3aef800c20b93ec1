package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.testkit.net.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast run} on an embedded server that it shares with this JVM. */
class RunCommandTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir static Path directory;
  static EmbeddedPostgres postgres;
  static PostgresHoldfast holdfast;

  @BeforeAll
  static void open() {
    postgres = EmbeddedPostgres.open(directory.resolve("data"));
    holdfast = PostgresHoldfast.open(postgres.jdbcUrl());
  }

  @AfterAll
  static void close() {
    holdfast.close();
    postgres.close();
  }

  private static Cli run(String key, String... more) {
    String data = directory.resolve("data").toString();
    Stream<String> first = Stream.of("run", "--data", data, "--lock", key);
    return Cli.start(Stream.concat(first, Stream.of(more)).toArray(String[]::new));
  }

  private static Acquired held(String key) {
    return (Acquired) holdfast.locks().acquire(key, MINUTE);
  }

  private static boolean isFree(String key) {
    return holdfast.locks().lookup(key).isEmpty();
  }

  @Test
  void a_command_gets_the_key_and_a_fence_of_15_digits_that_grows() {
    for (int grant = 1; grant <= 2; grant++) {
      try (Cli cli = run("fence", "sh", "-c", "echo $HOLDFAST_LOCK_KEY $HOLDFAST_FENCE")) {
        assertThat(cli.end()).isEqualTo(new Cli.Done(0, "fence 00000000000000" + grant + "\n", ""));
      }
    }
    assertThat(isFree("fence")).isTrue();
  }

  @Test
  void the_exit_code_is_that_of_the_command() {
    try (Cli failing = run("code", "--", "sh", "-c", "exit 7");
        Cli killed = run("signal", "--", "sh", "-c", "kill -KILL $$");
        Cli missing = run("missing", "--", "no-such-program");
        Cli unusable = run("unusable", "--", "/")) {
      assertThat(failing.end()).isEqualTo(new Cli.Done(7, "", ""));
      assertThat(killed.end()).isEqualTo(new Cli.Done(137, "", ""));
      assertThat(missing.end())
          .isEqualTo(new Cli.Done(127, "", "holdfast: no-such-program: not found\n"));
      assertThat(unusable.end()).isEqualTo(new Cli.Done(126, "", "holdfast: /: cannot be run\n"));
    }
  }

  @Test
  void arguments_reach_the_command_as_they_are() {
    try (Cli cli = run("args", "printf", "<%s>", "--", "-h", "@file", "a b", "", "${x}", "é")) {
      assertThat(cli.end()).isEqualTo(new Cli.Done(0, "<--><-h><@file><a b><><${x}><é>\n", ""));
    }
  }

  @Test
  void a_taken_lock_is_exit_75_and_the_command_does_not_run() {
    try (Acquired lock = held("taken");
        Cli cli = run("taken", "--", "echo", "ran")) {
      Cli.Done done = cli.end();

      assertThat(done.code()).isEqualTo(75);
      assertThat(done.out()).isEmpty();
      assertThat(done.err()).startsWith("holdfast: the lock is taken").hasLineCount(1);
      assertThat(lock.isHeld()).isTrue();
    }
  }

  @Test
  void a_waiter_gets_the_lock_after_its_release() {
    try (Acquired lock = held("wait");
        Cli cli = run("wait", "--wait", "1m", "--", "echo", "ran")) {
      awaitWaiter("wait");
      lock.release();

      assertThat(cli.end()).isEqualTo(new Cli.Done(0, "ran\n", ""));
    }
  }

  @Test
  void a_waiter_that_is_told_to_stop_leaves_at_once_and_quietly() {
    try (Acquired lock = held("give up");
        Cli cli = run("give up", "--wait", "1h", "--", "echo", "ran")) {
      awaitWaiter("give up");
      cli.signal("TERM");

      assertThat(cli.end()).isEqualTo(new Cli.Done(143, "", ""));
      assertThat(holdfast.locks().operator().inspect("give up").waiters()).isEmpty();
      assertThat(lock.isHeld()).isTrue();
    }
  }

  private static void awaitWaiter(String key) {
    Cli.await(
        "somebody waits", () -> !holdfast.locks().operator().inspect(key).waiters().isEmpty());
  }

  /**
   * The counter is unsafe on purpose: two at once would lose an update or meet in the directory.
   */
  @Test
  void commands_under_one_key_never_overlap() throws IOException {
    Path counter = directory.resolve("counter");
    Files.writeString(counter, "0\n");
    String section =
        "cd '%s'; mkdir busy || echo overlap; n=$(cat counter); echo $((n + 1)) >counter; rmdir busy"
            .formatted(directory);
    List<Cli> all =
        Stream.generate(() -> run("counter", "--wait", "1m", "--", "sh", "-c", section))
            .limit(4)
            .toList();

    assertThat(all.stream().map(Cli::end)).containsOnly(new Cli.Done(0, "", ""));
    assertThat(counter).hasContent("4");
  }

  @Test
  void a_lock_is_renewed_while_its_command_runs() {
    try (Cli cli = run("renewed", "--ttl", "10s", "--", "sh", "-c", "echo up; read x; exit 5")) {
      cli.line("up");
      Cli.await("a renewal", () -> lifetime("renewed").compareTo(Duration.ofSeconds(10)) > 0);

      assertThat(cli.hangUp().end()).isEqualTo(new Cli.Done(5, "up\n", ""));
    }
  }

  private static Duration lifetime(String key) {
    LockInfo lock = holdfast.locks().lookup(key).orElseThrow();
    return Duration.between(lock.acquiredAt(), lock.expiresAt());
  }

  @Test
  void the_key_of_a_killed_holdfast_is_free_after_its_lease() {
    try (Cli cli = run("killed", "--ttl", "2s", "--", "sh", "-c", "echo up; read x")) {
      cli.line("up");
      cli.signal("KILL");

      Acquired next = (Acquired) holdfast.locks().acquire("killed", MINUTE, Wait.upTo(MINUTE));
      assertThat(next.fence().value()).isEqualTo(2);
      assertThat(cli.hangUp().end().code()).isEqualTo(137);
    }
  }

  @Test
  void a_killed_holdfast_takes_its_command_with_it() throws Exception {
    assumeTrue(hasSetpriv(), "no setpriv --pdeathsig here");
    try (Cli cli =
        run("leash", "--", "sh", "-c", "trap '' TERM HUP; echo up $$; exec sleep 1000")) {
      String command = cli.line("up");
      cli.signal("KILL");

      assertThat(cli.end().code()).isEqualTo(137); // nobody has its output any more
      Cli.await("the end of the command", () -> !Cli.isAlive(command));
    }
  }

  private static boolean hasSetpriv() throws IOException, InterruptedException {
    Process help = new ProcessBuilder("sh", "-c", "setpriv --pdeathsig KILL true").start();
    return help.waitFor() == 0;
  }

  @Test
  void a_command_whose_lock_is_lost_gets_a_SIGTERM_and_then_a_SIGKILL() {
    String script =
        """
        trap '' TERM
        sleep 1000 &
        trap 'echo term' TERM
        echo up $HOLDFAST_FENCE $!
        while :; do wait; done
        """;
    try (Cli cli = run("lost", "--ttl", "6s", "--grace", "300ms", "--", "sh", "-c", script)) {
      String below = cli.line("up 000000000000001");
      assertThat(holdfast.locks().operator().breakLock("lost", new Fence(1))).isTrue();

      Cli.Done done = cli.end();
      assertThat(done.code()).isEqualTo(1);
      assertThat(done.out()).contains("term");
      assertThat(done.err())
          .isEqualTo(
              "holdfast: LeaseLost: the lock was broken, or somebody else has it; ending the command\n");
      assertThat(Cli.isAlive(below)).isFalse();
    }
  }

  @Test
  void a_lock_that_was_lost_unnoticed_is_a_failure_too() {
    try (Cli cli = run("unnoticed", "--", "sh", "-c", "echo up; read x")) {
      cli.line("up");
      holdfast.locks().operator().breakLock("unnoticed", new Fence(1));

      Cli.Done done = cli.hangUp().end();
      assertThat(done.code()).isEqualTo(1);
      assertThat(done.err()).contains("LeaseLost").hasLineCount(1);
    }
  }

  @Test
  void without_the_database_the_command_is_dead_before_anybody_else_can_have_the_lock()
      throws IOException {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", postgres.port());
        Cli cli = runThrough(proxy)) {
      String command = cli.line("up");
      proxy.freeze();

      holdfast.locks().acquire("away", MINUTE, Wait.upTo(MINUTE));
      assertThat(Cli.isAlive(command)).isFalse();
      proxy.refuse(true);
      proxy.cut();
      Cli.Done done = cli.end();
      assertThat(done.code()).isEqualTo(1);
      assertThat(done.err()).contains("LeaseLost: the lock could not be renewed in time");
    }
  }

  private static Cli runThrough(TcpProxy proxy) {
    String url = postgres.jdbcUrl().replace(":" + postgres.port() + "/", ":" + proxy.port() + "/");
    String script = "trap '' TERM; echo up $$; exec sleep 1000";
    return Cli.start(
        "run", "--db", url, "--lock", "away", "--ttl", "2s", "--grace", "1h", "sh", "-c", script);
  }

  @Test
  void a_stopped_holdfast_ends_what_its_command_leaves_behind() {
    String script = "sleep 1000 & echo up $!; wait; echo not reached";
    try (Cli cli = run("behind", "--", "sh", "-c", script)) {
      String below = cli.line("up");
      cli.signal("TERM"); // a SIGINT is ignored by whatever runs in the background of a shell
      assertThat(cli.end().code()).isEqualTo(143);
      assertThat(Cli.isAlive(below)).isFalse();
      assertThat(isFree("behind")).isTrue();
    }
  }

  @Test
  void a_stopped_holdfast_stops_its_command_and_releases_the_lock_at_once() {
    String script = "trap 'echo bye; exit 3' TERM; echo up; while :; do read x; done";
    try (Cli cli = run("stopped", "--ttl", "1h", "--", "sh", "-c", script)) {
      cli.line("up");
      cli.signal("TERM");

      assertThat(cli.end()).isEqualTo(new Cli.Done(3, "up\nbye\n", ""));
      assertThat(isFree("stopped")).isTrue();
    }
  }
}
