package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.item;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Produced;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queue operations take effect with the caller's commit, or not at all. */
@Timeout(60)
class QueueTransactionTest {
  private final QueueFixture queues = QueueFixture.manual();
  private Connection connection;
  private QueuesInTransaction inside;

  @BeforeEach
  void begin() throws SQLException {
    connection = TestDatabase.begin();
    inside = new QueuesInTransaction(queues.store(), connection);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    queues.close();
  }

  @Test
  @Guarantee("Q93")
  void a_produce_in_a_rolled_back_transaction_leaves_nothing() throws SQLException {
    Partition partition = queues.open(queues.queue("orders"));

    inside.produce("orders", List.of(item("a")));
    connection.rollback();
    assertThat(partition.lease(9, CALL)).isEmpty();

    Produced produced = inside.produce("orders", 0, List.of(item("b"), item("c")));
    assertThat(partition.lease(9, CALL)).isEmpty();
    connection.commit();
    partition.hinted(produced.ids().get(0));
    assertThat(leaseIds(partition, 9)).isEqualTo(produced.ids());
  }

  @Test
  @Guarantee("Q94")
  void a_complete_takes_effect_at_the_commit() throws SQLException {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 2);

    inside.complete("orders", 0, ids.subList(0, 1));
    assertThat(inside.extend("orders", 0, ids.subList(1, 2), Duration.ofSeconds(7)))
        .isEqualTo(queues.now().plusSeconds(7));
    assertThat(queues.rows("orders", 0)).isEqualTo(2);
    connection.commit();

    assertThat(queues.rows("orders", 0)).isEqualTo(1);
  }

  @Test
  @Guarantee("Q95")
  void a_refused_call_leaves_the_transaction_usable() throws SQLException {
    Partition partition = queues.open(queues.queue("orders"));
    String id = produce(partition, "a").get(0);

    assertThatThrownBy(() -> inside.produce("nothing", List.of(item("x"))))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> inside.produce("orders", 3, List.of(item("x"))))
        .hasMessageContaining("partition is invalid");
    assertThatThrownBy(() -> inside.complete("orders", 0, List.of(id)))
        .hasMessageContaining("is not marked as leased");
    assertThatThrownBy(() -> inside.complete("orders", 0, List.of(id, id)))
        .hasMessageContaining("listed twice");
    String missing = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    assertThatThrownBy(() -> inside.retry("orders", 0, List.of(Retry.now(missing))))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> inside.extend("orders", 0, List.of("x"), null))
        .hasMessageContaining("invalid storage id");

    inside.produce("orders", 0, List.of(item("b")));
    connection.commit();
    assertThat(leaseTexts(partition, 9)).containsExactly("a", "b");
  }

  @Test
  void a_first_use_makes_the_table_outside_the_transaction() throws SQLException {
    queues.queue("orders");

    inside.produce("orders", 0, List.of(item("a")));
    connection.rollback();

    assertThat(queues.rows("orders", 0)).isZero();
  }

  @Test
  void a_retry_dead_letters_with_the_commit_or_not_at_all() throws SQLException {
    QueueInfo dead = queues.add(NewQueue.named("dead").partitions(2));
    Partition partition = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
    List<String> ids = produce(partition, "a", "b", "c");
    leaseIds(partition, 3);
    List<Retry> items =
        List.of(Retry.dead(ids.get(0)), Retry.now(ids.get(1)), Retry.dead(ids.get(2)));

    inside.retry("orders", 0, items);
    connection.rollback();
    assertThat(queues.rows("orders", 0)).isEqualTo(3);

    inside.retry("orders", 0, items);
    connection.commit();
    assertThat(queues.rows("orders", 0)).isEqualTo(1);
    int arrived = 0;
    for (int i = 0; i < 2; i++) {
      arrived += queues.open(queues.store(), dead, i).list("", 9, CALL).size();
    }
    assertThat(arrived).isEqualTo(2);
  }

  @Test
  void a_connection_in_autocommit_is_refused() throws SQLException {
    queues.queue("orders");
    connection.setAutoCommit(true);

    assertThatThrownBy(() -> inside.produce("orders", List.of(item("a"))))
        .hasMessageContaining("open a transaction");
  }
}
