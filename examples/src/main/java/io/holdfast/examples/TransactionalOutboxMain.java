package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A business row and the item that tells of it commit together, or neither does. */
public final class TransactionalOutboxMain {
  private TransactionalOutboxMain() {}

  public static void main(String[] args) throws SQLException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      holdfast.queues().create(NewQueue.named("order-events"));
      try (Connection connection = DriverManager.getConnection(database.url())) {
        execute(connection, "CREATE TABLE example_orders (number integer PRIMARY KEY)");
        order(holdfast, connection, 7, true);
        order(holdfast, connection, 8, false);
        announce(holdfast.queues().queue("order-events"));
        execute(connection, "DROP TABLE example_orders");
      }
      holdfast.queues().delete("order-events", true);
    }
  }

  private static void order(
      PostgresHoldfast holdfast, Connection connection, int number, boolean isPaid)
      throws SQLException {
    // tag::outbox[]
    connection.setAutoCommit(false);
    insertOrder(connection, number);
    NewItem event = NewItem.text("order " + number);
    holdfast.in(connection).queues().produce("order-events", List.of(event));
    if (isPaid) {
      connection.commit();
    } else {
      connection.rollback(); // neither the row nor the item
    }
    // end::outbox[]
    connection.setAutoCommit(true);
    System.out.println("order " + number + (isPaid ? " committed" : " rolled back"));
  }

  private static void announce(Queue events) {
    events.admin().wake();
    LeasedItems leased = events.lease(new LeaseRequest("example", 10, Duration.ofSeconds(5)));
    leased.items().forEach(item -> System.out.println("announced " + item.text()));
    events.complete(leased);
  }

  private static void insertOrder(Connection connection, int number) throws SQLException {
    String sql = "INSERT INTO example_orders VALUES (?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, number);
      statement.executeUpdate();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
