package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.StoreCall;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Background work, in short steps that wait for nobody. Where a sweep goes on is remembered here
 * and lost with the process, which costs another look at most. Safe for use by many threads.
 */
final class PostgresJobUpkeep implements JobUpkeep {
  private static final int ROWS_PER_STEP = 1_000;

  /** The queues with finished jobs: from each the index leads to the next. */
  static final String ADOPT =
      """
      WITH RECURSIVE done_in (queue) AS (
        (SELECT j.queue FROM {jobs} AS j WHERE j.status = 'done' ORDER BY j.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT j.queue FROM {jobs} AS j
                 WHERE j.status = 'done' AND j.queue > d.queue ORDER BY j.queue LIMIT 1)
          FROM done_in AS d
         WHERE d.queue IS NOT NULL),
      found AS MATERIALIZED (
        SELECT j.id FROM done_in AS q
         CROSS JOIN LATERAL (
           SELECT d.id FROM {jobs} AS d
            WHERE d.queue = q.queue AND d.status = 'done' AND d.finished_at IS NULL
            ORDER BY d.finished_at, d.id
            LIMIT {most}
              FOR NO KEY UPDATE SKIP LOCKED) AS j
         LIMIT {most})
      UPDATE {jobs} SET finished_at = {now} WHERE id = ANY (ARRAY(SELECT id FROM found))
      """
          .replace("{most}", Integer.toString(ROWS_PER_STEP))
          .replace("{now}", JobSession.NOW);

  /**
   * Queue by queue behind a name, so that one that never gets empty does not hold up the others.
   */
  static final String RETAIN =
      """
      WITH RECURSIVE clock AS MATERIALIZED (SELECT {now} AS now),
      with_jobs (queue) AS (
        (SELECT j.queue FROM {jobs} AS j WHERE j.queue > ?::text ORDER BY j.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT j.queue FROM {jobs} AS j WHERE j.queue > w.queue ORDER BY j.queue LIMIT 1)
          FROM with_jobs AS w
         WHERE w.queue IS NOT NULL),
      found AS MATERIALIZED (
        SELECT w.queue, old.id
          FROM with_jobs AS w
          LEFT JOIN {queues} AS q ON q.queue = w.queue
         CROSS JOIN LATERAL (
           SELECT done.id FROM (
             SELECT j.id FROM {jobs} AS j
              WHERE j.queue = w.queue AND j.status = 'done'
                AND j.finished_at <= (SELECT now FROM clock)
                    - coalesce(q.done_keep_ms, 86400000) * interval '1 ms'
              ORDER BY j.finished_at, j.id
              LIMIT {most}
                FOR UPDATE SKIP LOCKED) AS done
           UNION ALL
           SELECT dead.id FROM (
             SELECT j.id FROM {jobs} AS j
              WHERE j.queue = w.queue AND j.status = 'dlq'
                AND j.dlq_failed_at <= (SELECT now FROM clock)
                    - CASE WHEN q.queue IS NULL THEN 2592000000 ELSE q.dlq_keep_ms END * interval '1 ms'
              ORDER BY j.dlq_failed_at, j.id
              LIMIT {most}
                FOR UPDATE SKIP LOCKED) AS dead) AS old
         LIMIT {most}),
      gone AS (
        DELETE FROM {jobs} WHERE id = ANY (ARRAY(SELECT id FROM found)) RETURNING id)
      SELECT (SELECT count(*) FROM gone) AS count, (SELECT max(queue) FROM found) AS last
      """
          .replace("{most}", Integer.toString(ROWS_PER_STEP))
          .replace("{now}", JobSession.NOW);

  static final String FORGET =
      """
      DELETE FROM {workers} WHERE seen_at < {now} - interval '10 min'
      """
          .replace("{now}", JobSession.NOW);

