package io.holdfast.postgres;

import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.StoredItem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of a partition as items. */
final class ItemRows {
  private static final byte[] NOTHING = {};

  private ItemRows() {}

  static LeasedItem leased(ResultSet row, Instant deadline) throws SQLException {
    return new LeasedItem(row.getString("id"), row.getInt("attempts"), deadline, content(row));
  }

  static List<StoredItem> stored(PreparedStatement statement) throws SQLException {
    List<StoredItem> items = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        items.add(stored(rows));
      }
    }
    return items;
  }

  static StoredItem stored(ResultSet row) throws SQLException {
    return new StoredItem(
        row.getString("id"),
        row.getBoolean("is_leased"),
        row.getInt("attempts"),
        row.getInt("max_attempts"),
        new StoredItem.Times(
            QueueRows.instant(row, "created_at"),
            QueueRows.instant(row, "enqueue_at"),
            QueueRows.instant(row, "lease_deadline"),
            QueueRows.instant(row, "expire_deadline")),
        new StoredItem.Origin(
            row.getString("source_id"),
            row.getString("source_queue"),
            row.getString("dead_reason")),
        content(row));
  }

  private static Content content(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes("payload");
    return new Content(
        payload == null ? NOTHING : payload,
        row.getString("reference"),
        row.getString("encoding"),
        row.getString("kind"));
  }

  static List<String> texts(ResultSet row, String column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }

  static List<Integer> integers(ResultSet row, String column) throws SQLException {
    return Arrays.asList((Integer[]) row.getArray(column).getArray());
  }
}
