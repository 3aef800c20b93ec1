package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Entry;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a call touches depends neither on history nor on the number of partitions. The session that
 * is measured is warm before the tables grow.
 */
@Timeout(180)
class StreamPlanTest {
  private static final Pattern BUFFERS = Pattern.compile("shared hit=(\\d+)(?: read=(\\d+))?");
  private static final int MANY = 20_000;
  private static final int WARM = 7;

  private final StreamFixture streams = StreamFixture.real();
  private final Connection session = connect();

  private static Connection connect() {
    try {
      return new PgSource(ConnectionString.parse(TestDatabase.url()), Duration.ofSeconds(10))
          .getConnection();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws SQLException {
    session.close();
    streams.close();
  }

  @Test
  void history_costs_nothing() throws SQLException {
    streams.push(entries(10, 1));
    streams.pop(streams.request().batch(10).partitions(10));
    warm();
    Cost few = cost("p0");
    history(MANY);
    analyze();

    Cost many = cost("p0");

    many.requireLike(few);
  }

  @Test
  void partitions_cost_nothing_whether_pending_or_not() throws SQLException {
    streams.push(entries(10, 1));
    streams.pop(streams.request());
    warm();
    Cost few = cost("p0");
    partitions(MANY);
    analyze();

    Cost idle = cost("p0");
    streams.update(
        "UPDATE holdfast.stream_cursor SET ready_at = clock_timestamp() WHERE ready_at IS NULL");
    analyze();
    Cost pending = cost("p0");

    idle.requireLike(few);
    pending.requireLike(few);
  }

  /** Also when the statements were planned for a few of them, and nobody has counted since. */
  @Test
  void a_push_to_many_partitions_looks_once_for_each() throws SQLException {
    streams.push(entries(10, 1));
    streams.pop(streams.request());
    warm();
    partitions(2_000);
    List<Entry> many = new ArrayList<>();
    for (int i = 1; i <= 1_000; i++) {
      many.add(entry("q", "other" + i, "x", "t" + i));
    }

    assertThat(push(many) / many.size()).isLessThan(60);
  }

  /** Also when partitions were counted while each queue had one. */
  @Test
  @Guarantee("SF26")
  void a_new_group_makes_cursors_for_many_partitions_by_one_look_for_each() throws SQLException {
    streams.update(
        """
        INSERT INTO holdfast.stream_partition (queue_id, id, name, created_at)
        SELECT i, 1, 'p', now() FROM generate_series(100000, 102000) AS i;
        ANALYZE holdfast.stream_partition;
        DELETE FROM holdfast.stream_partition
        """);
    streams.push(entries(10, 1));
    partitions(40_000);
    streams.pop(streams.request());
    String seed =
        """
        SELECT holdfast.stream_seed_v2(NULL, s.queue_id, s.id, NULL) FROM holdfast.stream_subscription AS s
         WHERE s.name IS NOT NULL
        """;

    for (int step = 2; step <= 4; step++) { // the pop made the first
      assertThat(explain(seed, binds -> {})).as("pages of a thousand").isLessThan(16_000);
      assertThat(streams.query("SELECT count(*) FROM holdfast.stream_cursor"))
          .isEqualTo(Integer.toString(step * 1_000));
    }
  }

  private static List<Entry> entries(int partitions, int each) {
    List<Entry> all = new ArrayList<>();
    for (int i = 0; i < partitions * each; i++) {
      all.add(entry("q", "p" + i % partitions, "x", "t" + System.nanoTime() + i));
    }
    return all;
  }

  /** Committed messages below the cursors of {@code p0}. */
  private void history(int count) {
    streams.update(
        """
        INSERT INTO holdfast.stream_message
               (queue_id, partition_id, off, id, transaction_id, payload, encrypted, created_at)
        SELECT p.queue_id, p.id, p.last_offset + i, gen_random_uuid(), 'h' || i, 'x', false,
               p.last_at + i * interval '1 microsecond'
          FROM holdfast.stream_partition AS p, generate_series(1, {n}) AS i WHERE p.name = 'p0';
        UPDATE holdfast.stream_partition SET last_offset = last_offset + {n},
               last_at = last_at + {n} * interval '1 microsecond' WHERE name = 'p0';
        UPDATE holdfast.stream_cursor AS c SET committed = p.last_offset, batch_end = p.last_offset
          FROM holdfast.stream_partition AS p WHERE p.id = c.partition_id AND p.name = 'p0'
        """
            .replace("{n}", Integer.toString(count)));
  }

  /** Drained partitions. */
  private void partitions(int count) {
    streams.update(
        """
        INSERT INTO holdfast.stream_partition (queue_id, id, name, created_at)
        SELECT q.id, 1000 + i, 'other' || i, now() FROM holdfast.stream_queue AS q, generate_series(1, {n}) AS i;
        INSERT INTO holdfast.stream_cursor (queue_id, partition_id, sub_id, committed, fence)
        SELECT s.queue_id, 1000 + i, s.id, 0, 1 FROM holdfast.stream_subscription AS s, generate_series(1, {n}) AS i
        """
            .replace("{n}", Integer.toString(count)));
  }

  private void warm() throws SQLException {
    for (int i = 0; i < WARM; i++) {
      cost("p1");
    }
  }

  /** As the server does by itself within a minute; a plan made for an empty table is made anew. */
  private void analyze() throws SQLException {
    for (String table : List.of("stream_message", "stream_partition", "stream_cursor")) {
      streams.update("ANALYZE holdfast." + table);
    }
    cost("p2"); // planning reads the catalogue
  }

  /** What calls touch, in pages. */
  private record Cost(long push, long pop, long ack) {
    void requireLike(Cost other) {
      // An index may have grown by a level or two.
      assertThat(push).as("push").isLessThan(other.push + other.push / 2 + 60);
      assertThat(pop).as("pop").isLessThan(other.pop + other.pop / 2 + 100);
      assertThat(ack).as("ack").isLessThan(other.ack + other.ack / 2 + 60);
    }
  }

  private Cost cost(String partition) throws SQLException {
    long push = push(List.of(entry("q", partition, "x", "t" + System.nanoTime())));
    PopRequest request = streams.request().partitions(1);
    StreamPops pops = new StreamPops(List.of(request), new StreamFloors(streams.kernel.time()));
    long pop = explain(StreamPops.POP, binds -> pops.bind(binds).at(null));
    // Expired so long ago that it comes first: a pop settles whatever is ready before it.
    streams.update(
        "UPDATE holdfast.stream_cursor SET ready_at = 'epoch' WHERE leased_at IS NOT NULL");
    Popped popped = streams.pop(request);
    List<Ack> acks = popped.ackAll(Verdict.COMPLETED);
    StreamVerdicts verdicts = new StreamVerdicts(acks);
    long ack =
        explain(
            "SELECT * FROM holdfast.stream_ack_v1(?::timestamptz, true, '{}', "
                + StreamVerdicts.PARAMETERS
                + ")",
            binds -> verdicts.bind(binds.at(null)));
    return new Cost(push, pop, ack);
  }

  private long push(List<Entry> all) throws SQLException {
    StreamEntries entries = new StreamEntries(all);
    return explain(
        "SELECT * FROM holdfast.stream_push_v1(?::timestamptz, true, "
            + StreamEntries.PARAMETERS
            + ")",
        binds -> entries.bind(binds.at(null)));
  }

  private interface Binder {
    void bind(Binds binds) throws SQLException;
  }

  private long explain(String sql, Binder binder) throws SQLException {
    try (PreparedStatement statement =
        session.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + streams.kernel.sql(sql))) {
      binder.bind(Binds.of(statement));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Matcher found = BUFFERS.matcher(rows.getString(1));
          if (found.find()) {
            String read = found.group(2);
            return Long.parseLong(found.group(1)) + (read == null ? 0 : Long.parseLong(read));
          }
        }
      }
    }
    throw new AssertionError("no buffers");
  }
}
