package io.holdfast.server;

import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.testkit.net.QuickLogins;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** The PostgreSQL of the server's tests, which lives as long as the JVM. */
public final class TestServer {
  private static final EmbeddedPostgres POSTGRES =
      EmbeddedPostgres.temporary(
          EmbeddedOptions.defaults()
              .withSetting("fsync", "off")
              .withSetting("full_page_writes", "off"));

  private static final AtomicInteger MADE = new AtomicInteger();

  static {
    QuickLogins.on(POSTGRES.jdbcUrl());
  }

  private TestServer() {}

  /** Where it is reached. */
  public static String url() {
    return POSTGRES.jdbcUrl();
  }

  /** Where a new and empty database of it is reached. */
  public static String freshDatabase() {
    String name = "fresh_" + MADE.incrementAndGet();
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return url().replaceFirst("(//[^/]+/)[^?]+", "$1" + name);
  }
}
