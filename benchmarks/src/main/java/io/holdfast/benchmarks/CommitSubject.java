package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * No lock at all: acquire and release are one committed change of one narrow row each. Two durable
 * commits per pair are what every lock with a fence needs, so this is the server's limit for them.
 */
final class CommitSubject implements Subject {
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS bench_commits (key text PRIMARY KEY, commits bigint NOT NULL)
        WITH (fillfactor = 50)
      """;

  private static final String COMMIT =
      """
      INSERT INTO bench_commits AS c (key, commits) VALUES (?, 1)
      ON CONFLICT (key) DO UPDATE SET commits = c.commits + 1
      """;

  private final Place place;

  CommitSubject(Place place) throws SQLException {
    this.place = place;
    place.run(TABLE);
  }

  @Override
  public Caller caller() throws SQLException {
    return new CommitCaller(place.connect());
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public void close() {}

  private static final class CommitCaller implements Caller {
    private final Connection connection;
    private final PreparedStatement commit;

    CommitCaller(Connection connection) throws SQLException {
      this.connection = connection;
      commit = connection.prepareStatement(COMMIT);
    }

    @Override
    public boolean tryAcquire(String key) throws SQLException {
      commit.setString(1, key);
      return commit.executeUpdate() == 1;
    }

    @Override
    public void release() throws SQLException {
      commit.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
