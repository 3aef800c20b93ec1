package io.holdfast.postgres;

import static java.util.stream.Collectors.joining;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.StreamCatalog;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamSettings;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queues in their table. Safe for use by many threads. */
final class PostgresStreamCatalog implements StreamCatalog {
  private static final int STEP = 1000;

  /** What a pause writes: pushes are refused. */
  private static final String REJECT = "reject";

  /** Locked against other changes of the queue, not against those who make partitions of it. */
  private static final String FIND_LOCKED = StreamRows.FIND + " FOR NO KEY UPDATE";

  /** Whoever comes second finds the first one's queue. */
  private static final String ADD =
      """
      INSERT INTO holdfast.stream_queue (tag, name, namespace, task, created_at)
      VALUES (?, ?, ?, ?, coalesce(?::timestamptz, clock_timestamp()))
      ON CONFLICT (name) WHERE deleted_at IS NULL DO NOTHING
      """;

  private static final String CHANGE =
      "UPDATE holdfast.stream_queue SET namespace = ?, task = ?, "
          + options(true).map(o -> o.column() + " = " + parameter(o)).collect(joining(", "))
          + ", extra = jsonb_build_object("
          + options(false).map(o -> "'" + o.text() + "', " + parameter(o)).collect(joining(", "))
          + ") WHERE id = ?";

  private static final String MAKE_PARTITION = "SELECT holdfast.stream_make_partition_v1(?, ?, ?)";

  /** Cursors that wait for what is no longer to be waited for. */
  private static final String HASTEN = "SELECT holdfast.stream_hasten_v1(?, ?, ?)";

  private static final String LIST =
      "SELECT "
          + StreamRows.INFO
          + " FROM holdfast.stream_queue AS q"
          + " WHERE q.deleted_at IS NULL AND (?::text IS NULL OR q.name > ?) ORDER BY q.name LIMIT ?";

  private static final String DELETE =
      """
      UPDATE holdfast.stream_queue SET deleted_at = coalesce(?::timestamptz, clock_timestamp())
       WHERE name = ? AND deleted_at IS NULL
      """;

  private static final String PARTITIONS =
      """
      SELECT p.name FROM holdfast.stream_queue AS q
        JOIN holdfast.stream_partition AS p ON p.queue_id = q.id
       WHERE q.name = ? AND q.deleted_at IS NULL AND (?::text IS NULL OR p.name > ?)
       ORDER BY p.name LIMIT ?
      """;

  private static final String PAUSE_PUSH =
      "UPDATE holdfast.stream_queue SET push_pause = ? WHERE name = ? AND deleted_at IS NULL";

  private static final String PAUSE_POP =
      """
      UPDATE holdfast.stream_queue SET pop_paused = ?::boolean
       WHERE name = ? AND deleted_at IS NULL
      """;

  private static final String PAUSE_ALL_PUSHES = "UPDATE holdfast.stream_global SET push_pause = ?";

  private static final String PAUSE_ALL_POPS =
      "UPDATE holdfast.stream_global SET pop_paused = ?::boolean";

  private static final String PAUSED_ALL =
      """
      SELECT push_pause IS NOT NULL, pop_paused, coalesce(push_pause = 'hold', false)
        FROM holdfast.stream_global
      """;

  private static final String FORGET_HELD = "DELETE FROM holdfast.stream_held WHERE queue = ?";

  private final StreamKernel kernel;
  private final StreamStatements statements;

  PostgresStreamCatalog(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
  }

  private static Stream<StreamOption> options(boolean hasColumn) {
    return Arrays.stream(StreamOption.values()).filter(o -> (o.column() != null) == hasColumn);
  }

  private static String parameter(StreamOption option) {
    if (option.byDefault() instanceof Boolean) {
      return "?::boolean";
    }
    return option.byDefault() instanceof String ? "?" : "?::bigint";
  }

  /** A queue, and whether cursors may wait longer than it now says. */
  private record Configured(StreamInfo info, boolean isSooner) {}

  @Override
  public StreamInfo configure(StreamConfig config, StoreCall call) {
    Configured done = kernel.transaction("configure", call, watch -> configureIn(watch, config));
    if (done.isSooner()) {
      hasten(done.info().key().id(), call);
    }
    return done.info();
  }

  private Configured configureIn(Watch watch, StreamConfig config) throws SQLException {
    StreamInfo old = locked(watch, config);
    StreamSettings settings = old.settings().changedBy(config);
    StreamInfo.Labels labels =
        new StreamInfo.Labels(
            config.namespace() == null ? old.labels().namespace() : config.namespace(),
            config.task() == null ? old.labels().task() : config.task());
    StreamInfo info =
        new StreamInfo(
            old.key(), old.uid(), old.name(), labels, settings, old.paused(), old.createdAt());
    write(watch, info);
    statements.first(
        watch,
        MAKE_PARTITION,
        b -> b.now(kernel.time()).integer(old.key().id()).text(StreamRules.DEFAULT_PARTITION),
        row -> row.getLong(1));
    return new Configured(
        info,
        isLess(StreamOption.DELAYED_PROCESSING, settings, old.settings())
            || isLess(StreamOption.WINDOW_BUFFER, settings, old.settings()));
  }

