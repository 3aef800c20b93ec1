package io.holdfast.postgres;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Effects;
import io.holdfast.job.JobException;
import io.holdfast.job.JobStore.Cancellations;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.StoreCall;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code waiting → cancelled}, or asks a run to end. Both are one conditional update, which looks
 * at a row again after it waited for it; so a job that is reserved at the same moment is asked to
 * end. Safe for use by many threads.
 */
final class JobCancels {
  private static final int ROUNDS = 3;

  /** Parameters: now, ids. */
  static final String CANCEL =
      """
      WITH clock AS MATERIALIZED (SELECT {now} AS at)
      UPDATE {jobs} AS j
         SET status = CASE j.status WHEN 'ready' THEN 'done' ELSE j.status END,
             cancel_requested = j.status = 'inflight',
             outcome = CASE j.status WHEN 'ready' THEN 'cancelled' ELSE j.outcome END,
             finished_at = CASE j.status WHEN 'ready' THEN (SELECT at FROM clock) ELSE j.finished_at END,
             last_token = CASE j.status WHEN 'ready' THEN NULL ELSE j.last_token END,
             run_at = CASE WHEN j.gate_at IS NULL THEN j.run_at
                           WHEN j.gate_at > j.created_at THEN j.gate_at END,
             gate_at = NULL
        FROM unnest(?::text[]) WITH ORDINALITY AS a (id, n)
       WHERE j.id = a.id AND a.{few} AND j.status <> 'done' AND j.status <> 'dlq'
      RETURNING j.id, j.status, j.queue, j.limit_key
      """
          .replace("{now}", JobSession.NOW)
          .replace("{few}", JobReserveSql.FEW);

  /** Parameters: ids. */
  static final String LOOK =
      """
      SELECT j.id, j.status
        FROM unnest(?::text[]) WITH ORDINALITY AS a (id, n)
        JOIN {jobs} AS j ON j.id = a.id
       WHERE a.{few}
      """
          .replace("{few}", JobReserveSql.FEW);

  private final JobKernel kernel;

  JobCancels(JobKernel kernel) {
    this.kernel = kernel;
  }

  Cancellations cancel(List<String> ids, StoreCall call) {
    return kernel.change("cancel", call, session -> cancel(session, ids));
  }

  private Cancellations cancel(JobSession session, List<String> ids) throws SQLException {
    Map<String, Cancelled.Result> results = new HashMap<>();
    Set<QueueKey> freed = new HashSet<>();
    Set<String> open = new TreeSet<>(ids);
    for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
      change(session, open, results, freed);
      open.removeAll(results.keySet());
      if (!open.isEmpty()) {
        look(session, open, results);
        open.removeAll(results.keySet());
      }
    }
    if (!open.isEmpty()) {
      throw JobException.unknown("cancel met jobs that keep coming back; try again", null);
    }
    return new Cancellations(
        ids.stream().map(id -> new Cancelled(id, results.get(id))).toList(),
        new Effects(Set.copyOf(freed), Set.of()));
  }

  private void change(
      JobSession session,
      Set<String> open,
      Map<String, Cancelled.Result> results,
      Set<QueueKey> freed)
      throws SQLException {
    List<String> ids = List.copyOf(open);
    session.all(
        CANCEL,
        binds -> binds.now(kernel.time()).texts(ids),
        row -> {
          boolean isDone = row.getString("status").equals("done");
          String key = row.getString("limit_key");
          if (isDone && key != null) {
            freed.add(new QueueKey(row.getString("queue"), key));
          }
          return results.put(
              row.getString("id"),
              isDone ? Cancelled.Result.CANCELLED : Cancelled.Result.REQUESTED);
        });
  }

  /** Ended jobs and missing ones; what waits or runs again is left for the next round. */
  private static void look(
      JobSession session, Set<String> open, Map<String, Cancelled.Result> results)
      throws SQLException {
    List<String> ids = List.copyOf(open);
    Map<String, String> found = new HashMap<>();
    session.all(LOOK, binds -> binds.texts(ids), row -> put(found, row));
    for (String id : ids) {
      String status = found.get(id);
      if (status == null) {
        results.put(id, Cancelled.Result.NOT_FOUND);
      } else if (status.equals("done") || status.equals("dlq")) {
        results.put(id, Cancelled.Result.FINISHED);
      }
    }
  }

  private static String put(Map<String, String> found, ResultSet row) throws SQLException {
    return String.valueOf(found.put(row.getString("id"), row.getString("status")));
  }
}
