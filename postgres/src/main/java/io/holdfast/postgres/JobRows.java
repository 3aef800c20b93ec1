package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code th_jobs} as values. */
final class JobRows {
  /** What {@link #job} reads of {@code th_jobs AS j}: the first columns of the statement. */
  static final String COLUMNS = columns("j.payload");

  /** The same with an empty payload. */
  static final String COLUMNS_WITHOUT_PAYLOAD = columns("''::bytea AS payload");

  /** The due time of a job that waits at its gate. */
  static final Instant SENTINEL = Instant.parse("9999-12-31T23:59:59.999999Z");

  /** {@link #SENTINEL} in a statement. */
  static final String SENTINEL_SQL = "timestamptz '9999-12-31 23:59:59.999999+00'";

  /** How many columns that are. */
  static final int COUNT = 33;

  private static final int TOKEN_START = 8;

  private JobRows() {}

  private static String columns(String payload) {
    return "j.id, j.status, j.outcome, j.type, j.queue, "
        + payload
        + ", j.run_at, j.gate_at, j.timeout_nanos, j.max_attempts, j.priority, j.idempotency_key,"
        + " j.limit_key, j.trace_id, j.created_at, j.attempts, j.last_error, j.failed_at,"
        + " j.deliveries, j.excused, j.finished_at, j.output, j.dlq_reason, j.dlq_failed_at,"
        + " j.dlq_attempts, j.dlq_count, j.progress, j.progress_note, j.checkpoint, j.lease_token,"
        + " j.lease_expires_at, j.lease_owner, j.cancel_requested";
  }

  /** The columns of a row in the order in which {@link #COLUMNS} names them. */
  private enum Column {
    ID,
    STATUS,
    OUTCOME,
    TYPE,
    QUEUE,
    PAYLOAD,
    RUN_AT,
    GATE_AT,
    TIMEOUT,
    MAX_ATTEMPTS,
    PRIORITY,
    KEY,
    LIMIT_KEY,
    TRACE,
    CREATED_AT,
    ATTEMPTS,
    LAST_ERROR,
    FAILED_AT,
    DELIVERIES,
    EXCUSED,
    FINISHED_AT,
    OUTPUT,
    DLQ_REASON,
    DLQ_FAILED_AT,
    DLQ_ATTEMPTS,
    DLQ_COUNT,
    PROGRESS,
    NOTE,
    CHECKPOINT,
    TOKEN,
    EXPIRES_AT,
    OWNER,
    CANCEL_REQUESTED;

    final int at = ordinal() + 1;
  }

  /** The job of a row, as it stands {@code now}. */
  static Job job(ResultSet row, Instant now) throws SQLException {
    JobState state = state(row, now);
    return new Job(
        row.getString(Column.ID.at),
        spec(row),
        state,
        required(row, Column.CREATED_AT.at),
        history(row, state),
        progress(row),
        state == JobState.INFLIGHT ? lease(row) : null,
        row.getBoolean(Column.CANCEL_REQUESTED.at));
  }

  private static JobState state(ResultSet row, Instant now) throws SQLException {
    String status = row.getString(Column.STATUS.at);
    return switch (status) {
      case "inflight" -> JobState.INFLIGHT;
      case "dlq" -> JobState.DLQ;
      case "done" ->
          Job.Outcome.CANCELLED.text().equals(row.getString(Column.OUTCOME.at))
              ? JobState.CANCELLED
              : JobState.DONE;
      default -> waiting(row, now);
    };
  }

  private static JobState waiting(ResultSet row, Instant now) throws SQLException {
    if (instant(row, Column.GATE_AT.at) != null) {
      return JobState.GATED;
    }
    Instant runAt = instant(row, Column.RUN_AT.at);
    return runAt == null || !runAt.isAfter(now) ? JobState.READY : JobState.SCHEDULED;
  }

  private static JobSpec spec(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes(Column.PAYLOAD.at);
    return new JobSpec(
        row.getString(Column.TYPE.at),
        row.getString(Column.QUEUE.at),
        payload,
        runAt(row),
        Duration.ofNanos(row.getLong(Column.TIMEOUT.at)),
        row.getInt(Column.MAX_ATTEMPTS.at),
        row.getInt(Column.PRIORITY.at),
        keys(row));
  }

