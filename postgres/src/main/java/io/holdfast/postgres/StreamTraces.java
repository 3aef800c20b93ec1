package io.holdfast.postgres;

import io.holdfast.stream.Payload;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Trace;
import io.holdfast.stream.TraceName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** What consumers noted about messages. */
final class StreamTraces {
  private static final String ADD =
      """
      INSERT INTO holdfast.stream_trace
            (queue_id, id, partition_id, transaction_id, group_name, event_type, data, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, coalesce(?::timestamptz, clock_timestamp()))
      RETURNING created_at
      """;

  private static final String ADD_NAMES =
      """
      INSERT INTO holdfast.stream_trace_name (queue_id, name, trace_id, place)
      SELECT ?, n.name, ?, n.place FROM unnest(?) WITH ORDINALITY AS n (name, place)
      ON CONFLICT DO NOTHING
      """;

  private static final String COLUMNS =
      """
      SELECT t.queue_id, q.tag, t.id, t.partition_id, t.transaction_id, t.group_name, t.event_type, t.data,
             t.created_at,
             ARRAY(SELECT n.name::text FROM holdfast.stream_trace_name AS n
                    WHERE n.queue_id = t.queue_id AND n.trace_id = t.id ORDER BY n.place) AS names
        FROM holdfast.stream_trace AS t
        JOIN holdfast.stream_queue AS q ON q.id = t.queue_id AND q.deleted_at IS NULL
      """;

  private static final String OF_MESSAGE =
      COLUMNS
          + """
             WHERE t.queue_id = ? AND t.partition_id = ? AND t.transaction_id = ? AND q.tag = ?
             ORDER BY t.created_at, t.id
            """;

  private static final String NAMED =
      COLUMNS
          + """
              JOIN holdfast.stream_trace_name AS asked ON asked.queue_id = t.queue_id AND asked.trace_id = t.id
             WHERE asked.name = ?
             ORDER BY t.created_at DESC, t.id DESC LIMIT ?
            """;

  private static final String NAMES =
      """
      SELECT n.name, count(*) AS notes, count(DISTINCT (t.queue_id, t.partition_id, t.transaction_id)) AS messages,
             max(t.created_at) AS last_at
        FROM holdfast.stream_trace_name AS n
        JOIN holdfast.stream_queue AS q ON q.id = n.queue_id AND q.deleted_at IS NULL
        JOIN holdfast.stream_trace AS t ON t.queue_id = n.queue_id AND t.id = n.trace_id
       GROUP BY n.name ORDER BY max(t.created_at) DESC, n.name LIMIT ?
      """;

  private final StreamKernel kernel;
  private final StreamStatements statements;

  StreamTraces(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
  }

  Trace record(Watch watch, StreamIds.PartitionKey place, String transactionId, Trace.Note note)
      throws SQLException {
    int queue = place.queue().id();
    UUID id = StreamIds.random(queue, ThreadLocalRandom.current());
    Instant at =
        statements
            .all(
                watch,
                ADD,
                binds ->
                    binds
                        .integer(queue)
                        .uuid(id)
                        .number(place.partition())
                        .text(transactionId)
                        .text(note.group())
                        .text(note.event())
                        .data(note.data().unwrap())
                        .now(kernel.time()),
                row -> StreamRows.required(row, "created_at"))
            .get(0);
    statements.update(watch, ADD_NAMES, binds -> binds.integer(queue).uuid(id).texts(note.names()));
    return new Trace(
        id, StreamIds.partition(place.queue(), place.partition()), transactionId, note, at);
  }

  List<Trace> of(Watch watch, StreamIds.PartitionKey place, String transactionId)
      throws SQLException {
    return statements.all(
        watch,
        OF_MESSAGE,
        binds ->
            binds
                .integer(place.queue().id())
                .number(place.partition())
                .text(transactionId)
                .integer(place.queue().tag()),
        StreamTraces::trace);
  }

  List<Trace> named(Watch watch, String name, int limit) throws SQLException {
    return statements.all(
        watch, NAMED, binds -> binds.text(name).integer(limit), StreamTraces::trace);
  }

  List<TraceName> names(Watch watch, int limit) throws SQLException {
    return statements.all(
        watch,
        NAMES,
        binds -> binds.integer(limit),
        row ->
            new TraceName(
                row.getString("name"),
                row.getLong("notes"),
                row.getLong("messages"),
                StreamRows.required(row, "last_at")));
  }

  private static Trace trace(ResultSet row) throws SQLException {
    StreamInfo.Key queue = new StreamInfo.Key(row.getInt("queue_id"), row.getInt("tag"));
    Trace.Note note =
        new Trace.Note(
            row.getString("group_name"),
            row.getString("event_type"),
            Payload.wrap(row.getBytes("data")),
            Arrays.asList((String[]) row.getArray("names").getArray()));
    return new Trace(
        row.getObject("id", UUID.class),
        StreamIds.partition(queue, row.getLong("partition_id")),
        row.getString("transaction_id"),
        note,
        StreamRows.required(row, "created_at"));
  }
}
