package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Position;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamGroups;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Consumer groups and where they are, in their tables. Safe for use by many threads. */
final class PostgresStreamGroups implements StreamGroups {
  private static final int SEEK_STEP = 500;
  private static final int PURGE_STEP = 1000;

  private static final String SEEK =
      """
      SELECT moved, last
        FROM holdfast.stream_seek_v1(?, ?, ?, nullif(?::bigint, 0), ?, ?, ?, ?, ?)
      """;

  /** Every queue that has the group, and the number it has there. */
  private static final String MEMBERSHIPS =
      """
      SELECT q.id, q.name FROM holdfast.stream_queue AS q
        JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name = ?
       WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name = ?) ORDER BY q.id
      """;

  private static final String FORGET = "SELECT holdfast.stream_forget_v1(?, ?, ?, ?)";

  private static final String PURGE =
      "SELECT removed, last FROM holdfast.stream_purge_group_v1(?, ?, ?, ?)";

  private static final String START_AT =
      """
      UPDATE holdfast.stream_subscription AS s SET mode = 't', from_at = ?
        FROM holdfast.stream_queue AS q
       WHERE s.name = ? AND q.id = s.queue_id AND q.deleted_at IS NULL
      """;

  private static final String LIST =
      """
      SELECT q.name AS queue, s.name, s.mode, s.from_at, s.seeded, s.created_at, s.last_seen_at, l.lag,
             l.is_active
        FROM holdfast.stream_queue AS q
       CROSS JOIN LATERAL holdfast.stream_lags_v1(?, q.id) AS l
        JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.id = l.sub_id
       WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name = ?)
       ORDER BY q.name, s.name
      """;

  /** By name, with the index on the names of partitions; the head is looked up per row. */
  private static final String CURSORS =
      """
      SELECT q.id, q.tag, q.name AS queue, p.id AS partition_id, p.name AS partition, s.name AS group_name,
             c.committed, p.last_offset, h.created_at AS oldest_at, c.last_ack_at,
             CASE WHEN c.leased_at IS NOT NULL AND c.ready_at > coalesce(?::timestamptz, clock_timestamp())
                  THEN c.lease_id END AS lease_id
        FROM (SELECT q.id, q.tag, q.name, p.id AS partition_id, s.id AS sub_id
                FROM holdfast.stream_queue AS q
                JOIN holdfast.stream_partition AS p ON p.queue_id = q.id
                JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.partition_id = p.id
                JOIN holdfast.stream_subscription AS s
                  ON s.queue_id = q.id AND s.id = c.sub_id AND s.name IS NOT NULL
               WHERE q.name = ? AND q.deleted_at IS NULL AND (?::text IS NULL OR s.name = ?)
                 AND (?::text IS NULL OR (p.name >= ? AND (p.name, s.name) > (?, ?)))
               ORDER BY p.name, s.name LIMIT ?) AS q
        JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.id = q.partition_id
        JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.id = q.sub_id
        JOIN holdfast.stream_cursor AS c
          ON c.queue_id = q.id AND c.partition_id = q.partition_id AND c.sub_id = q.sub_id
        LEFT JOIN LATERAL holdfast.stream_head_v1(
               q.id, q.partition_id, q.sub_id, greatest(c.committed, p.log_start - 1), c.marks) AS h ON true
       ORDER BY p.name, s.name
      """;

  private final StreamKernel kernel;
  private final StreamStatements statements;

  PostgresStreamGroups(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
  }

  @Override
  public boolean seed(String queue, String group, StoreCall call) {
    StreamNames names = names(new StreamNames.Asked(queue, group, null), call);
    StreamInfo.Key key = names.queue();
    Long sub = names.group();
    return key == null
        || sub == null
        || kernel.change("seed", call, watch -> isSeeded(watch, key.id(), sub));
  }

  private boolean isSeeded(Watch watch, int queue, long sub) throws SQLException {
    if (StreamSeeding.isLeft(statements, watch, queue, sub)) {
      StreamSeeding.step(statements, watch, queue, sub, 0);
    }
    return !StreamSeeding.isLeft(statements, watch, queue, sub);
  }

  private StreamNames names(StreamNames.Asked asked, StoreCall call) {
    return kernel.look("resolve", call, watch -> StreamNames.of(statements, watch, asked));
  }

  /** How many rows a step was about, and the partition it ended with. */
  private record Step(int done, long last) {
    static Step of(ResultSet row) throws SQLException {
      return new Step(row.getInt(1), row.getLong(2));
    }
  }

  @Override
  public int seek(
      String queue, String group, @Nullable String partition, Position to, StoreCall call) {
    StreamNames names = names(new StreamNames.Asked(queue, group, partition), call);
    int key = names.needQueue().id();
    long sub = names.needGroup();
    long only = names.needPartition();
    if (only == 0) {
      seedAll(key, sub, call);
    } else {
      kernel.change("seek", call, w -> StreamSeeding.step(statements, w, key, sub, only));
    }
    int moved = 0;
    Step step = new Step(SEEK_STEP, 0);
    while (step.done() == SEEK_STEP) {
      long after = step.last();
      step = one("seek", SEEK, binds -> seek(binds, key, sub, only, after, to), call);
      moved += step.done();
    }
    return moved;
  }

