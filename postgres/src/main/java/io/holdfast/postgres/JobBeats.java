package io.holdfast.postgres;

import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobStore.Beat;
import io.holdfast.job.JobStore.Heartbeat;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Renews leases: waiting for whoever works on a row, or not. Safe for use by many threads. */
final class JobBeats {
  /**
   * One statement for all leases of a process and its own row. What others have locked is skipped:
   * such a row is busy, whether its lease has expired or not, because nobody can take the job over
   * meanwhile. Parameters: for how long (µs), now; worker, host, queues, types, slots; ids, tokens.
   */
  static final String BEAT =
      """
      WITH clock AS MATERIALIZED (
        SELECT c.at, c.at + ?::bigint * interval '1 microsecond' AS until
          FROM (SELECT coalesce(?::timestamptz, clock_timestamp()) AS at OFFSET 0) AS c),
      worker AS (
        INSERT INTO {workers} AS w (worker_id, host, queues, types, slots, started_at, seen_at)
        SELECT x.id, x.host, x.queues, x.types, x.slots, clock.at, clock.at
          FROM clock, (SELECT ?::text, ?::text, ?::text[], ?::text[], ?::int)
               AS x (id, host, queues, types, slots)
         WHERE x.id IS NOT NULL
            ON CONFLICT (worker_id) DO UPDATE
           SET host = excluded.host, queues = excluded.queues, types = excluded.types,
               slots = excluded.slots, seen_at = excluded.seen_at),
      held AS MATERIALIZED (
        SELECT u.n, u.id, u.token
          FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS u (id, token, n)),
      locked AS MATERIALIZED (
        SELECT h.n, l.spot, l.expires_at
          FROM held AS h
         CROSS JOIN LATERAL (
           SELECT j.ctid AS spot, j.lease_expires_at AS expires_at FROM {jobs} AS j
            WHERE j.id = h.id AND j.lease_token = h.token
              FOR NO KEY UPDATE SKIP LOCKED) AS l),
      extended AS (
        UPDATE {jobs} AS j
           SET lease_expires_at = (SELECT until FROM clock)
          FROM locked AS l
         WHERE j.ctid = l.spot AND l.{few} AND l.expires_at > (SELECT at FROM clock)
        RETURNING l.n, j.cancel_requested)
      SELECT h.n, e.cancel_requested, (SELECT until FROM clock) AS until,
             CASE WHEN l.n IS NULL THEN
               (SELECT true FROM {jobs} AS j
                 WHERE j.id = h.id AND j.lease_token = h.token LIMIT 1) END AS is_busy
        FROM held AS h
        LEFT JOIN locked AS l ON l.n = h.n
        LEFT JOIN extended AS e ON e.n = h.n
      """
          .replace("{few}", JobReserveSql.FEW);

  private final JobKernel kernel;

  JobBeats(JobKernel kernel) {
    this.kernel = kernel;
  }

  private static JobItems<Held> sorted(List<Held> held) {
    return JobItems.of(held, Held.class, Function.identity());
  }

  List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call) {
    JobItems<Held> held = sorted(items);
    return kernel.change("extend", call, session -> extend(session, held, leaseFor));
  }

  private List<Extended> extend(JobSession session, JobItems<Held> held, Duration leaseFor)
      throws SQLException {
    @Nullable Extended[] answers = new Extended[held.size()];
    session.all(
        JobSettleSql.EXTEND,
        binds ->
            binds
                .now(kernel.time())
                .number(Objects.requireNonNull(JobInsertSql.micros(leaseFor)))
                .texts(held.ids())
                .texts(held.tokens())
                .now(kernel.time()),
        row -> {
          int index = row.getInt(1) - 1;
          answers[held.places().get(index)] =
              granted(held.heldAt(index), JobRows.required(row, 2), row.getBoolean(3));
          return index;
        });
    refuse(session, held, answers);
    return List.of(answers);
  }

  private static Extended granted(Held held, Instant until, boolean isCancelRequested) {
    return new Extended(held.id(), null, held.token(), until, isCancelRequested);
  }

  /** Answers for what is not answered yet. */
  private static void refuse(JobSession session, JobItems<Held> held, @Nullable Extended[] answers)
      throws SQLException {
    List<Integer> refused = new ArrayList<>();
    for (int i = 0; i < held.size(); i++) {
      if (answers[held.places().get(i)] == null) {
        refused.add(i);
      }
    }
    if (refused.isEmpty()) {
      return;
    }
    List<String> ids = refused.stream().map(i -> held.heldAt(i).id()).toList();
    JobError[] errors = new JobError[ids.size()];
    Arrays.fill(errors, JobError.JOB_NOT_INFLIGHT);
    for (JobVerdicts.Standing standing : JobVerdicts.standings(session, ids)) {
      int index = standing.number() - 1;
      errors[index] = standing.error(held.heldAt(refused.get(index)));
    }
    for (int i = 0; i < errors.length; i++) {
      int index = refused.get(i);
      answers[held.places().get(index)] = Extended.refused(held.heldAt(index), errors[i]);
    }
  }

  List<Beat> beat(Heartbeat heartbeat, StoreCall call) {
    JobItems<Held> held = sorted(heartbeat.held());
    return kernel.change("heartbeat", call, session -> beat(session, heartbeat, held));
  }

  private List<Beat> beat(JobSession session, Heartbeat heartbeat, JobItems<Held> held)
      throws SQLException {
    @Nullable Extended[] answers = new Extended[held.size()];
    boolean[] busy = new boolean[held.size()];
    session.all(
        BEAT,
        binds -> bind(binds, heartbeat, held),
        row -> {
          int index = row.getInt("n") - 1;
          int place = held.places().get(index);
          boolean isCancelRequested = row.getBoolean("cancel_requested");
          boolean isGranted = !row.wasNull();
          busy[place] = row.getBoolean("is_busy");
          if (isGranted || busy[place]) {
            answers[place] = answer(held.heldAt(index), row, isGranted, isCancelRequested);
          }
          return index;
        });
    refuse(session, held, answers);
    List<Beat> beats = new ArrayList<>();
    for (int i = 0; i < busy.length; i++) {
      beats.add(new Beat(Objects.requireNonNull(answers[i]), busy[i]));
    }
    return List.copyOf(beats);
  }

  private static Extended answer(
      Held held, ResultSet row, boolean isGranted, boolean isCancelRequested) throws SQLException {
    return isGranted
        ? granted(held, StreamRows.required(row, "until"), isCancelRequested)
        : new Extended(held.id(), null, held.token(), null, false);
  }

  private void bind(Binds binds, Heartbeat heartbeat, JobItems<Held> held) throws SQLException {
    WorkerInfo worker = heartbeat.worker();
    binds
        .number(Objects.requireNonNull(JobInsertSql.micros(heartbeat.leaseFor())))
        .now(kernel.time())
        .text(worker == null ? null : worker.id())
        .text(worker == null ? null : worker.host())
        .texts(worker == null ? List.of() : worker.queues())
        .texts(worker == null ? List.of() : worker.types())
        .integer(worker == null ? 0 : worker.slots())
        .texts(held.ids())
        .texts(held.tokens());
  }
}
