package io.holdfast.examples;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Consume, write, produce and acknowledge in one JDBC transaction: in the database each happens
 * exactly once, also when the first try dies just before its commit.
 */
public final class TransactionalConsumeMain {
  private static final PopRequest PAYMENTS = PopRequest.of("payments").group("ledger");

  private TransactionalConsumeMain() {}

  public static void main(String[] args) throws SQLException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url());
        Connection connection = DriverManager.getConnection(database.url())) {
      holdfast.streams().configure(StreamConfig.of("payments").with(StreamOption.LEASE_TIME, 60));
      holdfast.streams().push(List.of(NewMessage.to("payments", "30").once("payment-1")));
      execute(connection, "CREATE TABLE example_ledger (amount integer)");
      Popped popped = holdfast.streams().pop(PAYMENTS);
      book(holdfast, connection, popped, false);
      book(holdfast, connection, popped, true);
      System.out.println("booked " + sum(connection));
      Popped receipts = holdfast.streams().pop(PopRequest.of("receipts").group("mail").batch(10));
      receipts.messages().forEach(m -> System.out.println(m.payload().text()));
      execute(connection, "DROP TABLE example_ledger");
      holdfast.streams().delete("payments");
      holdfast.streams().delete("receipts");
    }
  }

  private static void book(
      PostgresHoldfast holdfast, Connection connection, Popped popped, boolean isLucky)
      throws SQLException {
    int amount = Integer.parseInt(popped.messages().get(0).payload().text());
    // tag::transactional[]
    connection.setAutoCommit(false);
    insert(connection, amount);
    NewMessage receipt = NewMessage.to("receipts", "receipt for " + amount);
    holdfast.in(connection).streams().push(List.of(receipt));
    holdfast.in(connection).streams().ack(popped.ackAll(Verdict.COMPLETED));
    if (isLucky) {
      connection.commit();
    } else {
      connection.rollback(); // neither row nor receipt nor acknowledgement
    }
    // end::transactional[]
    connection.setAutoCommit(true);
    System.out.println(isLucky ? "committed" : "rolled back");
  }

  private static void insert(Connection connection, int amount) throws SQLException {
    String sql = "INSERT INTO example_ledger VALUES (?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, amount);
      statement.executeUpdate();
    }
  }

  private static int sum(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT sum(amount) FROM example_ledger")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
