package io.holdfast.postgres;

import io.holdfast.job.Cron;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.lease.StoreCall;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Recurring jobs. Safe for use by many threads. */
final class PostgresJobSchedules implements JobSchedules {
  static final String CLOCK =
      """
      SELECT {now} AS now
      """
          .replace("{now}", JobSession.NOW);

  /** The next slot stays while cron and zone do, whoever wrote them last. */
  static final String PUT =
      """
      INSERT INTO {schedules} AS s
             (name, queue, type, payload, priority, max_attempts, timeout_nanos, limit_key, cron, zone,
              missed, overlap, next_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (name) DO UPDATE
         SET queue = excluded.queue, type = excluded.type, payload = excluded.payload,
             priority = excluded.priority, max_attempts = excluded.max_attempts,
             timeout_nanos = excluded.timeout_nanos, limit_key = excluded.limit_key,
             cron = excluded.cron, zone = excluded.zone, missed = excluded.missed, overlap = excluded.overlap,
             next_at = CASE WHEN s.cron = excluded.cron AND s.zone = excluded.zone
                            THEN s.next_at ELSE excluded.next_at END
      RETURNING {columns}
      """
          .replace("{columns}", JobScheduleRows.COLUMNS);

  static final String DELETE = "DELETE FROM {schedules} WHERE name = ?";

  /** Whoever fires it meanwhile is waited for. */
  static final String LOCK =
      """
      SELECT {columns} FROM {schedules} AS s WHERE s.name = ? FOR UPDATE
      """
          .replace("{columns}", JobScheduleRows.COLUMNS);

  static final String ENABLE =
      """
      UPDATE {schedules} AS s SET enabled = ?, next_at = ? WHERE s.name = ? RETURNING {columns}
      """
          .replace("{columns}", JobScheduleRows.COLUMNS);

  static final String TRIGGERED = "UPDATE {schedules} SET last_job_id = ? WHERE name = ?";

  static final String LIST =
      """
      SELECT {columns} FROM {schedules} AS s ORDER BY s.name COLLATE "C"
      """
          .replace("{columns}", JobScheduleRows.COLUMNS);

  private final JobKernel kernel;
  private final JobIds ids;

  PostgresJobSchedules(JobKernel kernel, JobIds ids) {
    this.kernel = kernel;
    this.ids = ids;
  }

  @Override
  public Schedule put(ScheduleSpec spec, StoreCall call) {
    Cron cron = Cron.parse(spec.cron(), spec.zone());
    return kernel.transaction(
        "put schedule",
        call,
        session -> {
          Instant nextAt = cron.next(now(session));
          return session
              .all(
                  PUT,
                  binds -> JobScheduleRows.bind(binds, spec, nextAt),
                  JobScheduleRows::schedule)
              .get(0);
        });
  }

  @Override
  public boolean delete(String name, StoreCall call) {
    return kernel.change(
        "delete schedule", call, session -> session.update(DELETE, b -> b.text(name)) > 0);
  }

  @Override
  public Optional<Schedule> enable(String name, boolean isEnabled, StoreCall call) {
    return kernel.transaction(
        "enable schedule", call, session -> Optional.ofNullable(enable(session, name, isEnabled)));
  }

  private static @Nullable Schedule enable(JobSession session, String name, boolean isEnabled)
      throws SQLException {
    Schedule old = lock(session, name);
    if (old == null) {
      return null;
    }
    ScheduleSpec spec = old.spec();
    boolean isResumed = isEnabled && !old.isEnabled();
    Instant nextAt =
        isResumed ? Cron.parse(spec.cron(), spec.zone()).next(now(session)) : old.nextAt();
    return session.first(
        ENABLE, binds -> binds.flag(isEnabled).at(nextAt).text(name), JobScheduleRows::schedule);
  }

  @Override
  public Optional<Triggered> trigger(String name, StoreCall call) {
    return kernel.transaction(
        "trigger schedule", call, session -> Optional.ofNullable(trigger(session, name)));
  }

  private @Nullable Triggered trigger(JobSession session, String name) throws SQLException {
    Schedule schedule = lock(session, name);
    if (schedule == null) {
      return null;
    }
    JobScheduleInsert insert = new JobScheduleInsert(session, ids, now(session));
    JobRow row = insert.row(schedule.spec(), null);
    insert.insert(List.of(row));
    session.update(TRIGGERED, binds -> binds.text(row.id()).text(name));
    return new Triggered(row.id(), insert.effects());
  }

  private static @Nullable Schedule lock(JobSession session, String name) throws SQLException {
    return session.first(LOCK, binds -> binds.text(name), JobScheduleRows::schedule);
  }

  private static Instant now(JobSession session) throws SQLException {
    return session
        .all(CLOCK, b -> b.now(session.time()), row -> StreamRows.required(row, "now"))
        .get(0);
  }

  @Override
  public List<Schedule> list(StoreCall call) {
    return kernel.look(
        "schedules", call, session -> session.all(LIST, b -> {}, JobScheduleRows::schedule));
  }
}
