package io.holdfast.benchmarks;

import io.holdfast.lock.LockId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * SyncGuard's protocol, statement by statement, on tables as it creates them. Each statement is a
 * round trip of its own, BEGIN and COMMIT included: 8 to acquire and 5 to release. The connection
 * stays in autocommit mode as far as the driver knows, because the driver would otherwise send its
 * own BEGIN together with the first statement. Statements are prepared once, which is the best a
 * driver can do for it.
 */
final class SyncGuardSubject implements Subject {
  static final int ACQUIRE_ROUND_TRIPS = 8;
  static final int RELEASE_ROUND_TRIPS = 5;

  private static final String TABLES =
      """
      CREATE TABLE IF NOT EXISTS bench_syncguard_locks (
        key text PRIMARY KEY, lock_id text NOT NULL, expires_at_ms bigint NOT NULL,
        acquired_at_ms bigint NOT NULL, fence text NOT NULL, user_key text NOT NULL);
      CREATE UNIQUE INDEX IF NOT EXISTS idx_bench_syncguard_locks_lock_id
        ON bench_syncguard_locks (lock_id);
      CREATE INDEX IF NOT EXISTS idx_bench_syncguard_locks_expires
        ON bench_syncguard_locks (expires_at_ms);
      CREATE TABLE IF NOT EXISTS bench_syncguard_counters (
        fence_key text PRIMARY KEY, fence bigint NOT NULL DEFAULT 0, key_debug text)
      """;

  private static final String NOW = "SELECT floor(extract(epoch FROM now()) * 1000)::bigint";
  private static final String LOCK_KEY = "SELECT pg_advisory_xact_lock(hashtext(?))";
  private static final String READ =
      "SELECT expires_at_ms, lock_id FROM bench_syncguard_locks WHERE key = ?";
  private static final String NEW_COUNTER =
      """
      INSERT INTO bench_syncguard_counters (fence_key, fence, key_debug) VALUES (?, 0, ?)
      ON CONFLICT (fence_key) DO NOTHING
      """;
  private static final String COUNT =
      "UPDATE bench_syncguard_counters SET fence = fence + 1 WHERE fence_key = ? RETURNING fence";
  private static final String WRITE =
      """
      INSERT INTO bench_syncguard_locks
        (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE
        SET lock_id = excluded.lock_id, expires_at_ms = excluded.expires_at_ms,
            acquired_at_ms = excluded.acquired_at_ms, fence = excluded.fence,
            user_key = excluded.user_key
      """;
  private static final String READ_BY_ID =
      """
      SELECT key, expires_at_ms, acquired_at_ms, fence, user_key
        FROM bench_syncguard_locks WHERE lock_id = ? FOR UPDATE
      """;
  private static final String DELETE = "DELETE FROM bench_syncguard_locks WHERE key = ?";
  private static final long TOLERANCE_MS = 1000;

  private final Place place;

  SyncGuardSubject(Place place) throws SQLException {
    this.place = place;
    place.run(TABLES);
  }

  @Override
  public Caller caller() throws SQLException {
    return new SyncGuardCaller(place.connect());
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public void close() {}

  private static final class SyncGuardCaller implements Caller {
    private final Connection connection;
    private final PreparedStatement begin;
    private final PreparedStatement commit;
    private final PreparedStatement rollback;
    private final PreparedStatement now;
    private final PreparedStatement lockKey;
    private final PreparedStatement read;
    private final PreparedStatement newCounter;
    private final PreparedStatement count;
    private final PreparedStatement write;
    private final PreparedStatement readById;
    private final PreparedStatement delete;
    private String lockId = "";

    SyncGuardCaller(Connection connection) throws SQLException {
      this.connection = connection;
      begin = connection.prepareStatement("BEGIN");
      commit = connection.prepareStatement("COMMIT");
      rollback = connection.prepareStatement("ROLLBACK");
      now = connection.prepareStatement(NOW);
      lockKey = connection.prepareStatement(LOCK_KEY);
      read = connection.prepareStatement(READ);
      newCounter = connection.prepareStatement(NEW_COUNTER);
      count = connection.prepareStatement(COUNT);
      write = connection.prepareStatement(WRITE);
      readById = connection.prepareStatement(READ_BY_ID);
      delete = connection.prepareStatement(DELETE);
    }

    @Override
    public boolean tryAcquire(String key) throws SQLException {
      begin.execute();
      lockKey.setString(1, key);
      lockKey.execute();
      long nowMs = number(now);
      read.setString(1, key);
      if (isLive(read, nowMs)) {
        rollback.execute();
        return false;
      }
      write(key, nextFence(key), nowMs);
      commit.execute();
      return true;
    }

    private long nextFence(String key) throws SQLException {
      newCounter.setString(1, "fence:" + key);
      newCounter.setString(2, key);
      newCounter.execute();
      count.setString(1, "fence:" + key);
      return number(count);
    }

    private void write(String key, long fence, long nowMs) throws SQLException {
      lockId = LockId.random().text();
      write.setString(1, key);
      write.setString(2, lockId);
      write.setLong(3, nowMs + TTL.toMillis());
      write.setLong(4, nowMs);
      write.setString(5, "%015d".formatted(fence));
      write.setString(6, key);
      write.execute();
    }

    @Override
    public void release() throws SQLException {
      begin.execute();
      long nowMs = number(now);
      readById.setString(1, lockId);
      String key;
      try (ResultSet row = readById.executeQuery()) {
        if (!row.next() || row.getLong("expires_at_ms") <= nowMs - TOLERANCE_MS) {
          throw new IllegalStateException("SyncGuard's protocol lost a lock");
        }
        key = row.getString("key");
      }
      delete.setString(1, key);
      delete.execute();
      commit.execute();
    }

    private static boolean isLive(PreparedStatement read, long nowMs) throws SQLException {
      try (ResultSet row = read.executeQuery()) {
        return row.next() && row.getLong(1) > nowMs - TOLERANCE_MS;
      }
    }

    private static long number(PreparedStatement statement) throws SQLException {
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
