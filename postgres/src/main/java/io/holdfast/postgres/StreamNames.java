package io.holdfast.postgres;

import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What names stand for; each is looked up with the queue in one statement. */
record StreamNames(
    StreamInfo.@Nullable Key queue, @Nullable Long group, @Nullable Long partition, Asked asked) {
  private static final String READ =
      """
      SELECT q.id, q.tag, s.id AS group_id, p.id AS partition_id
        FROM holdfast.stream_queue AS q
        LEFT JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name = ?
        LEFT JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.name = ?
       WHERE q.name = ? AND q.deleted_at IS NULL
      """;

  /** The names. */
  record Asked(String queue, @Nullable String group, @Nullable String partition) {}

  static StreamNames of(StreamStatements statements, Watch watch, Asked asked) throws SQLException {
    StreamNames found =
        statements.first(
            watch,
            READ,
            binds -> binds.text(asked.group()).text(asked.partition()).text(asked.queue()),
            row ->
                new StreamNames(
                    new StreamInfo.Key(row.getInt("id"), row.getInt("tag")),
                    number(row, "group_id"),
                    number(row, "partition_id"),
                    asked));
    return found == null ? new StreamNames(null, null, null, asked) : found;
  }

  private static @Nullable Long number(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  /** The queue; fails if there is none. */
  StreamInfo.Key needQueue() {
    if (queue == null) {
      throw StreamException.noQueue(asked.queue());
    }
    return queue;
  }

  /** The group; fails if there is none. */
  long needGroup() {
    needQueue();
    if (group == null) {
      throw StreamException.noGroup(asked.queue(), String.valueOf(asked.group()));
    }
    return group;
  }

  /** The partition, or 0 if none was asked for; fails if there is none of that name. */
  long needPartition() {
    needQueue();
    String name = asked.partition();
    if (name == null) {
      return 0;
    }
    if (partition == null) {
      throw StreamException.noPartition(asked.queue(), name);
    }
    return partition;
  }
}