  /**
   * A key that is locked is in use; one that comes back gets a new row. The limits keep the look at
   * a key's jobs a look at a key's jobs: a planner may turn NOT EXISTS into a join over all of
   * them.
   */
  static final String FORGET_KEYS =
      """
      WITH few AS MATERIALIZED (
        SELECT k.queue, k.limit_key FROM {keys} AS k
         WHERE (k.queue, k.limit_key) > (?::text, ?::text)
         ORDER BY k.queue, k.limit_key
         LIMIT {most}),
      idle AS MATERIALIZED (
        SELECT k.queue, k.limit_key
          FROM few AS f JOIN {keys} AS k ON k.queue = f.queue AND k.limit_key = f.limit_key
         WHERE (SELECT true FROM {jobs} AS j
                 WHERE j.queue = k.queue AND j.limit_key = k.limit_key AND j.gate_at IS NOT NULL
                 LIMIT 1) IS NULL
           AND (SELECT true FROM {jobs} AS j
                 WHERE j.queue = k.queue AND j.limit_key = k.limit_key AND j.gate_at IS NULL
                   AND j.status IN ('ready', 'inflight')
                 LIMIT 1) IS NULL
           FOR UPDATE OF k SKIP LOCKED),
      gone AS (
        DELETE FROM {keys} AS k USING idle AS i WHERE k.queue = i.queue AND k.limit_key = i.limit_key)
      SELECT f.queue, f.limit_key FROM few AS f
       ORDER BY f.queue DESC, f.limit_key DESC
       LIMIT (SELECT CASE WHEN count(*) = {most} THEN 1 ELSE 0 END FROM few)
      """
          .replace("{most}", Integer.toString(ROWS_PER_STEP));

  private final JobKernel kernel;
  private final JobIds ids;
  private final AtomicReference<QueueKey> swept =
      new AtomicReference<>(JobAdmission.Found.BEGINNING);
  private final AtomicReference<QueueKey> forgotten =
      new AtomicReference<>(JobAdmission.Found.BEGINNING);
  private final AtomicReference<String> retained = new AtomicReference<>("");

  PostgresJobUpkeep(JobKernel kernel, JobIds ids) {
    this.kernel = kernel;
    this.ids = ids;
  }

  /** Looks first: most of the time nothing is due, and a look is one statement. */
  @Override
  public Ticked tick(StoreCall call) {
    JobTick.Next next = kernel.look("tick", call, JobTick::next);
    return next.isDue()
        ? kernel.transaction("tick", call, session -> JobTick.fire(session, ids))
        : new Ticked(0, Effects.NONE, next.in());
  }

  @Override
  public Swept sweep(StoreCall call) {
    JobAdmission.Found found =
        kernel.look("sweep", call, session -> JobAdmission.waiting(session, swept.get()));
    swept.set(found.next());
    if (found.keys().isEmpty()) {
      return new Swept(0, Effects.NONE);
    }
    Map<String, Integer> admitted =
        kernel.transaction("sweep", call, session -> JobAdmission.tryAdmit(session, found.keys()));
    int count = admitted.values().stream().mapToInt(Integer::intValue).sum();
    return new Swept(count, new Effects(Set.of(), admitted.keySet()));
  }

  @Override
  public int adopt(StoreCall call) {
    return kernel.change(
        "adopt", call, session -> session.update(ADOPT, binds -> binds.now(kernel.time())));
  }

  /** What a step deleted, and the last queue that it deleted from. */
  private record Retained(int count, @Nullable String last) {}

  @Override
  public int retain(StoreCall call) {
    String after = retained.get();
    int count = retain(after, call);
    return count == 0 && !after.isEmpty() ? retain("", call) : count;
  }

  private int retain(String after, StoreCall call) {
    Retained step =
        kernel.change(
            "retain",
            call,
            session ->
                session
                    .all(
                        RETAIN,
                        binds -> binds.now(kernel.time()).text(after),
                        row -> new Retained(row.getInt("count"), row.getString("last")))
                    .get(0));
    String last = step.last();
    retained.set(step.count() < ROWS_PER_STEP || last == null ? "" : last);
    return step.count();
  }

  /** Workers first; then keys that nobody waits for or runs under, a thousand at a time. */
  @Override
  public int forgetWorkers(StoreCall call) {
    int workers =
        kernel.change(
            "forget workers",
            call,
            session -> session.update(FORGET, binds -> binds.now(kernel.time())));
    QueueKey after = forgotten.get();
    QueueKey last =
        kernel.change(
            "forget keys",
            call,
            session ->
                session.first(
                    FORGET_KEYS,
                    binds -> binds.text(after.queue()).text(after.key()),
                    row -> new QueueKey(row.getString(1), row.getString(2))));
    forgotten.set(last == null ? JobAdmission.Found.BEGINNING : last);
    return workers;
  }
}
