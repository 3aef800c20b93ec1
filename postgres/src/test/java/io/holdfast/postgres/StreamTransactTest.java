package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.about;
import static io.holdfast.postgres.StreamFixture.entry;
import static io.holdfast.postgres.StreamFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Entry;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.Transacted;
import io.holdfast.stream.Verdict;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes and verdicts that commit together, also with a caller's transaction. */
@Timeout(60)
class StreamTransactTest {
  private final StreamFixture streams = StreamFixture.manual();

  @AfterEach
  void close() {
    assertThat(streams.drift()).isNull();
    streams.close();
  }

  private Transacted transact(List<Entry> entries, List<Ack> acks, UUID... required) {
    return ((StreamLog.Settled) streams.log.transact(entries, acks, Set.of(required), CALL))
        .transacted();
  }

  private Popped popped(String... texts) {
    streams.push("p", texts);
    return streams.pop();
  }

  private static Batch.Held lease(Popped popped) {
    return Objects.requireNonNull(popped.batches().get(0).lease());
  }

  @Test
  void pushes_and_acks_commit_together() {
    Popped popped = popped("1");

    Transacted done =
        transact(
            List.of(entry("r", "x", "2"), entry("q", "p", "3")), popped.ackAll(Verdict.COMPLETED));

    assertThat(done.isCommitted()).isTrue();
    assertThat(done.pushed()).extracting(Pushed::offset).containsExactly(1L, 2L);
    assertThat(done.acked()).allMatch(Acked::isReleased);
    assertThat(texts(streams.pop())).containsExactly("3");
    assertThat(texts(streams.pop(PopRequest.of("r")))).containsExactly("2");
  }

  @Test
  void a_refused_ack_undoes_everything_and_a_duplicate_does_not() {
    Popped popped = popped("1", "2");
    streams.push(entry("r", "x", "0", "t"));

    Transacted refused =
        transact(
            List.of(entry("r", "x", "9"), entry("s", "y", "9")),
            List.of(about(popped, 0, Verdict.FAILED), about(popped, 1, Verdict.COMPLETED)));

    assertThat(refused.isCommitted()).isFalse();
    assertThat(refused.pushed()).isEmpty();
    assertThat(refused.acked()).extracting(Acked::error).containsExactly(null, StreamError.REWOUND);
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_message")).isEqualTo("3");
    assertThat(streams.cursor("retry_count")).isEqualTo("0");
    Transacted done =
        transact(List.of(entry("r", "x", "1", "t")), popped.ackAll(Verdict.COMPLETED));
    assertThat(done.isCommitted()).isTrue();
    assertThat(done.pushed().get(0).status()).isEqualTo(Pushed.Status.DUPLICATE);
  }

  @Test
  void an_unknown_partition_refuses_too() {
    Popped popped = popped("1");
    Ack ack = popped.ackAll(Verdict.COMPLETED).get(0);
    Ack stray =
        new Ack(UUID.randomUUID(), "g", ack.leaseId(), ack.message(), Verdict.COMPLETED, null);

    Transacted refused = transact(List.of(entry("q", "p", "2")), List.of(ack, stray));

    assertThat(refused.isCommitted()).isFalse();
    assertThat(refused.acked().get(1).error()).isEqualTo(StreamError.LEASE_LOST);
    assertThat(streams.cursor("committed")).isEqualTo("0");
  }

  @Test
  void an_ack_makes_room_for_the_push_of_its_transaction() {
    streams.configure("max_queue_size = 1");
    Popped popped = popped("1");

    Transacted done = transact(List.of(entry("q", "p", "2")), popped.ackAll(Verdict.COMPLETED));

    assertThat(done.pushed().get(0).capacity()).isEqualTo(new Pushed.Capacity(1, 0));
    Popped next = streams.pop();
    assertThatThrownBy(
            () ->
                transact(
                    List.of(entry("q", "p", "3"), entry("q", "p", "4")),
                    next.ackAll(Verdict.COMPLETED)))
        .isInstanceOf(QueueFullException.class);
    assertThat(streams.cursor("committed")).isEqualTo("1");
  }

  @Test
  void an_ack_without_a_lease_is_fenced_by_a_required_one() {
    Popped popped = popped("1");
    Ack ack = popped.ackAll(Verdict.COMPLETED).get(0);
    Ack bare = new Ack(ack.partitionId(), "g", null, ack.message(), ack.verdict(), null);

    assertThat(transact(List.of(), List.of(bare), UUID.randomUUID()).isCommitted()).isFalse();
    assertThat(transact(List.of(), List.of(bare), lease(popped).id()).isCommitted()).isTrue();
  }

  @Test
  void a_callers_rollback_leaves_no_trace_and_its_commit_delivers() throws Exception {
    Popped popped = popped("1");
    try (Connection connection = TestDatabase.begin()) {
      StreamsInTransaction in = streams.in(connection);
      in.push(List.of(NewMessage.to("q", "2").in("p"), NewMessage.to("new", "3").in("x")));
      in.push(List.of(NewMessage.to("new", "4").in("y"), NewMessage.to("q", "5").in("z")));
      in.ack(popped.ackAll(Verdict.COMPLETED));
      connection.rollback();
      assertThat(streams.query("SELECT count(*) FROM holdfast.stream_message")).isEqualTo("1");
      assertThat(streams.cursor("committed")).isEqualTo("0");

      in.push(List.of(NewMessage.to("q", "2").in("p"), NewMessage.to("new", "3").in("x")));
      in.push(List.of(NewMessage.to("new", "4").in("y"), NewMessage.to("q", "5").in("z")));
      in.ack(popped.ackAll(Verdict.COMPLETED));
      connection.commit();
    }

    assertThat(texts(streams.pop(streams.request().partitions(9))))
        .containsExactlyInAnyOrder("2", "5");
    assertThat(texts(streams.pop(PopRequest.of("new").batch(9).partitions(9)))).hasSize(2);
  }

