package io.holdfast.postgres;

import io.holdfast.job.QueueKey;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code gated → ready}. There is no counter of slots: those in use are the rows of an index, so a
 * crash cannot leak one. Who admits jobs of a key holds the row of that key until he has committed;
 * he counts in a statement that begins after he got it, and so sees what everybody before him
 * admitted. Counting in the statement that locks would use a snapshot from before the wait.
 *
 * <p>Nobody else brings a job into a slot, except TaskHarbor's requeue, which knows no gates.
 */
final class JobAdmission {
  /** How many keys one transaction is about. */
  static final int KEYS = 200;

  private static final int JOBS_PER_KEY = 1_000;
  private static final int KEYS_TO_LOOK_AT = 1_000;

  /** Which keys, in the order of all who lock them. */
  private static final Comparator<QueueKey> ORDER =
      Comparator.comparing(QueueKey::queue).thenComparing(QueueKey::key);

  static final String MAKE =
      """
      INSERT INTO {keys} (queue, limit_key)
      SELECT k.queue, k.key FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS k (queue, key, number)
       ORDER BY k.number
          ON CONFLICT DO NOTHING
      """;

  static final String LOCK =
      """
      SELECT r.queue, r.limit_key
        FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS k (queue, key, number)
        JOIN {keys} AS r ON r.queue = k.queue AND r.limit_key = k.key
       ORDER BY k.number
         FOR UPDATE OF r
      """;

  static final String TRY_LOCK = LOCK.strip() + " SKIP LOCKED";

  /**
   * How many jobs of the key {@code k} may pass; its own limit counts before that of all others.
   */
  private static final String ROOM =
      """
      SELECT coalesce(l.max_running - (
               SELECT count(*) FROM (
                 SELECT FROM {jobs} AS h
                  WHERE h.queue = k.queue AND h.limit_key = k.key AND h.gate_at IS NULL
                    AND h.status IN ('ready', 'inflight')
                  LIMIT greatest(l.max_running, 0)) AS used), {most}) AS room
        FROM (SELECT) AS any_limit
        LEFT JOIN LATERAL (
          SELECT o.max_running FROM {limits} AS o
           WHERE o.queue = k.queue AND o.limit_key IN (k.key, '*')
           ORDER BY o.limit_key = k.key DESC
           LIMIT 1) AS l ON true
      """
          .strip()
          .replace("{most}", Integer.toString(JOBS_PER_KEY));

  /** A row that somebody is changing is left to the next sweep. */
  static final String ADMIT =
      """
      WITH clock AS MATERIALIZED (SELECT {now} AS now),
      picked AS MATERIALIZED (
        SELECT j.id
          FROM unnest(?::text[], ?::text[]) AS k (queue, key)
         CROSS JOIN LATERAL ({room}) AS r
         CROSS JOIN LATERAL (
           SELECT g.id FROM {jobs} AS g
            WHERE g.queue = k.queue AND g.limit_key = k.key AND g.gate_at IS NOT NULL
              AND g.gate_at <= (SELECT now FROM clock)
            ORDER BY g.gate_at, g.id
            LIMIT greatest(least(r.room, {most}), 0)
              FOR NO KEY UPDATE SKIP LOCKED) AS j),
      admitted AS (
        UPDATE {jobs} AS j
           SET gate_at = NULL, run_at = CASE WHEN j.gate_at > j.created_at THEN j.gate_at END
         WHERE j.id = ANY (ARRAY(SELECT id FROM picked)) AND j.gate_at IS NOT NULL
        RETURNING j.queue)
      SELECT queue, count(*) FROM admitted GROUP BY queue
      """
          .replace("{room}", ROOM)
          .replace("{most}", Integer.toString(JOBS_PER_KEY))
          .replace("{now}", JobSession.NOW);

