package io.holdfast.benchmarks;

import io.holdfast.lock.LockId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a team would write for itself: one function to acquire and one to release, the least that
 * still gives exclusion, expiry and a fence, called over bare JDBC on a connection per caller. Its
 * tables have the columns, indexes and storage parameters of ours. It has no waiting, no time
 * limits, no tolerance between clocks, no cancelling and no checks of its arguments.
 */
final class HandWrittenSubject implements Subject {
  private static final String TABLES =
      """
      CREATE TABLE IF NOT EXISTS bench_hand_locks (
        key text PRIMARY KEY, lock_id text NOT NULL, expires_at_ms bigint NOT NULL,
        acquired_at_ms bigint NOT NULL, fence text NOT NULL, user_key text NOT NULL)
        WITH (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.05);
      CREATE UNIQUE INDEX IF NOT EXISTS idx_bench_hand_locks_lock_id ON bench_hand_locks (lock_id);
      CREATE INDEX IF NOT EXISTS idx_bench_hand_locks_expires ON bench_hand_locks (expires_at_ms);
      CREATE TABLE IF NOT EXISTS bench_hand_counters (
        fence_key text PRIMARY KEY, fence bigint NOT NULL DEFAULT 0, key_debug text)
        WITH (fillfactor = 50, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.05)
      """;

  private static final String ACQUIRE =
      """
      CREATE OR REPLACE FUNCTION bench_hand_acquire(p_key text, p_id text, p_ttl_ms bigint)
      RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        held_until bigint;
        at_ms bigint;
        next_fence bigint;
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtext(p_key));
        SELECT expires_at_ms INTO held_until FROM bench_hand_locks WHERE key = p_key;
        at_ms := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
        IF held_until > at_ms THEN
          RETURN NULL;
        END IF;
        INSERT INTO bench_hand_counters AS c (fence_key, fence, key_debug)
        VALUES ('fence:' || p_key, 1, p_key)
        ON CONFLICT (fence_key) DO UPDATE SET fence = c.fence + 1
        RETURNING c.fence INTO next_fence;
        INSERT INTO bench_hand_locks (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
        VALUES (p_key, p_id, at_ms + p_ttl_ms, at_ms, lpad(next_fence::text, 15, '0'), p_key)
        ON CONFLICT (key) DO UPDATE
          SET lock_id = excluded.lock_id, expires_at_ms = excluded.expires_at_ms,
              acquired_at_ms = excluded.acquired_at_ms, fence = excluded.fence,
              user_key = excluded.user_key;
        RETURN next_fence;
      END
      $$
      """;

  private static final String RELEASE =
      """
      CREATE OR REPLACE FUNCTION bench_hand_release(p_id text)
      RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM bench_hand_locks
         WHERE lock_id = p_id
           AND expires_at_ms > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
        RETURN FOUND;
      END
      $$
      """;

  private final Place place;

  HandWrittenSubject(Place place) throws SQLException {
    this.place = place;
    place.run(TABLES);
    place.run(ACQUIRE);
    place.run(RELEASE);
  }

  @Override
  public Caller caller() throws SQLException {
    return new HandWrittenCaller(place.connect());
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public void close() {}

  private static final class HandWrittenCaller implements Caller {
    private final Connection connection;
    private final PreparedStatement acquire;
    private final PreparedStatement release;
    private String lockId = "";

    HandWrittenCaller(Connection connection) throws SQLException {
      this.connection = connection;
      acquire = connection.prepareStatement("SELECT bench_hand_acquire(?, ?, ?)");
      release = connection.prepareStatement("SELECT bench_hand_release(?)");
    }

    @Override
    public boolean tryAcquire(String key) throws SQLException {
      lockId = LockId.random().text();
      acquire.setString(1, key);
      acquire.setString(2, lockId);
      acquire.setLong(3, TTL.toMillis());
      try (ResultSet row = acquire.executeQuery()) {
        row.next();
        return row.getLong(1) > 0;
      }
    }

    @Override
    public void release() throws SQLException {
      release.setString(1, lockId);
      try (ResultSet row = release.executeQuery()) {
        row.next();
        if (!row.getBoolean(1)) {
          throw new IllegalStateException("the hand-written lock was lost");
        }
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
