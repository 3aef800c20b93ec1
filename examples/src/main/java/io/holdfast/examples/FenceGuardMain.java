package io.holdfast.examples;

import io.holdfast.ErrorCode;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockException;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.PostgresHoldfast;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Why a lock alone is not enough, with two real processes: the first one takes the lock and is
 * stopped (as by a long garbage collection) until its lease is over; the second one takes the lock
 * and writes; then the first one wakes up, still believing that it holds the lock, and writes too.
 * The guard makes the database refuse that commit.
 */
public final class FenceGuardMain {
  private static final Duration TTL = Duration.ofMillis(500);

  private FenceGuardMain() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 2 && args[1].equals("writer")) {
      runWriter(args[0]);
      return;
    }
    try (ExampleDatabase database = ExampleDatabase.of(args)) {
      runBoth(database.url());
    }
  }

  private static void runBoth(String url) throws Exception {
    createTable(url);
    try (Writer first = new Writer("first", url);
        Writer second = new Writer("second", url)) {
      first.tell("lock");
      first.stop();
      second.tell("lock");
      second.tell("write");
      first.resume();
      first.tell("write");
    }
  }

  /** One writer: obeys commands on its input and says what came of them. */
  private static void runWriter(String url) throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url)) {
      Wait patience = Wait.upTo(Duration.ofSeconds(30));
      commands.readLine();
      Acquired lock = (Acquired) holdfast.locks().acquire("account", TTL, patience);
      System.out.println("has the lock with fence " + lock.fence());
      commands.readLine();
      System.out.println(write(holdfast, url, lock));
    }
  }

  private static String write(PostgresHoldfast holdfast, String url, Acquired lock) {
    try {
      commit(holdfast, url, lock);
      return "committed";
    } catch (LockException e) {
      return e.code() == ErrorCode.STALE_FENCE ? "was refused: StaleFence" : e.getMessage();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void commit(PostgresHoldfast holdfast, String url, Acquired lock)
      throws SQLException {
    // tag::guard[]
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      holdfast.in(connection).guard("account", lock.fence());
      deposit(connection, 100);
      connection.commit();
    }
    // end::guard[]
  }

  private static void deposit(Connection connection, int amount) throws SQLException {
    String sql = "UPDATE example_account SET balance = balance + ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, amount);
      statement.executeUpdate();
    }
  }

  private static void createTable(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS example_account");
      statement.execute("CREATE TABLE example_account AS SELECT 0 AS balance");
    }
  }

  /** A writer in a process of its own. */
  private static final class Writer implements AutoCloseable {
    private final String name;
    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    Writer(String name, String url) throws IOException {
      this.name = name;
      String java = System.getProperty("java.home") + "/bin/java";
      String classes = System.getProperty("java.class.path");
      List<String> command =
          List.of(java, "-cp", classes, FenceGuardMain.class.getName(), url, "writer");
      this.process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      this.commands = new PrintStream(process.getOutputStream(), true);
      this.answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
    }

    void tell(String command) throws IOException {
      commands.println(command);
      System.out.println("the " + name + " writer " + answers.readLine());
    }

    void stop() {
      signal("STOP");
      System.out.println("the " + name + " writer is paused past its lease");
    }

    void resume() {
      signal("CONT");
    }

    private void signal(String signal) {
      try {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      process.destroy();
    }
  }
}
