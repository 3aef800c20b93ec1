package io.holdfast.postgres;

import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Rows of schedules as values. */
final class JobScheduleRows {
  static final String COLUMNS =
      "s.name, s.queue, s.type, s.payload, s.priority, s.max_attempts, s.timeout_nanos, s.limit_key,"
          + " s.cron, s.zone, s.missed, s.overlap, s.enabled, s.next_at, s.last_slot, s.last_job_id";

  private JobScheduleRows() {}

  static Schedule schedule(ResultSet row) throws SQLException {
    return new Schedule(
        spec(row),
        row.getBoolean("enabled"),
        StreamRows.required(row, "next_at"),
        StreamRows.instant(row, "last_slot"),
        row.getString("last_job_id"));
  }

  private static ScheduleSpec spec(ResultSet row) throws SQLException {
    return new ScheduleSpec(
        row.getString("name"),
        job(row),
        row.getString("cron"),
        row.getString("zone"),
        ScheduleSpec.Missed.SKIP.text().equals(row.getString("missed"))
            ? ScheduleSpec.Missed.SKIP
            : ScheduleSpec.Missed.RUN_ONCE,
        ScheduleSpec.Overlap.SKIP.text().equals(row.getString("overlap"))
            ? ScheduleSpec.Overlap.SKIP
            : ScheduleSpec.Overlap.ALLOW);
  }

  private static NewJob job(ResultSet row) throws SQLException {
    return NewJob.of(row.getString("type"))
        .queue(row.getString("queue"))
        .payload(row.getBytes("payload"))
        .priority(row.getInt("priority"))
        .maxAttempts(row.getInt("max_attempts"))
        .timeout(Duration.ofNanos(row.getLong("timeout_nanos")))
        .limitedBy(row.getString("limit_key"));
  }

  /** Binds everything of a spec, and the next slot, in the order of the columns. */
  static Binds bind(Binds binds, ScheduleSpec spec, Instant nextAt) throws SQLException {
    NewJob job = spec.job();
    return binds
        .text(spec.name())
        .text(Objects.requireNonNull(job.queue(), "queue"))
        .text(job.type())
        .data(job.payload())
        .integer(job.priority())
        .integer(job.maxAttempts())
        .number(job.timeout().toNanos())
        .text(job.limitKey())
        .text(spec.cron())
        .text(spec.zone())
        .text(spec.missed().text())
        .text(spec.overlap().text())
        .at(nextAt);
  }
}
