package io.holdfast.postgres;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Explanation.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Says why a partition is, or is not, delivered to a group: the first reason that applies. */
final class StreamExplainer {
  private static final String READ =
      """
      SELECT q.pop_paused OR g.pop_paused AS is_paused, c.queue_id IS NOT NULL AS is_seeded,
             p.last_offset - greatest(coalesce(c.committed, 0), p.log_start - 1) AS pending,
             c.park_reason, c.retry_count, c.fence, n.at AS now,
             c.ready_at = 'infinity' AS is_parked, nullif(c.ready_at, 'infinity') AS ready_at,
             c.leased_at IS NOT NULL AND c.ready_at > n.at AS is_leased,
             c.ready_at > n.at AND c.retry_count > 0 AND c.last_failed_at IS NOT NULL AS is_retrying,
             h.created_at IS NOT NULL AS has_head,
             CASE WHEN q.delayed_processing > 0 THEN
                    h.created_at + q.delayed_processing * interval '1 second' END AS visible_at,
             CASE WHEN q.window_buffer > 0 THEN
                    least(p.last_at + q.window_buffer * interval '1 second',
                          h.created_at + q.window_buffer * interval '5 seconds') END AS quiet_at
        FROM holdfast.stream_queue AS q
       CROSS JOIN holdfast.stream_global AS g
       CROSS JOIN (SELECT coalesce(?::timestamptz, clock_timestamp()) AS at) AS n
        JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.id = ?
        LEFT JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.partition_id = p.id AND c.sub_id = ?
        LEFT JOIN LATERAL holdfast.stream_head_v1(
               q.id, p.id, c.sub_id, greatest(c.committed, p.log_start - 1), c.marks) AS h ON true
       WHERE q.id = ?
      """;

  private final StreamKernel kernel;
  private final StreamStatements statements;

  StreamExplainer(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
  }

  Explanation explain(Watch watch, CursorKey cursor) throws SQLException {
    StreamNames names =
        StreamNames.of(
            statements,
            watch,
            new StreamNames.Asked(cursor.queue(), cursor.group(), cursor.partition()));
    int queue = names.needQueue().id();
    long partition = names.needPartition();
    Long sub = names.group();
    return statements
        .all(
            watch,
            READ,
            binds ->
                binds
                    .now(kernel.time())
                    .number(partition)
                    .number(sub == null ? 0 : sub)
                    .integer(queue),
            row -> explain(row, cursor))
        .get(0);
  }

  private static Explanation explain(ResultSet row, CursorKey cursor) throws SQLException {
    Instant now = StreamRows.required(row, "now");
    Instant readyAt = StreamRows.instant(row, "ready_at");
    Instant visibleAt = StreamRows.instant(row, "visible_at");
    Instant quietAt = StreamRows.instant(row, "quiet_at");
    Answer answer = new Answer(cursor, row.getLong("pending"));
    if (row.getBoolean("is_paused")) {
      return answer.is(State.PAUSED, null, "pops are paused: resume them");
    } else if (!row.getBoolean("is_seeded")) {
      String detail = "the group has no cursor here yet: its next pop makes one";
      return answer.is(State.UNSEEDED, null, detail);
    } else if (row.getBoolean("is_parked")) {
      String reason = row.getString("park_reason");
      return answer.is(State.PARKED, null, "parked because: " + reason + "; unpark it, or seek");
    } else if (row.getBoolean("is_leased")) {
      String held = "leased until " + readyAt + " with fence " + row.getLong("fence");
      return answer.is(State.LEASED, readyAt, held + ": ack or revoke it");
    } else if (readyAt == null || !row.getBoolean("has_head")) {
      return answer.is(State.IDLE, null, "nothing is pending: push something");
    } else if (row.getBoolean("is_retrying")) {
      String failure = "failure " + row.getInt("retry_count") + " is retried at " + readyAt;
      return answer.is(State.RETRYING, readyAt, failure);
    } else if (visibleAt != null && visibleAt.isAfter(now)) {
      return answer.is(State.DELAYED, visibleAt, "the head is delayed until " + visibleAt);
    } else if (quietAt != null && quietAt.isAfter(now)) {
      return answer.is(State.WINDOW, quietAt, "the window is open until " + quietAt);
    }
    return answer.is(State.READY, null, "the next pop gets it");
  }

  /** What every explanation of a cursor has. */
  private record Answer(CursorKey cursor, long pending) {
    Explanation is(State state, @Nullable Instant until, String detail) {
      return new Explanation(cursor, state, pending, until, detail);
    }
  }
}