  @Test
  void a_refusal_leaves_the_callers_transaction_usable() throws Exception {
    streams.configure("max_queue_size = 1");
    Popped popped = popped("1");
    try (Connection connection = TestDatabase.begin()) {
      StreamsInTransaction in = streams.in(connection);
      assertThatThrownBy(() -> in.push(List.of(NewMessage.to("q", "2"))))
          .isInstanceOf(QueueFullException.class);
      Transacted refused =
          in.transact(
              List.of(NewMessage.to("r", "2")),
              List.of(
                  about(popped, 0, Verdict.COMPLETED),
                  new Ack(
                      popped.batches().get(0).partitionId(),
                      "g",
                      lease(popped).id(),
                      Ack.Target.offset(99),
                      Verdict.COMPLETED,
                      null)));
      assertThat(refused.isCommitted()).isFalse();
      in.push(List.of(NewMessage.to("s", "ok")));
      connection.commit();
    }

    assertThat(texts(streams.pop(PopRequest.of("s")))).containsExactly("ok");
    assertThat(streams.pop(PopRequest.of("r")).isEmpty()).isTrue();
    assertThat(streams.cursor("committed")).isEqualTo("0");
  }

  @Test
  void consumers_and_producers_of_other_partitions_do_not_wait_for_a_caller() throws Exception {
    Popped popped = popped("1");
    streams.push("o", "a");
    try (Connection connection = TestDatabase.begin()) {
      StreamsInTransaction in = streams.in(connection);
      in.push(List.of(NewMessage.to("q", "2").in("p"), NewMessage.to("q", "3").in("new")));

      assertThat(streams.ack(popped, Verdict.COMPLETED)).allMatch(Acked::isReleased);
      assertThat(texts(streams.pop())).containsExactly("a");
      streams.push("o", "b");
      streams.push("newer", "c");
      connection.commit();
    }

    streams.manual.advanceMs(100);
    assertThat(texts(streams.pop(streams.request().partitions(9))))
        .containsExactlyInAnyOrder("2", "3", "c");
  }

  @Test
  void an_open_ack_keeps_the_partition_from_others() throws Exception {
    Popped popped = popped("1", "2");
    try (Connection connection = TestDatabase.begin()) {
      streams.in(connection).ack(List.of(about(popped, 0, Verdict.COMPLETED)));
      streams.advance(300);
      assertThat(streams.pop().isEmpty()).isTrue();
      connection.commit();
    }
    assertThat(texts(streams.pop())).containsExactly("2");
  }

  @Test
  void a_snapshot_older_than_its_locks_is_refused() throws Exception {
    Popped popped = popped("1");
    try (Connection connection = TestDatabase.begin()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      StreamsInTransaction in = streams.in(connection);
      assertThatThrownBy(() -> in.push(List.of(NewMessage.to("q", "2"))))
          .isInstanceOfSatisfying(
              StreamException.class,
              e -> assertThat(e.error()).isEqualTo(StreamError.INVALID_ARGUMENT));
      assertThatThrownBy(() -> in.transact(List.of(), popped.ackAll(Verdict.COMPLETED)))
          .isInstanceOf(StreamException.class);
      assertThat(in.ack(popped.ackAll(Verdict.COMPLETED))).allMatch(Acked::isSuccess);
      connection.rollback();
    }
    try (Connection connection = TestDatabase.connect()) {
      assertThatThrownBy(() -> streams.in(connection).push(List.of(NewMessage.to("q", "2"))))
          .isInstanceOf(StreamException.class);
    }
  }

  @Test
  void a_guard_holds_the_lease_until_the_commit() throws Exception {
    Popped popped = popped("1");
    UUID partition = popped.batches().get(0).partitionId();
    try (Connection connection = TestDatabase.begin()) {
      StreamsInTransaction in = streams.in(connection);
      in.assertLease(lease(popped).id(), partition, "g", lease(popped).fence());
      streams.advance(300);
      assertThat(streams.pop().isEmpty()).isTrue();
      connection.commit();
      assertThatThrownBy(
              () -> in.assertLease(lease(popped).id(), partition, "g", lease(popped).fence()))
          .isInstanceOfSatisfying(
              StreamException.class, e -> assertThat(e.error()).isEqualTo(StreamError.LEASE_LOST));
      connection.rollback();
    }
    Popped next = streams.pop();
    assertThat(next.isEmpty()).isFalse();
    try (Connection connection = TestDatabase.begin()) {
      StreamsInTransaction in = streams.in(connection);
      assertThat(in.release(lease(next).id(), null)).isEqualTo(1);
      connection.commit();
    }
    assertThat(texts(streams.pop())).containsExactly("1");
  }
}
