package io.holdfast.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The database the subjects work in, and how many connections a subject's pool may have. */
record Place(String url, int poolSize) {
  /** A connection outside of any pool. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  /** A pool like the one of ours. */
  HikariDataSource pool(String name) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(poolSize);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  /** Runs a script without parameters. */
  void run(String script) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(script);
    }
  }
}
