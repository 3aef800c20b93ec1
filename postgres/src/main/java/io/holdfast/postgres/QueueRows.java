package io.holdfast.postgres;

import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of the catalogue as queues. */
final class QueueRows {
  private QueueRows() {}

  static QueueInfo queue(ResultSet row) throws SQLException {
    QueueSettings settings =
        new QueueSettings(
            Duration.ofNanos(row.getLong("lease_timeout_ns")),
            Duration.ofNanos(row.getLong("expire_timeout_ns")),
            row.getString("dead_queue"),
            row.getInt("max_attempts"),
            row.getString("reference"),
            row.getInt("requested_partitions"));
    return new QueueInfo(
        row.getString("name"),
        row.getString("namespace"),
        settings,
        partitions(row),
        Pause.of(row.getString("paused")),
        required(row, "created_at"),
        required(row, "updated_at"),
        row.getLong("version"));
  }

  private static List<PartitionInfo> partitions(ResultSet row) throws SQLException {
    Integer[] numbers = (Integer[]) row.getArray("numbers").getArray();
    String[] storages = (String[]) row.getArray("storages").getArray();
    Boolean[] readOnly = (Boolean[]) row.getArray("read_only").getArray();
    List<PartitionInfo> all = new ArrayList<>(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      all.add(new PartitionInfo(numbers[i], storages[i], readOnly[i]));
    }
    return List.copyOf(all);
  }

  static Instant required(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }
}
