package io.holdfast.postgres;

import io.holdfast.stream.Message;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Rows of messages and of dead letters as values, and the statement that brings the former. */
final class StreamMessages {
  /**
   * Messages with what they are to each group. The page is cut before that is looked up, so that it
   * costs as much as the page is long; and once more where the payloads fill an answer.
   */
  private static final String STORED =
      """
      SELECT m.queue_id, q.tag, q.name AS queue, m.partition_id, p.name AS partition, m.off, m.id,
             coalesce(m.transaction_id, m.id::text) AS transaction_id, m.trace_id, m.payload, m.encrypted,
             m.producer_sub, m.created_at, g.groups, g.statuses
        FROM (SELECT m.*, row_number() OVER page AS n, sum(octet_length(m.payload)) OVER page AS bytes
                FROM (SELECT m.queue_id, m.partition_id, m.off, m.id, m.transaction_id, m.trace_id, m.payload,
                             m.encrypted, m.producer_sub, m.only_sub, m.created_at
                        FROM {page}) AS m
              WINDOW page AS (ORDER BY m.created_at {direction}, m.id {direction})) AS m
        JOIN holdfast.stream_queue AS q ON q.id = m.queue_id AND q.deleted_at IS NULL
        JOIN holdfast.stream_partition AS p ON p.queue_id = m.queue_id AND p.id = m.partition_id
       CROSS JOIN LATERAL (
             SELECT array_agg(s.group_name ORDER BY s.group_name) AS groups,
                    array_agg(s.status ORDER BY s.group_name) AS statuses
               FROM holdfast.stream_statuses_v1(?, m.queue_id, m.partition_id, m.off, m.only_sub) AS s) AS g
       WHERE m.n = 1 OR m.bytes <= {bytes}
       ORDER BY m.created_at {direction}, m.id {direction}
      """;

  private StreamMessages() {}

  /** The statement about a page, newest first. Its binds come first, then the clock. */
  static String newestFirst(String page) {
    return ordered(page, "DESC", StreamRules.MAX_ANSWER);
  }

  /** The statement about a page, oldest first. Its binds come first, then the clock. */
  static String oldestFirst(String page) {
    return ordered(page, "ASC", StreamRules.MAX_ANSWER);
  }

  /** The same, however large they are. */
  static String allOldestFirst(String page) {
    return ordered(page, "ASC", Long.MAX_VALUE);
  }

  private static String ordered(String page, String direction, long bytes) {
    return STORED
        .replace("{page}", page)
        .replace("{direction}", direction)
        .replace("{bytes}", Long.toString(bytes));
  }

  static StoredMessage stored(ResultSet row) throws SQLException {
    Map<String, MessageStatus> status = new LinkedHashMap<>();
    if (row.getArray("groups") != null) {
      String[] groups = (String[]) row.getArray("groups").getArray();
      String[] statuses = (String[]) row.getArray("statuses").getArray();
      for (int i = 0; i < groups.length; i++) {
        status.put(groups[i], MessageStatus.valueOf(statuses[i]));
      }
    }
    return new StoredMessage(message(row, "id"), row.getBoolean("encrypted"), status);
  }

  /** A message whose own id is in the column {@code id}. */
  static Message message(ResultSet row, String id) throws SQLException {
    StreamInfo.Key queue = new StreamInfo.Key(row.getInt("queue_id"), row.getInt("tag"));
    Message.Place place =
        new Message.Place(
            row.getString("queue"),
            row.getString("partition"),
            StreamIds.partition(queue, row.getLong("partition_id")),
            row.getLong("off"));
    return new Message(
        place,
        row.getObject(id, UUID.class),
        row.getString("transaction_id"),
        StreamRows.uuid(row, "trace_id"),
        Payload.wrap(row.getBytes("payload")),
        StreamRows.required(row, "created_at"),
        row.getString("producer_sub"));
  }
}
