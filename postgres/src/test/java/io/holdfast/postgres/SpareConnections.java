package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * Plain connections that are kept for the next statement of a test: to make one takes longer than
 * most statements. Whoever finds none free gets a new one, so nobody waits for a statement that is
 * blocked. Safe for use by many threads.
 */
final class SpareConnections {
  private static final int PATIENCE_SECONDS = 20;
  private static final Map<String, Deque<Connection>> FREE = new ConcurrentHashMap<>();

  private SpareConnections() {}

  /** What is done with a connection; it must leave nothing in the session. */
  interface Use<T extends @Nullable Object> {
    T with(Connection connection) throws SQLException;
  }

  /** Uses a connection to {@code url}, which is closed when that fails. */
  static <T extends @Nullable Object> T use(String url, Use<T> use) throws SQLException {
    Deque<Connection> free = FREE.computeIfAbsent(url, u -> new ConcurrentLinkedDeque<>());
    Connection connection = take(url, free);
    boolean isGood = false;
    try {
      T answer = use.with(connection);
      isGood = true;
      return answer;
    } finally {
      if (isGood) {
        free.push(connection);
      } else {
        connection.close();
      }
    }
  }

  private static Connection take(String url, Deque<Connection> free) throws SQLException {
    for (Connection spare = free.poll(); spare != null; spare = free.poll()) {
      if (spare.isValid(PATIENCE_SECONDS)) {
        return spare;
      }
      spare.close();
    }
    // No statement stays prepared: the tables behind a name change from test to test.
    return DriverManager.getConnection(
        url + (url.contains("?") ? "&" : "?") + "prepareThreshold=0");
  }
}