  /** When it is due; of a gated job, what it will be once it has passed. */
  private static @Nullable Instant runAt(ResultSet row) throws SQLException {
    Instant gateAt = instant(row, Column.GATE_AT.at);
    if (gateAt == null) {
      return instant(row, Column.RUN_AT.at);
    }
    return gateAt.isAfter(required(row, Column.CREATED_AT.at)) ? gateAt : null;
  }

  private static JobSpec.Keys keys(ResultSet row) throws SQLException {
    String key = row.getString(Column.KEY.at);
    String limit = row.getString(Column.LIMIT_KEY.at);
    String trace = row.getString(Column.TRACE.at);
    return key == null && limit == null && trace == null
        ? JobSpec.NO_KEYS
        : new JobSpec.Keys(key, limit, trace);
  }

  private static Job.History history(ResultSet row, JobState state) throws SQLException {
    return new Job.History(
        row.getInt(Column.ATTEMPTS.at),
        row.getString(Column.LAST_ERROR.at),
        instant(row, Column.FAILED_AT.at),
        row.getInt(Column.DELIVERIES.at),
        row.getInt(Column.EXCUSED.at),
        state.isFinished() ? end(row) : null,
        dead(row));
  }

  private static Job.End end(ResultSet row) throws SQLException {
    String text = row.getString(Column.OUTCOME.at);
    Job.Outcome outcome =
        Arrays.stream(Job.Outcome.values())
            .filter(known -> known.text().equals(text))
            .findAny()
            .orElse(null);
    return new Job.End(
        outcome, instant(row, Column.FINISHED_AT.at), row.getBytes(Column.OUTPUT.at));
  }

  private static Job.Dead dead(ResultSet row) throws SQLException {
    int count = row.getInt(Column.DLQ_COUNT.at);
    String reason = row.getString(Column.DLQ_REASON.at);
    Instant failedAt = instant(row, Column.DLQ_FAILED_AT.at);
    Integer attempts = integer(row, Column.DLQ_ATTEMPTS.at);
    return count == 0 && reason == null && failedAt == null && attempts == null
        ? Job.Dead.NEVER
        : new Job.Dead(reason, failedAt, attempts, count);
  }

  private static Job.Progress progress(ResultSet row) throws SQLException {
    Integer percent = integer(row, Column.PROGRESS.at);
    String note = row.getString(Column.NOTE.at);
    byte[] checkpoint = row.getBytes(Column.CHECKPOINT.at);
    return percent == null && note == null && checkpoint == null
        ? Job.Progress.NONE
        : new Job.Progress(percent, note, checkpoint);
  }

  /** The owner of an earlier lease is nobody: TaskHarbor's workers leave the name alone. */
  private static Job.Lease lease(ResultSet row) throws SQLException {
    String owner = row.getString(Column.OWNER.at);
    boolean isHis = owner != null && owner.endsWith(suffix(token(row)));
    return new Job.Lease(required(row, Column.EXPIRES_AT.at), isHis ? owner : null);
  }

  /** What an owner's name ends with while he holds the lease of {@code token}. */
  static String suffix(String token) {
    return "#" + token.substring(0, Math.min(TOKEN_START, token.length()));
  }

  /** The token of an inflight job. */
  static String token(ResultSet row) throws SQLException {
    return row.getString(Column.TOKEN.at);
  }

  private static @Nullable Integer integer(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  static Instant required(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  /** An array of texts; none if it is null. */
  static List<String> texts(ResultSet row, int column) throws SQLException {
    Array array = row.getArray(column);
    return array == null ? List.of() : List.of((String[]) array.getArray());
  }

  /** An array of numbers; none if it is null. */
  static List<Integer> numbers(ResultSet row, int column) throws SQLException {
    Array array = row.getArray(column);
    return array == null
        ? List.of()
        : Arrays.stream((Long[]) array.getArray()).map(Long::intValue).toList();
  }
}
