package io.holdfast.benchmarks;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * The design with a status row per message and group, repaired so that it runs: a pop looks for the
 * partition with the oldest message that has no status yet and no live lease, in a sub-select, and
 * locks that partition's row; its lease row is taken again after a release; a lease is released
 * only when its batch is settled. Everything it ever stored stays, as ours does.
 */
final class StatusRowPipe implements Pipe {
  private static final int LANES = 100;

  private static final String SETUP =
      """
      CREATE TABLE bench_sr_partition (id bigint PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE bench_sr_message (
        id uuid PRIMARY KEY, partition_id bigint NOT NULL, transaction_id text NOT NULL,
        payload bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        seq bigint GENERATED ALWAYS AS IDENTITY,
        UNIQUE (partition_id, transaction_id));
      CREATE INDEX bench_sr_message_order ON bench_sr_message (partition_id, created_at, seq);
      CREATE TABLE bench_sr_status (
        message_id uuid NOT NULL, consumer_group text NOT NULL, status text NOT NULL,
        lease_id uuid, processing_at timestamptz, completed_at timestamptz,
        PRIMARY KEY (message_id, consumer_group));
      CREATE INDEX bench_sr_status_status ON bench_sr_status (consumer_group, status);
      CREATE TABLE bench_sr_lease (
        partition_id bigint NOT NULL, consumer_group text NOT NULL, lease_id uuid NOT NULL,
        lease_expires_at timestamptz NOT NULL, released_at timestamptz,
        PRIMARY KEY (partition_id, consumer_group));
      INSERT INTO bench_sr_partition SELECT n, n::text FROM generate_series(1, {lanes}) AS s (n);
      INSERT INTO bench_sr_message (id, partition_id, transaction_id, payload)
      SELECT gen_random_uuid(), n % {lanes} + 1, n::text, convert_to(repeat('x', 256), 'UTF8')
        FROM generate_series(1, {history}) AS s (n);
      INSERT INTO bench_sr_status
      SELECT id, 'bench', 'completed', NULL, now(), now() FROM bench_sr_message;
      ANALYZE bench_sr_message;
      ANALYZE bench_sr_status;
      ANALYZE bench_sr_partition;
      """;

  private static final String PUSH =
      """
      INSERT INTO bench_sr_message (id, partition_id, transaction_id, payload)
      SELECT u.id, p.id, u.id::text, u.payload
        FROM unnest(?::uuid[], ?::bytea[]) AS u (id, payload), bench_sr_partition AS p
       WHERE p.name = ?
      """;

  private static final String CANDIDATE =
      """
      SELECT p.id FROM bench_sr_partition AS p
       WHERE p.id = (
             SELECT m.partition_id
               FROM bench_sr_message AS m
               LEFT JOIN bench_sr_status AS s
                 ON s.message_id = m.id AND s.consumer_group = 'bench'
              WHERE (s.message_id IS NULL OR s.status IN ('pending', 'failed'))
                AND NOT EXISTS (
                    SELECT FROM bench_sr_lease AS l
                     WHERE l.partition_id = m.partition_id AND l.consumer_group = 'bench'
                       AND l.released_at IS NULL AND l.lease_expires_at > now())
              GROUP BY m.partition_id ORDER BY min(m.created_at) LIMIT 1)
         FOR UPDATE SKIP LOCKED
      """;

  private static final String LEASE =
      """
      INSERT INTO bench_sr_lease VALUES (?, 'bench', ?, now() + interval '5 minutes', NULL)
      ON CONFLICT (partition_id, consumer_group) DO UPDATE
         SET lease_id = excluded.lease_id, lease_expires_at = excluded.lease_expires_at,
             released_at = NULL
      """;

