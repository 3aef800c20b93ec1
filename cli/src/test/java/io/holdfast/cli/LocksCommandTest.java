package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockKey;
import io.holdfast.postgres.PostgresHoldfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code holdfast locks} on an embedded server: once in a process of its own, which shares the
 * server with this JVM, and otherwise in this one.
 */
class LocksCommandTest {
  @TempDir static Path directory;
  static EmbeddedPostgres postgres;
  static PostgresHoldfast holdfast;

  @BeforeAll
  static void open() {
    postgres = EmbeddedPostgres.open(directory.resolve("data"));
    holdfast = PostgresHoldfast.open(postgres.jdbcUrl(), Session.OPTIONS); // one pool for both
    holdfast.setup();
  }

  @AfterAll
  static void close() {
    holdfast.close();
    postgres.close();
  }

  private static String[] command(String... arguments) {
    Stream<String> data = Stream.of("--data", directory.resolve("data").toString());
    return Stream.of(Stream.of("locks"), Stream.of(arguments), data)
        .flatMap(part -> part)
        .toArray(String[]::new);
  }

  private static Cli.Done locks(String... arguments) {
    return Cli.here(command(arguments));
  }

  private static Acquired held(String key) {
    return (Acquired) holdfast.locks().acquire(key, Duration.ofMinutes(1));
  }

  private static JsonNode json(Cli.Done done) throws JsonProcessingException {
    assertThat(done.code()).isZero();
    assertThat(done.err()).isEmpty();
    return new ObjectMapper().readTree(done.out());
  }

  @Test
  void keys_are_listed_as_hashes_unless_raw_is_asked() {
    try (Acquired lock = held("list:secret")) {
      Cli.Done hashed = Cli.run(command("list", "--prefix", "list:"));
      Cli.Done raw = locks("list", "--prefix", "list:", "--raw");

      assertThat(hashed.out())
          .hasLineCount(2)
          .contains(lock.fence().text(), LockKey.of("list:secret").hash())
          .doesNotContain("secret", lock.lockId());
      assertThat(raw.out()).contains("list:secret").doesNotContain(lock.lockId());
    }
  }

  @Test
  void a_list_in_json_goes_on_after_a_key() throws JsonProcessingException {
    try (Acquired first = held("page:a");
        Acquired second = held("page:b\u001b[2J");
        Acquired third = held("page:c")) {
      JsonNode page =
          json(
              locks(
                  "list",
                  "--json",
                  "--raw",
                  "--prefix",
                  "page:",
                  "--after",
                  "page:a",
                  "--limit",
                  "1"));

      assertThat(page.get("locks")).hasSize(1);
      JsonNode lock = page.get("locks").get(0);
      assertThat(lock.get("key").textValue()).isEqualTo("page:b\u001b[2J");
      assertThat(lock.get("fence").textValue()).isEqualTo(second.fence().text());
      assertThat(lock.get("expiresAtMs").longValue()).isEqualTo(second.expiresAt().toEpochMilli());
      assertThat(lock.has("lockId")).isFalse();
      assertThat(List.of(first, third)).allMatch(Acquired::isHeld);
    }
  }

  @Test
  void a_key_cannot_command_the_terminal() {
    try (Acquired lock = held("evil:\u001b[2J\nforged line")) {
      Cli.Done done = locks("list", "--raw", "--prefix", "evil:");

      assertThat(done.out()).hasLineCount(2).contains("evil:\\u{1b}[2J\\u{a}forged line");
      assertThat(lock.isHeld()).isTrue();
    }
  }

  @Test
  void show_tells_a_taken_key_from_a_free_one() throws JsonProcessingException {
    try (Acquired lock = held("show")) {
      JsonNode taken = json(locks("show", "show", "--json"));
      assertThat(taken.get("locked").booleanValue()).isTrue();
      assertThat(taken.get("lock").get("fence").textValue()).isEqualTo(lock.fence().text());
      assertThat(taken.get("remainingMs").longValue()).isBetween(1L, 61_000L);
      assertThat(locks("show", "show").out())
          .contains("key       show", "state     locked", "fence     " + lock.fence());
    }
    JsonNode free = json(locks("show", "show", "--json"));
    assertThat(free.get("locked").booleanValue()).isFalse();
    assertThat(free.get("lock").isNull()).isTrue();
    assertThat(free.get("counter").longValue()).isEqualTo(1);
  }

  @Test
  void stats_count_what_is_held() throws JsonProcessingException {
    long before = json(locks("stats", "--json")).get("liveLocks").longValue();
    try (Acquired lock = held("stats")) {
      assertThat(json(locks("stats", "--json")).get("liveLocks").longValue()).isEqualTo(before + 1);
      assertThat(locks("stats").out()).contains("live locks    " + (before + 1), "waiters       0");
      assertThat(lock.isHeld()).isTrue();
    }
  }

  @Test
  void a_break_needs_the_fence_of_the_holder() {
    Acquired lock = held("break");

    Cli.Done wrong = locks("break", "break", "--fence", "77");
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(wrong.out()).isEmpty();
    assertThat(wrong.err())
        .isEqualTo(
            "holdfast: nothing was broken: the key is not locked under fence 000000000000077\n");
    assertThat(holdfast.locks().owns(lock.lockId())).isTrue();

    Cli.Done right = locks("break", "break", "--fence", lock.fence().text());
    assertThat(right)
        .isEqualTo(new Cli.Done(0, "broken: the lock with fence " + lock.fence() + "\n", ""));
    assertThat(holdfast.locks().isLocked("break")).isFalse();
  }

  @Test
  void tables_that_do_not_exist_are_not_made_by_looking() {
    Cli.Done done = locks("list", "--table", "other_locks", "--fence-table", "other_fences");

    assertThat(done.code()).isEqualTo(1);
    assertThat(done.out()).isEmpty();
    assertThat(done.err())
        .startsWith("holdfast: InvalidArgument: the lock schema is not set up")
        .hasLineCount(1);
  }
}
