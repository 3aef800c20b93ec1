package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;

/**
 * What any push has to do at least, as a careful person writes it in plain JDBC on our own tables:
 * one UPDATE of the partition rows, one INSERT of the messages, one commit. No look at the queue,
 * no locks in order, no transaction ids, no cursor is marked, nothing is counted.
 */
final class HandWrittenPushes implements Contender {
  private static final String ADVANCE =
      """
      UPDATE holdfast.stream_partition
         SET last_offset = last_offset + 1, last_at = clock_timestamp()
       WHERE queue_id = ? AND name = ANY (?::text[])
      RETURNING id, last_offset
      """;

  private static final String APPEND =
      """
      INSERT INTO holdfast.stream_message
            (queue_id, partition_id, off, id, payload, encrypted, created_at)
      SELECT ?, u.partition_id, u.off, gen_random_uuid(), u.payload, false, clock_timestamp()
        FROM unnest(?::bigint[], ?::bigint[], ?::bytea[]) AS u (partition_id, off, payload)
      """;

  private final int queue;
  private final String[] names;
  private final byte[][] payloads;
  private final Connection connection;
  private final PreparedStatement advance;
  private final PreparedStatement append;

  HandWrittenPushes(Place place, int batch) throws SQLException {
    try (BenchStream stream = BenchStream.create(place, "bench-push-by-hand")) {
      stream.streams().push(stream.spread(batch));
      queue = stream.id();
    }
    names = new String[batch];
    for (int i = 0; i < batch; i++) {
      names[i] = Integer.toString(i + 1);
    }
    payloads = Collections.nCopies(batch, BenchStream.PAYLOAD.bytes()).toArray(new byte[0][]);
    connection = BareStatements.connect(place);
    connection.setAutoCommit(false);
    advance = connection.prepareStatement(ADVANCE);
    append = connection.prepareStatement(APPEND);
  }

  @Override
  public String title() {
    return "hand-written transaction, same tables";
  }

  @Override
  public Run run(Duration time) throws Exception {
    return StreamPushes.perMessage(
        Load.run(
            1,
            time,
            turn -> {
              long start = System.nanoTime();
              push();
              return System.nanoTime() - start;
            }));
  }

  private void push() throws SQLException {
    Long[] ids = new Long[names.length];
    Long[] offsets = new Long[names.length];
    advance.setInt(1, queue);
    advance.setArray(2, connection.createArrayOf("text", names));
    try (ResultSet rows = advance.executeQuery()) {
      for (int i = 0; rows.next(); i++) {
        ids[i] = rows.getLong(1);
        offsets[i] = rows.getLong(2);
      }
    }
    append.setInt(1, queue);
    append.setArray(2, connection.createArrayOf("int8", ids));
    append.setArray(3, connection.createArrayOf("int8", offsets));
    append.setArray(4, connection.createArrayOf("bytea", payloads));
    if (append.executeUpdate() != names.length) {
      throw new IllegalStateException("not every message was stored");
    }
    connection.commit();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
