package io.holdfast.postgres;

import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows of the stream tables as values. */
final class StreamRows {
  /** What {@link #info} reads of {@code stream_queue AS q}. */
  static final String INFO =
      "q.id, q.uid, q.tag, q.name, q.namespace, q.task, q.push_pause, q.pop_paused, q.created_at, "
          + Arrays.stream(StreamOption.values())
              .map(StreamRows::selected)
              .collect(Collectors.joining(", "));

  /** The queue of this name. */
  static final String FIND =
      "SELECT "
          + INFO
          + " FROM holdfast.stream_queue AS q WHERE q.name = ? AND q.deleted_at IS NULL";

  private StreamRows() {}

  private static String selected(StreamOption option) {
    return option.column() == null
        ? "q.extra ->> '" + option.text() + "' AS \"" + option.text() + '"'
        : "q." + option.column();
  }

  /** A row of {@link #INFO}. */
  static StreamInfo info(ResultSet row) throws SQLException {
    Map<StreamOption, @Nullable Object> options = new EnumMap<>(StreamOption.class);
    for (StreamOption option : StreamOption.values()) {
      options.put(option, option(row, option));
    }
    return new StreamInfo(
        new StreamInfo.Key(row.getInt("id"), row.getInt("tag")),
        row.getObject("uid", UUID.class),
        row.getString("name"),
        new StreamInfo.Labels(row.getString("namespace"), row.getString("task")),
        StreamSettings.of(options),
        paused(row.getString("push_pause"), row.getBoolean("pop_paused")),
        required(row, "created_at"));
  }

  /** A queue that drains is not paused: what it is sent comes behind what was held. */
  private static StreamInfo.Paused paused(@Nullable String push, boolean pop) {
    boolean isHolding = "hold".equals(push);
    return new StreamInfo.Paused(isHolding || "reject".equals(push), pop, isHolding);
  }

  private static @Nullable Object option(ResultSet row, StreamOption option) throws SQLException {
    String column = option.column() == null ? option.text() : option.column();
    String text = row.getString(column);
    if (text == null || option.byDefault() instanceof String) {
      return text;
    }
    // The driver writes a boolean as t, jsonb as true.
    return option.byDefault() instanceof Boolean
        ? (Object) text.startsWith("t")
        : (Object) Long.valueOf(text);
  }

  static Instant required(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  static @Nullable UUID uuid(ResultSet row, String column) throws SQLException {
    return row.getObject(column, UUID.class);
  }
}