  private static boolean isLess(StreamOption option, StreamSettings now, StreamSettings before) {
    return now.number(option) < before.number(option);
  }

  private StreamInfo locked(Watch watch, StreamConfig config) throws SQLException {
    while (true) {
      StreamInfo found =
          statements.first(
              watch, FIND_LOCKED, binds -> binds.text(config.queue()), StreamRows::info);
      if (found != null) {
        return found;
      }
      add(watch, config.queue(), new StreamInfo.Labels("", ""));
    }
  }

  /** Makes a queue with default options, unless there is one; answers how many it made. */
  int add(Watch watch, String queue, StreamInfo.Labels labels) throws SQLException {
    return statements.update(
        watch,
        ADD,
        binds ->
            binds
                .integer(ThreadLocalRandom.current().nextInt(StreamIds.TAGS))
                .text(queue)
                .text(labels.namespace())
                .text(labels.task())
                .now(kernel.time()));
  }

  private void write(Watch watch, StreamInfo info) throws SQLException {
    statements.update(
        watch,
        CHANGE,
        binds -> {
          binds.text(info.labels().namespace()).text(info.labels().task());
          for (boolean hasColumn : new boolean[] {true, false}) {
            for (StreamOption option : options(hasColumn).toList()) {
              Object value = info.settings().values().get(option);
              binds.text(value == null ? null : value.toString());
            }
          }
          binds.integer(info.key().id());
        });
  }

  private void hasten(int queue, StoreCall call) {
    int done = STEP;
    while (done == STEP) {
      done =
          kernel.change(
              "configure",
              call,
              watch ->
                  statements.number(
                      watch, HASTEN, b -> b.now(kernel.time()).integer(queue).integer(STEP)));
    }
  }

  @Override
  public Optional<StreamInfo> find(String queue, StoreCall call) {
    return kernel.look(
        "find",
        call,
        watch ->
            Optional.ofNullable(
                statements.first(watch, StreamRows.FIND, b -> b.text(queue), StreamRows::info)));
  }

  @Override
  public List<StreamInfo> list(@Nullable String after, int limit, StoreCall call) {
    return kernel.look(
        "list",
        call,
        watch ->
            statements.all(
                watch, LIST, b -> b.text(after).text(after).integer(limit), StreamRows::info));
  }

  @Override
  public boolean delete(String queue, StoreCall call) {
    return kernel.transaction(
        "delete",
        call,
        watch -> {
          boolean existed =
              statements.update(watch, DELETE, b -> b.now(kernel.time()).text(queue)) > 0;
          if (existed) {
            statements.update(watch, FORGET_HELD, b -> b.text(queue));
          }
          return existed;
        });
  }

  @Override
  public List<String> partitions(String queue, @Nullable String after, int limit, StoreCall call) {
    return kernel.look(
        "partitions",
        call,
        watch ->
            statements.all(
                watch,
                PARTITIONS,
                b -> b.text(queue).text(after).text(after).integer(limit),
                row -> row.getString(1)));
  }

  @Override
  public void pausePush(@Nullable String queue, boolean isPaused, StoreCall call) {
    if (isPaused) {
      pause(queue, PAUSE_PUSH, PAUSE_ALL_PUSHES, REJECT, call);
    } else {
      new PostgresStreamHolds(kernel).end(queue, call);
    }
  }

  @Override
  public void pausePop(@Nullable String queue, boolean isPaused, StoreCall call) {
    pause(queue, PAUSE_POP, PAUSE_ALL_POPS, Boolean.toString(isPaused), call);
  }

  private void pause(
      @Nullable String queue, String one, String all, @Nullable String value, StoreCall call) {
    int changed =
        kernel.change(
            "pause",
            call,
            watch ->
                queue == null
                    ? statements.update(watch, all, b -> b.text(value))
                    : statements.update(watch, one, b -> b.text(value).text(queue)));
    if (changed == 0 && queue != null) {
      throw StreamException.noQueue(queue);
    }
  }

  @Override
  public StreamInfo.Paused pausedAll(StoreCall call) {
    StreamInfo.Paused paused =
        kernel.look(
            "paused",
            call,
            watch ->
                statements.first(
                    watch,
                    PAUSED_ALL,
                    binds -> {},
                    row ->
                        new StreamInfo.Paused(
                            row.getBoolean(1), row.getBoolean(2), row.getBoolean(3))));
    return paused == null ? new StreamInfo.Paused(false, false) : paused;
  }
}