  private static final String TAKE =
      """
      WITH batch AS (
        SELECT m.id, m.payload, m.seq
          FROM bench_sr_message AS m
          LEFT JOIN bench_sr_status AS s ON s.message_id = m.id AND s.consumer_group = 'bench'
         WHERE m.partition_id = ? AND (s.message_id IS NULL OR s.status IN ('pending', 'failed'))
         ORDER BY m.created_at, m.seq LIMIT ?),
      marked AS (
        INSERT INTO bench_sr_status (message_id, consumer_group, status, lease_id, processing_at)
        SELECT id, 'bench', 'processing', ?, now() FROM batch
        ON CONFLICT (message_id, consumer_group) DO UPDATE
           SET status = excluded.status, lease_id = excluded.lease_id,
               processing_at = excluded.processing_at)
      SELECT id, payload FROM batch ORDER BY seq
      """;

  private static final String ACK =
      """
      WITH done AS (
        UPDATE bench_sr_status SET status = 'completed', completed_at = now()
         WHERE message_id = ANY (?::uuid[]) AND consumer_group = 'bench' AND lease_id = ?
        RETURNING message_id),
      freed AS (
        UPDATE bench_sr_lease SET released_at = now() WHERE partition_id = ? AND lease_id = ?)
      SELECT count(*) FROM done
      """;

  private final Connection producing;
  private final Connection consuming;
  private final PreparedStatement push;
  private final PreparedStatement candidate;
  private final PreparedStatement lease;
  private final PreparedStatement take;
  private final PreparedStatement ack;
  private final int history;
  private int turns;

  StatusRowPipe(Place place, int history) throws SQLException {
    this.history = history;
    place.run(
        SETUP
            .replace("{lanes}", Integer.toString(LANES))
            .replace("{history}", Integer.toString(history)));
    producing = place.connect();
    consuming = place.connect();
    consuming.setAutoCommit(false);
    push = producing.prepareStatement(PUSH);
    candidate = consuming.prepareStatement(CANDIDATE);
    lease = consuming.prepareStatement(LEASE);
    take = consuming.prepareStatement(TAKE);
    ack = consuming.prepareStatement(ACK);
  }

  @Override
  public String title() {
    return Targets.text("status row per message and group, %,d of history", history);
  }

  @Override
  public void push(int batch) throws SQLException {
    UUID[] ids = new UUID[batch];
    for (int i = 0; i < batch; i++) {
      ids[i] = UUID.randomUUID();
    }
    byte[][] payloads =
        Collections.nCopies(batch, BenchStream.PAYLOAD.unwrap()).toArray(new byte[0][]);
    push.setArray(1, producing.createArrayOf("uuid", ids));
    push.setArray(2, producing.createArrayOf("bytea", payloads));
    push.setString(3, Integer.toString(turns++ % LANES + 1));
    push.executeUpdate();
  }

  @Override
  public int take(int batch) throws SQLException {
    long partition = find();
    if (partition == 0) {
      consuming.commit();
      return 0;
    }
    UUID leaseId = UUID.randomUUID();
    lease.setLong(1, partition);
    lease.setObject(2, leaseId);
    lease.executeUpdate();
    Array ids = consuming.createArrayOf("uuid", read(partition, leaseId, batch));
    consuming.commit();
    return settle(partition, leaseId, ids);
  }

  private long find() throws SQLException {
    try (ResultSet row = candidate.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private Object[] read(long partition, UUID leaseId, int batch) throws SQLException {
    List<Object> ids = new ArrayList<>();
    take.setLong(1, partition);
    take.setInt(2, batch);
    take.setObject(3, leaseId);
    try (ResultSet rows = take.executeQuery()) {
      while (rows.next()) {
        if (rows.getBytes(2) != null) {
          ids.add(rows.getObject(1));
        }
      }
    }
    return ids.toArray();
  }

  private int settle(long partition, UUID leaseId, Array ids) throws SQLException {
    ack.setArray(1, ids);
    ack.setObject(2, leaseId);
    ack.setLong(3, partition);
    ack.setObject(4, leaseId);
    try (ResultSet row = ack.executeQuery()) {
      row.next();
      int settled = row.getInt(1);
      consuming.commit();
      return settled;
    }
  }

  @Override
  public void close() throws SQLException {
    producing.close();
    consuming.close();
  }
}
