package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.GROUP;
import static io.holdfast.postgres.StreamFixture.entry;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.Entry;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams when the server restarts, when dead rows stay, and when there is very much of it. */
@Timeout(120)
class StreamEnduranceTest {
  private static final int LANES = 400;
  private static final int STEP = 1000;

  @Test
  @Guarantee("SF12")
  void a_consumer_goes_on_when_its_connections_are_killed_and_the_server_crashes(
      @TempDir Path directory) throws Exception {
    BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    PostgresOptions options =
        PostgresOptions.DEFAULTS.withStreams(
            StreamOptions.DEFAULTS.withPoll(Duration.ofMillis(200)));
    try (EmbeddedPostgres server = EmbeddedPostgres.open(directory.resolve("data"));
        PostgresHoldfast holdfast = PostgresHoldfast.open(server.jdbcUrl(), options)) {
      Streams streams = holdfast.streams();
      streams.configure(StreamConfig.of("orders").leaseFor(Duration.ofSeconds(1)));
      try (StreamConsumer consumer =
          streams.consume(
              "orders",
              "billing",
              handling -> handled.add(handling.message().payload().text()),
              ConsumerOptions.DEFAULTS)) {
        push(streams, "one");
        assertHandled(handled, "one");

        killBackends(server.jdbcUrl());
        push(streams, "two");
        assertHandled(handled, "two");

        crash(server.jdbcUrl());
        push(streams, "three");
        assertHandled(handled, "three");
        awaitSettled(streams);
        assertThat(consumer.stats().messages()).isGreaterThanOrEqualTo(3);
      }
    }
  }

  private static void awaitSettled(Streams streams) {
    long until = System.nanoTime() + SECONDS.toNanos(30);
    long pending = 1;
    while (pending > 0) {
      assertThat(System.nanoTime() - until).as("pending: %s", pending).isNegative();
      try {
        pending = streams.browser().tally("orders", "billing").pending();
      } catch (StreamException e) {
        assertThat(e.error()).isEqualTo(StreamError.UNAVAILABLE);
      }
    }
  }

  /** Repeats until it is in: the id makes one message of it. */
  private static void push(Streams streams, String text) {
    List<NewMessage> message = List.of(NewMessage.to("orders", text).in("p").once(text));
    for (int attempt = 1; ; attempt++) {
      try {
        streams.push(message);
        return;
      } catch (StreamException e) {
        assertThat(attempt).as("tries; " + e.getMessage()).isLessThan(100);
      }
    }
  }

  /** A message comes, perhaps again, and no other. */
  private static void assertHandled(BlockingQueue<String> handled, String text) throws Exception {
    String next = handled.poll(30, SECONDS);
    while (next != null && !next.equals(text)) {
      next = handled.poll(30, SECONDS);
    }
    assertThat(next).isEqualTo(text);
  }

