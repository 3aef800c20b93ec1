package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What TaskHarbor's clients and workers do to the table, with the caller's clock in every
 * statement. They know the shared columns only. Used by one thread.
 */
final class TaskHarborPeer implements AutoCloseable {
  private final Connection connection;

  /** A job that the peer holds. */
  record Lease(String id, String token, Instant expiresAt) {}

  /** Finds the table where the search path leads, as its clients do. */
  TaskHarborPeer(String schema) throws SQLException {
    this.connection = TestDatabase.connect();
    connection.setSchema(schema);
  }

  private PreparedStatement prepare(String sql, @Nullable Object... binds) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < binds.length; i++) {
      Object bind = binds[i];
      statement.setObject(i + 1, bind instanceof Instant at ? Timestamp.from(at) : bind);
    }
    return statement;
  }

  private boolean update(String sql, @Nullable Object... binds) throws SQLException {
    try (PreparedStatement statement = prepare(sql, binds)) {
      return statement.executeUpdate() == 1;
    }
  }

  private List<String> texts(String sql, @Nullable Object... binds) throws SQLException {
    try (PreparedStatement statement = prepare(sql, binds);
        ResultSet rows = statement.executeQuery()) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }

  /** The id of the job that is stored under the key now; without a key, the given one. */
  String enqueue(String id, String queue, @Nullable String key, Instant now) throws SQLException {
    return texts(
            """
            INSERT INTO th_jobs
              (id, type, queue, payload, run_at, timeout_nanos, created_at, attempts, max_attempts,
               last_error, failed_at, status, idempotency_key)
            VALUES (?, 't', ?, '{}', NULL, 0, ?, 0, 3, '', NULL, 'ready', ?)
            ON CONFLICT (queue, idempotency_key) DO UPDATE SET id = th_jobs.id
            RETURNING id
            """,
            id,
            queue,
            now,
            key)
        .get(0);
  }

  /** Takes one job, in two statements of a transaction. */
  Optional<Lease> reserve(String queue, Duration lease, Instant now) throws SQLException {
    connection.setAutoCommit(false);
    try {
      List<String> found =
          texts(
              """
              SELECT id FROM th_jobs
               WHERE queue = ?
                 AND ((status = 'ready' AND (run_at IS NULL OR run_at <= ?))
                   OR (status = 'inflight' AND lease_expires_at <= ?))
               ORDER BY CASE WHEN status = 'ready' AND run_at IS NULL THEN 0
                             WHEN status = 'inflight' THEN 1 ELSE 2 END,
                        created_at, run_at NULLS LAST, id
               LIMIT 1 FOR UPDATE SKIP LOCKED
              """,
              queue,
              now,
              now);
      Optional<Lease> leased =
          found.isEmpty() ? Optional.empty() : Optional.of(take(found.get(0), now.plus(lease)));
      connection.commit();
      return leased;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private Lease take(String id, Instant until) throws SQLException {
    String token = UUID.randomUUID().toString();
    List<String> taken =
        texts(
            """
            UPDATE th_jobs
               SET status = 'inflight', lease_token = ?, lease_expires_at = ?,
                   run_at = CASE WHEN status = 'inflight' THEN NULL ELSE run_at END
             WHERE id = ?
            RETURNING id
            """,
            token,
            until,
            id);
    return new Lease(taken.get(0), token, until);
  }

  private boolean settle(String set, Lease lease, Instant now, @Nullable Object... values)
      throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(List.of(values));
    binds.addAll(List.of(lease.id(), lease.token(), now));
    return update(
        "UPDATE th_jobs SET "
            + set
            + " WHERE id = ? AND status = 'inflight' AND lease_token = ? AND lease_expires_at > ?",
        binds.toArray());
  }

  boolean extend(Lease lease, Duration by, Instant now) throws SQLException {
    return settle("lease_expires_at = ?", lease, now, now.plus(by));
  }

  boolean ack(Lease lease, Instant now) throws SQLException {
    return settle("status = 'done', lease_token = NULL, lease_expires_at = NULL", lease, now);
  }

  boolean retry(Lease lease, Instant runAt, Instant now) throws SQLException {
    return settle(
        "status = 'ready', lease_token = NULL, lease_expires_at = NULL, run_at = ?,"
            + " attempts = attempts + 1, last_error = 'theirs', failed_at = ?",
        lease,
        now,
        runAt,
        now);
  }

  boolean fail(Lease lease, Instant now) throws SQLException {
    return settle(
        "status = 'dlq', lease_token = NULL, lease_expires_at = NULL, dlq_reason = 'theirs',"
            + " dlq_failed_at = ?",
        lease,
        now,
        now);
  }

  boolean requeue(String id, Instant now) throws SQLException {
    return update(
        """
        UPDATE th_jobs
           SET status = 'ready', run_at = ?, dlq_reason = NULL, dlq_failed_at = NULL
         WHERE id = ? AND status = 'dlq'
        """,
        now,
        id);
  }

  /** The ids of a status, page by page. */
  List<String> list(String queue, String status, int page) throws SQLException {
    List<String> all = new ArrayList<>();
    Timestamp after = new Timestamp(0);
    String last = "";
    boolean isMore = true;
    while (isMore) {
      isMore = false;
      try (PreparedStatement statement =
              prepare(
                  """
                  SELECT id, created_at FROM th_jobs
                   WHERE queue = ? AND status = ? AND (created_at, id) > (?, ?)
                   ORDER BY created_at, id LIMIT ?
                  """,
                  queue,
                  status,
                  after,
                  last,
                  page);
          ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          last = rows.getString(1);
          after = rows.getTimestamp(2);
          all.add(last);
          isMore = true;
        }
      }
    }
    return all;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
