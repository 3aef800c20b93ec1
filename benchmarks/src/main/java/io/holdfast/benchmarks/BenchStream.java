package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Streams;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One stream queue with one group and a service of its own, and a way to its tables behind the
 * service's back. Partitions are called by their numbers, from 1.
 */
final class BenchStream implements AutoCloseable {
  static final String GROUP = "bench";

  /** What every message carries. */
  static final Payload PAYLOAD = Payload.of("x".repeat(256));

  private static final Duration LEASE = Duration.ofHours(1);

  /** The ids of loaded messages are of no order, which nothing that is measured looks at. */
  private static final String LOAD =
      """
      WITH made AS (
        UPDATE holdfast.stream_queue SET next_id = next_id + {partitions}
         WHERE id = {queue} RETURNING next_id - {partitions} AS first),
      lanes AS (
        INSERT INTO holdfast.stream_partition
              (queue_id, id, name, last_offset, last_at, oldest_at, created_at)
        SELECT {queue}, first + n - 1, n::text, {each}, at + {each} * interval '1 microsecond', at, at
          FROM made, generate_series(1, {partitions}) AS series (n),
               (SELECT now() - interval '1 hour' AS at) AS start
        RETURNING id, last_offset, last_at, oldest_at),
      cursors AS (
        INSERT INTO holdfast.stream_cursor
              (queue_id, partition_id, sub_id, committed, fence, ready_at)
        SELECT {queue}, lanes.id, s.id, lanes.last_offset - {pending},
               holdfast.stream_micros_v1(now()),
               CASE WHEN {pending} > 0 THEN now() + lanes.id * interval '1 microsecond' END
          FROM lanes, holdfast.stream_subscription AS s WHERE s.queue_id = {queue}),
      counted AS (
        INSERT INTO holdfast.stream_counter (queue_id, kind, sub_id, stripe, n)
        SELECT {queue}, 'P', 0, 0, {partitions}::bigint * {each}
         UNION ALL
        SELECT {queue}, 'C', s.id, 0, {partitions}::bigint * ({each} - {pending})
          FROM holdfast.stream_subscription AS s WHERE s.queue_id = {queue}
        ON CONFLICT (queue_id, kind, sub_id, stripe)
        DO UPDATE SET n = stream_counter.n + excluded.n)
      INSERT INTO holdfast.stream_message
            (queue_id, partition_id, off, id, payload, encrypted, created_at)
      SELECT {queue}, lanes.id, off, gen_random_uuid(), convert_to(repeat('x', 256), 'UTF8'), false,
             lanes.oldest_at + off * interval '1 microsecond'
        FROM lanes, generate_series(1, {each}) AS series (off)
       ORDER BY off, lanes.id
      """;

  private static final List<String> TABLES =
      List.of("queue", "partition", "message", "subscription", "cursor", "counter");

  private final Place place;
  private final PostgresHoldfast holdfast;
  private final String name;
  private final int id;

  private BenchStream(Place place, String name, PostgresOptions options) {
    this.place = place;
    this.name = name;
    this.holdfast = PostgresHoldfast.open(place.url(), options);
    this.id = holdfast.streams().configure(StreamConfig.of(name).leaseFor(LEASE)).key().id();
  }

  /** Makes a queue with leases of an hour; its group is registered and has nothing to read. */
  static BenchStream create(Place place, String name) {
    return create(place, name, BenchQueue.options(place));
  }

  static BenchStream create(Place place, String name, PostgresOptions options) {
    BenchStream created = new BenchStream(place, name, options);
    try {
      created.streams().pop(created.request(1, 1));
      return created;
    } catch (RuntimeException e) {
      created.close();
      throw e;
    }
  }

  Streams streams() {
    return holdfast.streams();
  }

  String name() {
    return name;
  }

  /** The number under which the tables know it. */
  int id() {
    return id;
  }

  /** Up to so many messages of so many partitions, if they are there now. */
  PopRequest request(int batch, int partitions) {
    return PopRequest.of(name).group(GROUP).batch(batch).partitions(partitions);
  }

  /** So many messages of this partition. */
  List<NewMessage> messages(String partition, int count) {
    List<NewMessage> messages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      messages.add(NewMessage.to(name, PAYLOAD).in(partition));
    }
    return messages;
  }

  /** A message for each of the first partitions. */
  List<NewMessage> spread(int count) {
    List<NewMessage> messages = new ArrayList<>(count);
    for (int i = 1; i <= count; i++) {
      messages.add(NewMessage.to(name, PAYLOAD).in(Integer.toString(i)));
    }
    return messages;
  }

  /**
   * Makes partitions on the server, each with messages of which the group has still to read the
   * last ones; {@link #settle} afterwards.
   */
  void load(int partitions, long each, long pending) throws SQLException {
    place.run(
        LOAD.replace("{queue}", Integer.toString(id))
            .replace("{partitions}", Integer.toString(partitions))
            .replace("{each}", Long.toString(each))
            .replace("{pending}", Long.toString(pending)));
  }

  /** Tells the planner what was loaded. */
  static void settle(Place place) throws SQLException {
    for (String table : TABLES) {
      place.run("VACUUM ANALYZE holdfast.stream_" + table);
    }
  }

  @Override
  public void close() {
    holdfast.close();
  }
}
