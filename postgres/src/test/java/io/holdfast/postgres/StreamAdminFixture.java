package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The administrative roles on a schema of their own under a manual clock. Messages and leases are
 * put there by plain statements, so that these tests need no other role.
 */
final class StreamAdminFixture implements AutoCloseable {
  static final StoreCall CALL = StoreCall.plain();

  final ManualTime time = new ManualTime();
  final String schema;
  final StreamKernel kernel;
  private final String url;
  private final Database database;
  private final Statements statements;

  StreamAdminFixture() {
    this(TestDatabase.url(), StreamSchemas.borrow());
  }

  StreamAdminFixture(String url, String schema) {
    this.url = url;
    this.schema = schema;
    this.database = Pools.open(ConnectionString.parse(url), PoolSettings.DEFAULTS);
    this.statements = new Statements((operation, took, error) -> {});
    Transactions transactions = new Transactions(database, statements);
    Migrations migrations = new Migrations(transactions);
    this.kernel =
        new StreamKernel(
            schema,
            new StreamSetup(schema, transactions, migrations),
            StoreCaller.pooled(transactions),
            time,
            true);
    kernel.setup().ensure(CALL);
  }

  Migrations migrations() {
    return new Migrations(new Transactions(database, statements));
  }

  Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  StreamInfo configure(StreamConfig config) {
    return new PostgresStreamCatalog(kernel).configure(config, CALL);
  }

  /** Makes the queue and the group, with cursors in the partitions that are there. */
  void group(String queue, String group) {
    query("SELECT holdfast.stream_register_v1(?, {queue}, ?, 'a', NULL)", queue, at(), group);
    query("SELECT holdfast.stream_seed_v1(?, {queue}, {group}, NULL)", queue, group, at());
  }

  /** Appends a message as a push does; answers its id. */
  String push(String queue, String partition, @Nullable String transactionId, String payload) {
    return push(queue, partition, transactionId, payload, null);
  }

  String push(
      String queue,
      String partition,
      @Nullable String transactionId,
      String payload,
      @Nullable UUID traceId) {
    String place = "holdfast.stream_make_partition_v1(?::timestamptz, {queue}, ?)";
    String number = query("SELECT " + place, queue, at(), partition);
    String append =
        """
        WITH place AS (
          UPDATE holdfast.stream_partition AS p
             SET last_offset = last_offset + 1, last_at = greatest(n.at, last_at + interval '1 us'),
                 oldest_at = coalesce(oldest_at, greatest(n.at, last_at + interval '1 us'))
            FROM (SELECT ?::timestamptz AS at) AS n
           WHERE queue_id = {queue} AND id = ?::bigint RETURNING p.queue_id, p.id, p.last_offset, p.last_at),
        woken AS (
          UPDATE holdfast.stream_cursor AS c
             SET ready_at = holdfast.stream_due_v1(l.last_at, l.last_at, l.last_at, q.delayed_processing, q.window_buffer)
            FROM place AS l, holdfast.stream_queue AS q
           WHERE q.id = l.queue_id AND c.queue_id = l.queue_id AND c.partition_id = l.id AND c.ready_at IS NULL),
        counted AS (SELECT holdfast.stream_count_v1(l.queue_id, 'P', 0, 1, true) FROM place AS l),
        stored AS (
          INSERT INTO holdfast.stream_message
                (queue_id, partition_id, off, id, transaction_id, trace_id, payload, encrypted, created_at)
          SELECT l.queue_id, l.id, l.last_offset, holdfast.stream_message_id_v1(l.last_at, 0), ?,
                 ?::uuid, convert_to(?, 'UTF8'), false, l.last_at
            FROM place AS l RETURNING id)
        SELECT id FROM stored, counted
        """;
    return String.valueOf(
        query(
            append,
            queue,
            at(),
            String.valueOf(number),
            transactionId,
            traceId == null ? null : traceId.toString(),
            payload));
  }

  /** Changes a cursor; {@code set} is what an UPDATE says. */
  void cursor(String queue, String partition, String group, String set) {
    execute(
        "UPDATE holdfast.stream_cursor AS c SET "
            + set
            + " WHERE c.queue_id = {queue} AND c.sub_id = {group}"
            + " AND c.partition_id = (SELECT p.id FROM holdfast.stream_partition AS p"
            + " WHERE p.queue_id = {queue} AND p.name = '"
            + partition
            + "')",
        queue,
        group);
  }

