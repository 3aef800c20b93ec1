package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.NewJob;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RightsTest {
  private static final String GRANTS =
      """
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT USAGE ON SCHEMA public, holdfast TO %1$s;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public, holdfast TO %1$s;
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public, holdfast TO %1$s;
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public, holdfast TO %1$s;
      """;

  @Test
  void a_role_that_may_create_nothing_can_do_everything_else() throws SQLException {
    String url = TestDatabase.freshDatabase();
    String role = TestDatabase.unique("app");
    try (PostgresHoldfast owner = PostgresHoldfast.open(url)) {
      owner.migrations().apply();
      owner.queues().create(NewQueue.named("mail"));
      owner.createTables();
    }
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'x'");
      statement.execute(GRANTS.formatted(role));
      statement.execute("ALTER ROLE " + role + " SET search_path = holdfast, public");
    }

    try (PostgresHoldfast app = PostgresHoldfast.open(PoolsTest.Kernel.as(url, role, "x"))) {
      Queue mail = app.queues().queue("mail");
      mail.produce(NewItem.text("to ann"));
      mail.complete(mail.lease(new LeaseRequest("me", 1, Duration.ofSeconds(20))));
      app.streams().push(List.of(NewMessage.to("orders", "tea").in("ann")));
      assertThat(app.streams().pop(PopRequest.of("orders")).messages()).hasSize(1);
      assertThat(app.jobs().enqueue(NewJob.of("report")).existed()).isFalse();
      assertThat(app.locks().acquire("key", Duration.ofSeconds(30)).ok()).isTrue();
    }
  }
}
