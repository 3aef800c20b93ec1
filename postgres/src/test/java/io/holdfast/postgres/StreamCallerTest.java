package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lease.Time;
import io.holdfast.stream.Batch;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Transacted;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams on a caller's own connection, with the caller's own rows. */
@Timeout(60)
class StreamCallerTest {
  private static final String KEY = "0123456789abcdef".repeat(4);

  private final String schema = TestDatabase.unique("s");
  private final PostgresHoldfast holdfast =
      PostgresHoldfast.open(
          TestDatabase.url(),
          PostgresOptions.DEFAULTS
              .withStreamSchema(schema)
              .withStreams(StreamOptions.DEFAULTS.withEncryptionKey(KEY))
              .withTime(Time.system()));
  private final Streams streams = holdfast.streams();

  @AfterEach
  void close() {
    holdfast.close();
    TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
  }

  private static PopRequest of(String queue) {
    return PopRequest.of(queue).group("g").batch(100);
  }

  private List<String> read(String queue) {
    Popped popped = streams.pop(of(queue));
    streams.ack(popped.ackAll(Verdict.COMPLETED));
    return popped.messages().stream().map(m -> m.payload().text()).toList();
  }

  private static List<NewMessage> message(String queue, String text) {
    return List.of(NewMessage.to(queue, text));
  }

  private static Connection open() throws SQLException {
    Connection connection = TestDatabase.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  @Guarantee("S84")
  void a_rolled_back_caller_transaction_leaves_no_trace() throws SQLException {
    streams.push(message("in", "a"));
    Popped held = streams.pop(of("in"));
    try (Connection connection = open()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();
      inside.push(message("out", "b"));
      inside.push(message("in", "c"));
      assertThat(inside.ack(held.ackAll(Verdict.COMPLETED)).get(0).isSuccess()).isTrue();
      connection.rollback();
    }

    assertThat(streams.admin().find("out")).isEmpty();
    assertThat(streams.ack(held.ackAll(Verdict.RETRY)).get(0).isSuccess()).isTrue();
    assertThat(read("in")).containsExactly("a");
    assertThat(streams.browser().depth("in").depth()).isZero();
  }

  @Test
  @Guarantee("S85")
  void a_committed_caller_transaction_is_delivered() throws SQLException {
    streams.push(message("in", "a"));
    Popped held = streams.pop(of("in"));
    try (Connection connection = open()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();
      inside.push(message("out", "b"));
      inside.ack(held.ackAll(Verdict.COMPLETED));
      assertThat(streams.pop(of("out")).isEmpty()).isTrue();
      connection.commit();
    }

    assertThat(read("out")).containsExactly("b");
    assertThat(streams.pop(of("in")).isEmpty()).isTrue();
    assertThat(streams.browser().depth("in").depth()).isZero();
  }

  @Test
  @Guarantee("S86")
  void consume_write_and_produce_happen_exactly_once() throws SQLException {
    Random random = new Random(42);
    streams.configure(StreamConfig.of("in").leaseFor(Duration.ofSeconds(1)));
    streams.push(IntStream.range(0, 30).mapToObj(i -> NewMessage.to("in", "m" + i)).toList());
    TestDatabase.execute("CREATE TABLE " + schema + ".effects (message text)");

    int done = 0;
    while (done < 30) {
      Popped popped =
          streams.pop(PopRequest.of("in").group("g").batch(3).waiting(Duration.ofSeconds(5)));
      done += handle(popped, random.nextInt(4));
    }

    assertThat(TestDatabase.query("SELECT count(*) FROM " + schema + ".effects")).isEqualTo("30");
    assertThat(TestDatabase.query("SELECT count(DISTINCT message) FROM " + schema + ".effects"))
        .isEqualTo("30");
    assertThat(read("out"))
        .containsExactlyElementsOf(IntStream.range(0, 30).mapToObj(i -> "m" + i).toList());
  }

  /** Commits, rolls back, forgets, or dies before the commit; answers how many took effect. */
  private int handle(Popped popped, int fate) throws SQLException {
    try (Connection connection = open()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();
      for (var message : popped.messages()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(
              "INSERT INTO " + schema + ".effects VALUES ('" + message.payload().text() + "')");
        }
        inside.push(message("out", message.payload().text()));
      }
      boolean isHeld =
          inside.ack(popped.ackAll(Verdict.COMPLETED)).stream().allMatch(a -> a.isSuccess());
      if (fate > 1 && isHeld) {
        connection.commit();
        return popped.messages().size();
      }
      if (fate == 1) {
        connection.abort(Runnable::run);
      } else {
        connection.rollback();
        streams.ack(popped.ackAll(Verdict.RETRY));
      }
      return 0;
    }
  }

  @Test
  void a_refused_transact_undoes_itself_and_no_more() throws SQLException {
    streams.push(message("in", "a"));
    Popped held = streams.pop(of("in"));
    streams.ack(held.ackAll(Verdict.RETRY));
    try (Connection connection = open()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();
      inside.push(message("out", "first"));
      Transacted refused =
          inside.transact(message("out", "second"), held.ackAll(Verdict.COMPLETED));
      assertThat(refused.isCommitted()).isFalse();
      assertThat(refused.acked().get(0).error()).isEqualTo(StreamError.LEASE_LOST);
      connection.commit();
    }

    assertThat(read("out")).containsExactly("first");
  }

  @Test
  void a_snapshot_that_hides_new_groups_is_refused() throws SQLException {
    try (Connection connection = open()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      StreamsInTransaction inside = holdfast.in(connection).streams();

      fails(StreamError.INVALID_ARGUMENT, () -> inside.push(message("out", "a")));
      fails(StreamError.INVALID_ARGUMENT, () -> inside.transact(message("out", "a"), List.of()));
    }
  }

  @Test
  void a_connection_without_a_transaction_is_refused() throws SQLException {
    try (Connection connection = TestDatabase.connect()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();

      fails(StreamError.INVALID_ARGUMENT, () -> inside.push(message("out", "a")));
    }
  }

  @Test
  void what_an_encrypted_queue_gets_is_encrypted_here_too() throws SQLException {
    streams.configure(StreamConfig.of("out").with(StreamOption.ENCRYPTION_ENABLED, true));
    try (Connection connection = open()) {
      holdfast.in(connection).streams().push(message("out", "secret"));
      connection.commit();
    }

    assertThat(
            TestDatabase.query(
                "SELECT encode(payload, 'escape') FROM " + schema + ".stream_message"))
        .doesNotContain("secret");
    assertThat(read("out")).containsExactly("secret");
  }

  @Test
  void a_lost_lease_fails_the_guard_and_a_good_one_holds_until_the_commit() throws SQLException {
    streams.configure(StreamConfig.of("in").leaseFor(Duration.ofSeconds(60)));
    streams.push(message("in", "a"));
    Popped held = streams.pop(of("in"));
    Batch batch = held.batches().get(0);
    Batch.Held lease = Objects.requireNonNull(batch.lease());
    try (Connection connection = open()) {
      StreamsInTransaction inside = holdfast.in(connection).streams();
      inside.assertLease(lease.id(), batch.partitionId(), "g", lease.fence());
      connection.commit();
      streams.release(lease.id(), null);

      fails(
          StreamError.LEASE_LOST,
          () -> inside.assertLease(lease.id(), batch.partitionId(), "g", lease.fence()));
      connection.rollback();
    }
  }

  private static void fails(StreamError error, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(StreamException.class, e -> assertThat(e.error()).isEqualTo(error));
  }
}