  /** Passes everything up to an offset, as an ack does. */
  void pass(String queue, String partition, String group, long offset) {
    cursor(
        queue,
        partition,
        group,
        "committed = %d, attempt = 0, leased_at = NULL, ready_at = CASE WHEN %d = p_last THEN NULL ELSE ready_at END"
            .formatted(offset, offset)
            .replace(
                "p_last",
                "(SELECT p.last_offset FROM holdfast.stream_partition AS p"
                    + " WHERE p.queue_id = c.queue_id AND p.id = c.partition_id)"));
    recount(queue, group);
  }

  /** Holds a partition for a minute, up to an offset. */
  UUID lease(String queue, String partition, String group, long through) {
    UUID id = UUID.randomUUID();
    cursor(
        queue,
        partition,
        group,
        "lease_id = '%s', leased_at = '%s', ready_at = '%s', fence = fence + 1, attempt = attempt + 1, batch_end = %d, batch_count = %d"
            .formatted(id, now(), now().plusSeconds(60), through, through));
    return id;
  }

  void recount(String queue, String group) {
    execute(
        """
        DELETE FROM holdfast.stream_counter WHERE queue_id = {queue} AND kind = 'C' AND sub_id = {group};
        INSERT INTO holdfast.stream_counter (queue_id, kind, sub_id, stripe, n)
        SELECT {queue}, 'C', {group}, 0, sum(committed) FROM holdfast.stream_cursor
         WHERE queue_id = {queue} AND sub_id = {group}
        """,
        queue,
        group);
  }

  /** Buries a message of a group. */
  UUID bury(String queue, String partition, String group, long offset) {
    query(
        "SELECT holdfast.stream_bury_v1(?::timestamptz, {queue}, (SELECT p.id FROM holdfast.stream_partition AS p"
            + " WHERE p.queue_id = {queue} AND p.name = ?), {group}, ?::bigint, 'verdict', 'broken', 2, 3)",
        queue,
        group,
        at(),
        partition,
        String.valueOf(offset));
    return UUID.fromString(
        String.valueOf(
            query(
                "SELECT id FROM holdfast.stream_dead WHERE queue_id = {queue} AND sub_id = {group} ORDER BY off DESC, failed_at DESC",
                queue,
                group)));
  }

  private String at() {
    return now().toString();
  }

  /** What counters say that is not so. */
  @Nullable String drift(String queue) {
    return query(
        "SELECT string_agg(d::text, ' ') FROM holdfast.stream_drift_v1({queue}, 1000) AS d", queue);
  }

  /** Of a statement; the first arguments are names for {@code {queue}} and {@code {group}}. */
  @Nullable String query(String sql, String queue, @Nullable String... more) {
    boolean hasGroup = sql.contains("{group}");
    String named = named(sql, queue, hasGroup ? more[0] : null);
    try {
      return SpareConnections.use(
          url, connection -> first(connection, named, hasGroup ? 1 : 0, more));
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private static @Nullable String first(
      Connection connection, String sql, int from, @Nullable String... binds) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = from; i < binds.length; i++) {
        statement.setObject(i - from + 1, binds[i], java.sql.Types.OTHER);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    }
  }

  void execute(String sql, String queue, @Nullable String group) {
    String named = named(sql, queue, group);
    try {
      SpareConnections.use(
          url,
          connection -> {
            try (PreparedStatement statement = connection.prepareStatement(named)) {
              return statement.execute();
            }
          });
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private String named(String sql, String queue, @Nullable String group) {
    String id =
        "(SELECT id FROM holdfast.stream_queue WHERE name = '"
            + queue
            + "' AND deleted_at IS NULL)";
    String sub =
        "(SELECT id FROM holdfast.stream_subscription WHERE queue_id = "
            + id
            + " AND name = '"
            + group
            + "')";
    return kernel.sql(sql.replace("{group}", sub).replace("{queue}", id));
  }

  @Override
  public void close() {
    statements.close();
    database.close();
    if (url.equals(TestDatabase.url())) {
      StreamSchemas.giveBack(schema);
    }
  }
}
