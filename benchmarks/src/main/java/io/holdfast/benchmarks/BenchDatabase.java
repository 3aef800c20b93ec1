package io.holdfast.benchmarks;

import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lock.LockId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * A database of the benchmark's own, on the server it was given or on an embedded one. It goes when
 * this is closed, or when the JVM is told to end.
 */
final class BenchDatabase implements AutoCloseable {
  private final @Nullable EmbeddedPostgres embedded;
  private final String adminUrl;
  private final String name;
  private final Thread hook = new Thread(this::dropQuietly, "benchmark-cleanup");

  private BenchDatabase(@Nullable EmbeddedPostgres embedded, String adminUrl) throws SQLException {
    this.embedded = embedded;
    this.adminUrl = adminUrl;
    this.name =
        "holdfast_bench_"
            + LockId.random().text().replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    execute("CREATE DATABASE " + name + " ENCODING 'UTF8' TEMPLATE template0");
    if (embedded == null) {
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  /** On the server at {@code url}, or on a new embedded one. */
  static BenchDatabase create(@Nullable String url) throws SQLException {
    if (url != null) {
      return new BenchDatabase(null, url);
    }
    EmbeddedPostgres server = EmbeddedPostgres.temporary();
    try {
      return new BenchDatabase(server, server.jdbcUrl());
    } catch (SQLException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Whether the server is ours too. */
  boolean isEmbedded() {
    return embedded != null;
  }

  String adminUrl() {
    return adminUrl;
  }

  String name() {
    return name;
  }

  /** The address of the database for the driver. */
  String url() {
    return urlAt(setting(PGProperty.PG_HOST), Integer.parseInt(setting(PGProperty.PG_PORT)));
  }

  String host() {
    return setting(PGProperty.PG_HOST);
  }

  int port() {
    return Integer.parseInt(setting(PGProperty.PG_PORT));
  }

  /** The same as if the server were somewhere else. */
  String urlAt(String host, int port) {
    int query = adminUrl.indexOf('?');
    return "jdbc:postgresql://%s:%d/%s%s"
        .formatted(host, port, name, query < 0 ? "" : adminUrl.substring(query));
  }

  private String setting(PGProperty property) {
    Properties parsed = Driver.parseURL(adminUrl, new Properties());
    String value = parsed == null ? null : property.getOrDefault(parsed);
    if (value == null) {
      throw new IllegalArgumentException("--db wants jdbc:postgresql://host:port/database?...");
    }
    return value;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(adminUrl);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void dropQuietly() {
    try {
      execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    } catch (SQLException e) {
      System.err.println("database " + name + " could not be dropped: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    if (embedded != null) {
      embedded.close();
      return;
    }
    dropQuietly();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
