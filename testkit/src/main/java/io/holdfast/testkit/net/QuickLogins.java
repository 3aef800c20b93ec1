package io.holdfast.testkit.net;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Logins that cost less, for tests that make thousands: PostgreSQL has clients stretch a password
 * 4096 times, which takes more than half of the time of a login and protects only what can be
 * guessed.
 */
public final class QuickLogins {
  private static final Pattern PASSWORD = Pattern.compile("[?&]password=([^&]+)");

  private QuickLogins() {}

  /** Stores the password of the user in {@code jdbcUrl} anew, not stretched. */
  public static void on(String jdbcUrl) {
    Matcher found = PASSWORD.matcher(jdbcUrl);
    if (!found.find()) {
      throw new IllegalArgumentException("the url has no password");
    }
    String password = URLDecoder.decode(found.group(1), StandardCharsets.UTF_8);
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement()) {
      statement.execute("SET scram_iterations = 1");
      statement.execute("ALTER ROLE CURRENT_USER PASSWORD '" + password.replace("'", "''") + "'");
    } catch (SQLException e) {
      throw new IllegalStateException("the password cannot be stored anew", e);
    }
  }
}