  private static void killBackends(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity
           WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
          """);
    }
  }

  /** One of its processes dies: the server ends all others, and recovers from its log. */
  private static void crash(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      ProcessHandle backend = ProcessHandle.of(row.getLong(1)).orElseThrow();
      assertThat(backend.destroyForcibly()).isTrue();
      backend.onExit().get(20, SECONDS);
    }
  }

  /** Nothing that ends while the transaction is open can be cleaned up, so dead rows pile up. */
  @Test
  @Guarantee("SF20")
  void a_pop_costs_at_most_three_times_as_much_after_thousands_of_dead_rows_that_stay()
      throws Exception {
    try (StreamFixture streams = StreamFixture.manual();
        Connection pin = TestDatabase.connect()) {
      turn(streams, 2);
      pin.setAutoCommit(false);
      pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      RaceFixture.run(pin, "SELECT count(*) FROM pg_class");
      long early = popPages(streams);

      turn(streams, 10);

      long late = popPages(streams);
      assertThat(late).isLessThanOrEqualTo(3 * early);
      assertThat(popPages(streams, new StreamFloors(streams.manual)))
          .as("what the floor spares")
          .isGreaterThan(late);
      pin.rollback();
    }
  }

  /** Life cycles of all lanes, two seconds each; one message waits at the end. */
  private static void turn(StreamFixture streams, int turns) {
    List<Entry> entries =
        IntStream.range(0, LANES).mapToObj(lane -> entry("q", "p" + lane, "m")).toList();
    for (int turn = 0; turn < turns; turn++) {
      streams.push(entries);
      Popped popped = streams.pop(streams.request().batch(LANES).partitions(LANES));
      assertThat(popped.messages()).hasSize(LANES);
      streams.ack(popped, Verdict.COMPLETED);
      streams.advance(2);
    }
  }

  /** What one pop looks at when a message waits, from where the last one ended. */
  private static long popPages(StreamFixture streams) throws SQLException {
    streams.push("p0", "one");
    StreamFloors floors = new StreamFloors(streams.manual);
    StreamFloors.Key key = new StreamFloors.Key("q", GROUP);
    floors.begin(key);
    floors.reached(key, streams.now(), streams.cursor("queue_id") + "/" + streams.cursor("sub_id"));
    long pages = popPages(streams, floors);
    streams.ack(streams.pop(), Verdict.COMPLETED);
    streams.advance(2);
    return pages;
  }

  private static long popPages(StreamFixture streams, StreamFloors floors) throws SQLException {
    String explain = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) " + StreamPops.POP;
    StringBuilder plan = new StringBuilder();
    try (Connection connection = TestDatabase.begin();
        PreparedStatement statement = connection.prepareStatement(streams.kernel.sql(explain))) {
      for (int run = 0; run < 2; run++) {
        plan.setLength(0);
        PopRequest request = streams.request().batch(1);
        new StreamPops(List.of(request), floors).bind(Binds.of(statement)).now(streams.manual);
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            plan.append(rows.getString(1)).append('\n');
          }
        }
        connection.rollback();
      }
    }
    return pages(plan.toString());
  }

  /** The first line about buffers is about the whole plan. */
  private static long pages(String plan) {
    Matcher whole = Pattern.compile("Buffers: shared (.*)").matcher(plan);
    assertThat(whole.find()).as(plan).isTrue();
    Matcher part = Pattern.compile("(hit|read)=(\\d+)").matcher(whole.group(1));
    long pages = 0;
    while (part.find()) {
      pages += Long.parseLong(part.group(2));
    }
    return pages;
  }

  @Test
  @Guarantee("SF26")
  void a_new_group_over_many_partitions_is_served_after_one_step_of_a_thousand()
      throws SQLException {
    int partitions = 50_000;
    try (StreamFixture streams = StreamFixture.manual();
        Connection connection = TestDatabase.connect();
        Statement look = connection.createStatement()) {
      streams.push("first", "m");
      streams.update(
          """
          WITH many AS (
            INSERT INTO holdfast.stream_partition (queue_id, id, name, created_at)
            SELECT q.id, q.next_id + n, 'p' || n, q.created_at
              FROM holdfast.stream_queue AS q, generate_series(1, %1$d) AS n
            RETURNING id)
          UPDATE holdfast.stream_queue SET next_id = next_id + %1$d + 1
           WHERE (SELECT count(*) FROM many) > 0
          """
              .formatted(partitions));

      Popped first = streams.pop();
      long seeded = cursors(streams, look);
      assertThat(StreamFixture.texts(first)).containsExactly("m");
      assertThat(seeded).isEqualTo(STEP);

      PostgresStreamGroups groups = new PostgresStreamGroups(streams.kernel);
      int steps = 1;
      while (!groups.seed("q", GROUP, CALL)) {
        long now = cursors(streams, look);
        assertThat(now - seeded).isBetween(1L, (long) STEP);
        seeded = now;
        steps++;
      }
      assertThat(cursors(streams, look)).isEqualTo(partitions + 1);
      assertThat(steps).isEqualTo(partitions / STEP);
      streams.push("p" + partitions, "last");
      assertThat(StreamFixture.texts(streams.pop())).containsExactly("last");
    }
  }

  private static long cursors(StreamFixture streams, Statement look) throws SQLException {
    try (ResultSet row =
        look.executeQuery(streams.kernel.sql("SELECT count(*) FROM holdfast.stream_cursor"))) {
      row.next();
      return row.getLong(1);
    }
  }
}