  private void seedAll(int queue, long sub, StoreCall call) {
    boolean isSeeded = false;
    while (!isSeeded) {
      isSeeded = kernel.change("seek", call, watch -> isSeeded(watch, queue, sub));
    }
  }

  private void seek(Binds binds, int queue, long sub, long only, long after, Position to)
      throws SQLException {
    binds
        .now(kernel.time())
        .integer(queue)
        .number(sub)
        .number(only)
        .number(after)
        .text(to.kind().name())
        .at(to.at())
        .number(to.offset())
        .integer(SEEK_STEP);
  }

  private Step one(String operation, String sql, StreamStatements.Bound bound, StoreCall call) {
    Step step =
        kernel.change(operation, call, watch -> statements.first(watch, sql, bound, Step::of));
    return step == null ? new Step(0, 0) : step;
  }

  /** A queue that has the group. */
  private record Membership(int queue, String name) {}

  @Override
  public int delete(String group, @Nullable String queue, boolean isKeepingStart, StoreCall call) {
    List<Membership> memberships =
        kernel.look(
            "delete group",
            call,
            watch -> {
              if (queue != null) {
                StreamNames.of(statements, watch, new StreamNames.Asked(queue, null, null))
                    .needQueue();
              }
              return statements.all(
                  watch,
                  MEMBERSHIPS,
                  b -> b.text(group).text(queue).text(queue),
                  row -> new Membership(row.getInt(1), row.getString(2)));
            });
    int cursors = 0;
    for (Membership in : memberships) {
      cursors += forget(in.queue(), group, isKeepingStart, call);
    }
    return cursors;
  }

  /** The name goes first; should the rest fail, the purge in the background finishes it. */
  private int forget(int queue, String group, boolean isKeepingStart, StoreCall call) {
    Long old =
        kernel.change(
            "delete group",
            call,
            watch ->
                statements.first(
                    watch,
                    FORGET,
                    b -> b.now(kernel.time()).integer(queue).text(group).flag(isKeepingStart),
                    row -> row.getLong(1)));
    return old == null || old == 0 ? 0 : purge(queue, old, call);
  }

  /** Removes what a group without a name left; answers how many cursors. */
  int purge(int queue, long sub, StoreCall call) {
    int removed = 0;
    Step step = new Step(PURGE_STEP, 0);
    while (step.done() == PURGE_STEP) {
      long after = step.last();
      step =
          one(
              "delete group",
              PURGE,
              b -> b.integer(queue).number(sub).number(after).integer(PURGE_STEP),
              call);
      removed += step.done();
    }
    return removed;
  }

  @Override
  public int startAt(String group, Instant at, StoreCall call) {
    return kernel.change(
        "start group",
        call,
        watch -> statements.update(watch, START_AT, b -> b.at(at).text(group)));
  }

  @Override
  public List<GroupInfo> list(@Nullable String queue, StoreCall call) {
    return kernel.look(
        "groups",
        call,
        watch ->
            statements.all(
                watch,
                LIST,
                b -> b.now(kernel.time()).text(queue).text(queue),
                PostgresStreamGroups::group));
  }

  private static GroupInfo group(ResultSet row) throws SQLException {
    return new GroupInfo(
        row.getString("queue"),
        row.getString("name"),
        new Start(mode(row.getString("mode")), StreamRows.instant(row, "from_at")),
        row.getLong("lag"),
        row.getBoolean("seeded"),
        !row.getBoolean("is_active"),
        StreamRows.required(row, "created_at"),
        StreamRows.required(row, "last_seen_at"));
  }

  private static Start.Mode mode(String text) {
    return switch (text) {
      case "a" -> Start.Mode.ALL;
      case "n" -> Start.Mode.NEW;
      case "t" -> Start.Mode.TIMESTAMP;
      default -> throw new IllegalStateException("a group has the mode " + text);
    };
  }

  @Override
  public List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit, StoreCall call) {
    String partition = after == null ? null : after.partition();
    String lastGroup = after == null ? null : after.group();
    return kernel.look(
        "cursors",
        call,
        watch ->
            statements.all(
                watch,
                CURSORS,
                b ->
                    b.now(kernel.time())
                        .text(queue)
                        .text(group)
                        .text(group)
                        .text(partition)
                        .text(partition)
                        .text(partition)
                        .text(lastGroup)
                        .integer(limit),
                PostgresStreamGroups::cursor));
  }

  private static CursorInfo cursor(ResultSet row) throws SQLException {
    StreamInfo.Key queue = new StreamInfo.Key(row.getInt("id"), row.getInt("tag"));
    return new CursorInfo(
        new CursorKey(
            row.getString("queue"), row.getString("partition"), row.getString("group_name")),
        StreamIds.partition(queue, row.getLong("partition_id")),
        row.getLong("committed"),
        row.getLong("last_offset"),
        StreamRows.uuid(row, "lease_id"),
        StreamRows.instant(row, "oldest_at"),
        StreamRows.instant(row, "last_ack_at"));
  }
}
