package io.holdfast.examples;

import io.holdfast.job.NewJob;
import io.holdfast.postgres.JobsInTransaction;
import io.holdfast.postgres.PostgresHoldfast;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;

/** A job is enqueued with the caller's rows: both are there after the commit, or neither is. */
public final class EnqueueInTransactionMain {
  private static final CountDownLatch GREETED = new CountDownLatch(1);

  private EnqueueInTransactionMain() {}

  public static void main(String[] args) throws SQLException, InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.of(args);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url());
        Connection connection = DriverManager.getConnection(database.url())) {
      execute(connection, "CREATE TABLE example_users (name text)");
      holdfast
          .jobs()
          .worker()
          .queue("greetings")
          .action(
              "greet",
              String.class,
              (name, context) -> {
                System.out.println("welcome, " + name);
                GREETED.countDown();
              })
          .start();
      signUp(holdfast, connection, "bob", false);
      signUp(holdfast, connection, "ann", true);
      GREETED.await();
      execute(connection, "DROP TABLE example_users");
    }
  }

  private static void signUp(
      PostgresHoldfast holdfast, Connection connection, String name, boolean isValid)
      throws SQLException {
    // tag::transaction[]
    connection.setAutoCommit(false);
    insertUser(connection, name);
    NewJob greeting = NewJob.of("greet").queue("greetings").payload(name);
    JobsInTransaction.Enqueue enqueue = holdfast.in(connection).jobs().enqueue(greeting);
    if (isValid) {
      connection.commit();
      enqueue.wake(); // a worker starts at once instead of at its next look
    } else {
      connection.rollback(); // neither user nor job
    }
    // end::transaction[]
    connection.setAutoCommit(true);
    System.out.println(name + (isValid ? " signed up" : " was turned away"));
  }

  private static void insertUser(Connection connection, String name) throws SQLException {
    String sql = "INSERT INTO example_users VALUES (?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.executeUpdate();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