  /** Keys behind a place whose oldest job waits for nothing but a slot, and those have one. */
  static final String WAITING =
      """
      WITH RECURSIVE clock AS MATERIALIZED (SELECT {now} AS now),
      waiting AS (
        (SELECT j.queue, j.limit_key AS key, j.gate_at, 1 AS number
           FROM {jobs} AS j
          WHERE j.gate_at IS NOT NULL AND (j.queue, j.limit_key) > (?::text, ?::text)
          ORDER BY j.queue, j.limit_key, j.gate_at, j.id
          LIMIT 1)
        UNION ALL
        SELECT n.queue, n.key, n.gate_at, w.number + 1
          FROM waiting AS w
         CROSS JOIN LATERAL (
           SELECT j.queue, j.limit_key AS key, j.gate_at
             FROM {jobs} AS j
            WHERE j.gate_at IS NOT NULL AND (j.queue, j.limit_key) > (w.queue, w.key)
            ORDER BY j.queue, j.limit_key, j.gate_at, j.id
            LIMIT 1) AS n
         WHERE w.number < ?)
      SELECT k.queue, k.key,
             CASE WHEN k.gate_at <= (SELECT now FROM clock) THEN ({room}) > 0 ELSE false END AS may_pass
        FROM waiting AS k
       ORDER BY k.number
      """
          .replace("{room}", ROOM)
          .replace("{now}", JobSession.NOW);

  private JobAdmission() {}

  /** In a transaction of its own: locks the keys, which may wait, and admits. */
  static Map<String, Integer> admit(JobSession session, List<QueueKey> keys) throws SQLException {
    return admit(session, keys, LOCK);
  }

  /** The same without waiting for anybody: keys that are locked are left out. */
  static Map<String, Integer> tryAdmit(JobSession session, List<QueueKey> keys)
      throws SQLException {
    return admit(session, keys, TRY_LOCK);
  }

  private static Map<String, Integer> admit(JobSession session, List<QueueKey> keys, String lock)
      throws SQLException {
    List<QueueKey> ordered = keys.stream().sorted(ORDER).toList();
    session.update(MAKE, binds -> bind(binds, ordered));
    List<QueueKey> held =
        session.all(
            lock,
            binds -> bind(binds, ordered),
            row -> new QueueKey(row.getString(1), row.getString(2)));
    Map<String, Integer> admitted = new TreeMap<>();
    session.all(
        ADMIT,
        binds -> bind(binds.now(session.time()), held),
        row -> admitted.put(row.getString(1), row.getInt(2)));
    return admitted;
  }

  private static Binds bind(Binds binds, List<QueueKey> keys) throws SQLException {
    return binds
        .texts(keys.stream().map(QueueKey::queue).toList())
        .texts(keys.stream().map(QueueKey::key).toList());
  }

  /** Keys of which jobs may pass, and where to look for further ones. */
  record Found(List<QueueKey> keys, QueueKey next) {
    /** Before all keys: no queue has an empty name. */
    static final QueueKey BEGINNING = new QueueKey("", "");
  }

  /** A key with waiting jobs. */
  private record Waiting(QueueKey key, boolean mayPass) {}

  /** Keys behind {@code after} of which jobs may pass. */
  static Found waiting(JobSession session, QueueKey after) throws SQLException {
    List<Waiting> seen =
        session.all(
            WAITING,
            binds ->
                binds
                    .now(session.time())
                    .text(after.queue())
                    .text(after.key())
                    .integer(KEYS_TO_LOOK_AT),
            row ->
                new Waiting(new QueueKey(row.getString(1), row.getString(2)), row.getBoolean(3)));
    List<QueueKey> passing = new ArrayList<>();
    for (Waiting waiting : seen) {
      if (waiting.mayPass()) {
        passing.add(waiting.key());
      }
      if (passing.size() == KEYS) {
        return new Found(passing, waiting.key());
      }
    }
    boolean isAtEnd = seen.size() < KEYS_TO_LOOK_AT;
    return new Found(passing, isAtEnd ? Found.BEGINNING : seen.get(seen.size() - 1).key());
  }
}
