package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.StoreCall;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** How our connections are opened, and what queues make of one that cannot be. */
@Timeout(60)
class QueueConnectionTest {
  @Test
  void connections_of_ours_plan_by_index() throws SQLException {
    for (String setting : List.of("enable_seqscan", "enable_bitmapscan", "jit")) {
      assertThat(show(TestDatabase.url(), setting)).isEqualTo("off");
    }
  }

  @Test
  void options_in_the_connection_string_win() throws SQLException {
    String url = TestDatabase.url("options=-c%20work_mem=7MB");

    assertThat(show(url, "work_mem")).isEqualTo("7MB");
    assertThat(show(url, "enable_seqscan")).isEqualTo("on");
  }

  private static String show(String url, String setting) throws SQLException {
    PgSource source = new PgSource(ConnectionString.parse(url), Duration.ofSeconds(10));
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW " + setting)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  @Guarantee("QF1")
  void a_database_that_is_down_makes_calls_retryable_and_is_not_remembered() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String down = TestDatabase.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
    try (QueueFixture queues = QueueFixture.real(down)) {
      for (int i = 0; i < 2; i++) {
        QueueException failure =
            catchThrowableOfType(
                QueueException.class, () -> queues.catalog().add(NewQueue.named("orders"), CALL));

        assertThat(failure.kind()).isEqualTo(QueueException.Kind.RETRYABLE);
        assertThat(failure.isOutcomeUnknown()).isFalse();
      }
    }
  }

  @Test
  @EnabledIf(
      value = "io.holdfast.postgres.PgBouncer#isInstalled",
      disabledReason = "pgbouncer is not installed")
  void a_pooler_that_refuses_start_up_options_serves_queues_without_them() throws Exception {
    try (PgBouncer pooler = PgBouncer.start()) {
      assertThat(show(pooler.url(), "jit")).isNotNull();
      try (QueueFixture queues = QueueFixture.real(pooler.url());
          Connection blocker = TestDatabase.begin()) {
        queues.queue("dead");
        PostgresPartition partition =
            queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));

        QueueFixture.produce(partition, "a", "b", "c");
        List<String> ids = QueueFixture.leaseIds(partition, 3);
        partition.retry(List.of(List.of(Retry.dead(ids.get(0)), Retry.now(ids.get(1)))), CALL);
        partition.complete(List.of(List.of(ids.get(2))), CALL);
        assertThat(queues.rows("dead", 0)).isEqualTo(1);
        assertThat(QueueFixture.leaseTexts(partition, 9)).containsExactly("b");

        TransactionsTest.run(
            blocker, "LOCK TABLE " + queues.table("orders", 0) + " IN ACCESS EXCLUSIVE MODE");
        QueueException late =
            catchThrowableOfType(
                QueueException.class,
                () ->
                    partition.lease(
                        1, new StoreCall(Cancellation.never(), Duration.ofMillis(300))));
        assertThat(late.kind()).isEqualTo(QueueException.Kind.RETRYABLE);
        blocker.rollback();
      }
    }
  }
}
