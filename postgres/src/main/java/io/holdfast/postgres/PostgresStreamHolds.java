package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamHolds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamOption;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pushes that are put by, in a table of their own. Whoever puts some by shares the rows that say
 * so, and whoever changes these waits: so a queue that is let go has {@code drain} in its row as
 * long as something is put by for it, and nobody gets ahead of that. Safe for use by many threads.
 */
final class PostgresStreamHolds implements StreamHolds {
  private static final int STEP = 500;
  private static final String HOLD = "hold";
  private static final String DRAIN = "drain";
  private static final String REJECT = "reject";

  private static final String SHARE_ALL = "SELECT push_pause FROM holdfast.stream_global FOR SHARE";

  private static final String SHARE =
      """
      SELECT name, push_pause FROM holdfast.stream_queue
       WHERE name = ANY (?) AND deleted_at IS NULL ORDER BY id FOR SHARE
      """;

  /** Numbers that were given and are gone count too: it is a limit, not a figure. */
  private static final String SPAN =
      "SELECT coalesce(max(id) - min(id) + 1, 0) FROM holdfast.stream_held";

  private static final String PUT =
      """
      INSERT INTO holdfast.stream_held
            (queue, partition, transaction_id, trace_id, payload, encrypted, producer_sub, held_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, coalesce(?::timestamptz, clock_timestamp()))
      """;

  private static final String COUNT =
      "SELECT count(*) FROM holdfast.stream_held WHERE ?::text IS NULL OR queue = ?";

  private static final String HOLD_ONE =
      """
      UPDATE holdfast.stream_queue SET push_pause = 'hold' WHERE name = ? AND deleted_at IS NULL
      """;

  private static final String HOLD_ALL = "UPDATE holdfast.stream_global SET push_pause = 'hold'";

  private static final String LOCK =
      """
      SELECT id FROM holdfast.stream_queue WHERE name = ? AND deleted_at IS NULL FOR UPDATE
      """;

  /** Looks for what is put by after the row is locked. */
  private static final String LET_GO =
      """
      UPDATE holdfast.stream_queue AS q
         SET push_pause = CASE WHEN EXISTS (SELECT FROM holdfast.stream_held AS h WHERE h.queue = q.name)
                               THEN 'drain' END
       WHERE q.id = ?
      """;

  private static final String LET_ALL_GO = "UPDATE holdfast.stream_global SET push_pause = NULL";

  private static final String HELD_QUEUES =
      "SELECT DISTINCT queue FROM holdfast.stream_held ORDER BY queue";

  private static final String DRAIN_QUEUES =
      """
      UPDATE holdfast.stream_queue SET push_pause = 'drain'
       WHERE name = ANY (?) AND deleted_at IS NULL AND push_pause IS NULL
      """;

  private static final String DRAINING =
      """
      SELECT q.name FROM holdfast.stream_queue AS q, holdfast.stream_global AS g
       WHERE q.push_pause = 'drain' AND q.deleted_at IS NULL AND g.push_pause IS NULL ORDER BY q.name
      """;

  /** What somebody else drains is left to him. */
  private static final String TAKE =
      StreamRows.FIND + " AND q.push_pause = 'drain' FOR UPDATE SKIP LOCKED";

  /** No more than this process can hold: 16 MiB of payloads, or one. */
  private static final String OLDEST =
      """
      SELECT id, queue, partition, transaction_id, trace_id, payload, encrypted, producer_sub
        FROM (SELECT h.id, h.queue, h.partition, h.transaction_id, h.trace_id, h.payload, h.encrypted, h.producer_sub,
                     row_number() OVER (ORDER BY h.id) AS place,
                     sum(octet_length(h.payload)) OVER (ORDER BY h.id) AS running
                FROM (SELECT id, queue, partition, transaction_id, trace_id, payload, encrypted, producer_sub
                        FROM holdfast.stream_held WHERE queue = ? ORDER BY id LIMIT ?) AS h) AS h
       WHERE running <= 16777216 OR place = 1 ORDER BY id
      """;

  private static final String MAKE_PARTITION = "SELECT holdfast.stream_make_partition_v1(?, ?, ?)";

  private static final String OPEN =
      "UPDATE holdfast.stream_queue SET push_pause = NULL WHERE id = ?";

  private static final String GONE = "DELETE FROM holdfast.stream_held WHERE queue = ? AND id <= ?";

  private final StreamKernel kernel;
  private final StreamStatements statements;
  private final PostgresStreamCatalog catalog;

  PostgresStreamHolds(StreamKernel kernel) {
    this.kernel = kernel;
    this.statements = new StreamStatements(kernel);
    this.catalog = new PostgresStreamCatalog(kernel);
  }

  @Override
  public void begin(@Nullable String queue, StoreCall call) {
    int changed =
        kernel.change(
            "hold",
            call,
            watch ->
                queue == null
                    ? statements.update(watch, HOLD_ALL, binds -> {})
                    : statements.update(watch, HOLD_ONE, binds -> binds.text(queue)));
    if (changed == 0 && queue != null) {
      throw StreamException.noQueue(queue);
    }
  }

  /** Pushes are allowed again; what is put by comes first. */
  void end(@Nullable String queue, StoreCall call) {
    kernel.transaction(
        "resume",
        call,
        watch -> {
          if (queue == null) {
            endAll(watch);
          } else {
            Integer id =
                statements.first(watch, LOCK, binds -> binds.text(queue), row -> row.getInt(1));
            if (id == null) {
              throw StreamException.noQueue(queue);
            }
            statements.update(watch, LET_GO, binds -> binds.integer(id));
          }
          return true;
        });
  }

  private void endAll(Watch watch) throws SQLException {
    statements.update(watch, LET_ALL_GO, binds -> {});
    List<String> names = statements.all(watch, HELD_QUEUES, binds -> {}, row -> row.getString(1));
    for (String name : names) {
      catalog.add(watch, name, StreamInfo.Labels.of(name));
    }
    if (!names.isEmpty()) {
      statements.update(watch, DRAIN_QUEUES, binds -> binds.texts(names));
    }
  }

  /** What the queues of some entries say. */
  private record State(@Nullable String all, Map<String, @Nullable String> queues) {
    boolean isRefusing(String queue) {
      return REJECT.equals(all) || REJECT.equals(queues.get(queue));
    }

    boolean isHolding(String queue) {
      String own = queues.get(queue);
      return HOLD.equals(all) || HOLD.equals(own) || DRAIN.equals(own);
    }
  }

  private State share(Watch watch, List<Entry> entries) throws SQLException {
    String all = statements.first(watch, SHARE_ALL, binds -> {}, row -> row.getString(1));
    Set<String> names = new TreeSet<>();
    entries.forEach(entry -> names.add(entry.queue()));
    Map<String, @Nullable String> queues = new HashMap<>();
    statements.all(
        watch,
        SHARE,
        binds -> binds.texts(List.copyOf(names)),
        row -> queues.put(row.getString(1), row.getString(2)) == null);
    return new State(all, queues);
  }

  /** The first queue of some entries that is held, if none of them refuses; null without one. */
  @Nullable String holding(List<Entry> entries, StoreCall call) {
    return kernel.<@Nullable String>transaction(
        "hold",
        call,
        watch -> {
          State state = share(watch, entries);
          boolean isRefused = entries.stream().anyMatch(entry -> state.isRefusing(entry.queue()));
          return isRefused
              ? null
              : entries.stream()
                  .map(Entry::queue)
                  .filter(state::isHolding)
                  .findFirst()
                  .orElse(null);
        });
  }

  @Override
  public Optional<StreamLog.PushAnswer> hold(List<Entry> entries, StoreCall call) {
    return Optional.ofNullable(
        kernel.<StreamLog.@Nullable PushAnswer>transaction(
            "hold", call, watch -> hold(watch, entries, call)));
  }

  private StreamLog.@Nullable PushAnswer hold(Watch watch, List<Entry> entries, StoreCall call)
      throws SQLException {
    State state = share(watch, entries);
    List<Entry> others = entries.stream().filter(e -> !state.isHolding(e.queue())).toList();
    if (others.size() == entries.size()) {
      return null;
    }
    checkAllowed(watch, state, entries);
    for (String queue : state.queues().keySet()) {
      StreamInfo info =
          statements.first(watch, StreamRows.FIND, b -> b.text(queue), StreamRows::info);
      if (info != null && state.isHolding(queue) && isWrong(info, entries)) {
        return new StreamLog.WrongForm(info);
      }
    }
    StreamLog.PushAnswer pushed = inside(watch).push(others, call);
    if (!(pushed instanceof StreamLog.Appended appended)) {
      return pushed;
    }
    List<Pushed> all = new ArrayList<>();
    int next = 0;
    for (Entry entry : entries) {
      all.add(state.isHolding(entry.queue()) ? put(watch, entry) : appended.pushed().get(next++));
    }
    return new StreamLog.Appended(all);
  }

  private void checkAllowed(Watch watch, State state, List<Entry> entries) throws SQLException {
    Long span = statements.first(watch, SPAN, binds -> {}, row -> row.getLong(1));
    boolean isTooMuch = span != null && span + entries.size() > MOST;
    for (Entry entry : entries) {
      if (isTooMuch || state.isRefusing(entry.queue())) {
        throw new StreamException(
            StreamError.PAUSED, "pushes to queue '" + entry.queue() + "' are paused", null);
      }
    }
  }

  private static boolean isWrong(StreamInfo queue, List<Entry> entries) {
    boolean isWanted = queue.settings().is(StreamOption.ENCRYPTION_ENABLED);
    return entries.stream()
        .filter(entry -> entry.queue().equals(queue.name()))
        .anyMatch(
            entry -> {
              UUID sealedFor = entry.payload().sealedFor();
              boolean isForAnother =
                  isWanted && sealedFor != null && !sealedFor.equals(queue.uid());
              return entry.isEncrypted() != isWanted || isForAnother;
            });
  }

  private Pushed put(Watch watch, Entry entry) throws SQLException {
    String given = entry.transactionId();
    String transaction = given == null ? UUID.randomUUID().toString() : given;
    statements.update(
        watch,
        PUT,
        binds ->
            binds
                .text(entry.queue())
                .text(entry.partition())
                .text(transaction)
                .uuid(entry.traceId())
                .data(entry.payload().unwrap())
                .flag(entry.isEncrypted())
                .text(entry.producer())
                .now(kernel.time()));
    return Pushed.buffered(transaction, entry.traceId());
  }

  /** Appends inside the transaction of {@code watch}. */
  private PostgresStreamLog inside(Watch watch) {
    StoreCaller here =
        new StoreCaller() {
          @Override
          public <T extends @Nullable Object> T single(
              String operation, StoreCall call, SqlWork<T> work) throws SQLException {
            return work.run(watch);
          }

          @Override
          public <T extends @Nullable Object> T transaction(
              String operation, StoreCall call, SqlWork<T> work) throws SQLException {
            return work.run(watch);
          }
        };
    StreamKernel inside = kernel.inside(here);
    return new PostgresStreamLog(inside, inside, messages -> {});
  }

  @Override
  public long count(@Nullable String queue, StoreCall call) {
    Long count =
        kernel.look(
            "held",
            call,
            watch ->
                statements.first(
                    watch, COUNT, b -> b.text(queue).text(queue), row -> row.getLong(1)));
    return count == null ? 0 : count;
  }

  @Override
  public Drained drain(Reform reform, StoreCall call) {
    List<String> names =
        kernel.look(
            "drain",
            call,
            watch -> statements.all(watch, DRAINING, binds -> {}, row -> row.getString(1)));
    Set<String> drained = new LinkedHashSet<>();
    int messages = 0;
    for (String name : names) {
      int stored = drain(name, STEP, reform, call);
      messages += stored;
      if (stored > 0) {
        drained.add(name);
      }
    }
    return new Drained(messages, drained);
  }

  private int drain(String queue, int limit, Reform reform, StoreCall call) {
    try {
      return kernel.transaction(
          "drain", call, watch -> drain(watch, new Step(queue, limit, reform), call));
    } catch (QueueFullException full) {
      int room = (int) Math.min(limit - 1, full.remaining());
      return room > 0 ? drain(queue, room, reform, call) : 0;
    }
  }

  private record Step(String queue, int limit, Reform reform) {}

  private record Held(long id, Entry entry) {}

  /**
   * For the others the queue drains until the commit; in here it is open, so that it takes them.
   */
  private int drain(Watch watch, Step step, StoreCall call) throws SQLException {
    StreamInfo info =
        statements.first(watch, TAKE, binds -> binds.text(step.queue()), StreamRows::info);
    if (info == null) {
      return 0;
    }
    List<Held> next =
        statements.all(
            watch,
            OLDEST,
            binds -> binds.text(step.queue()).integer(step.limit()),
            PostgresStreamHolds::held);
    statements.update(watch, OPEN, binds -> binds.integer(info.key().id()));
    if (next.isEmpty()) {
      return 0;
    }
    List<Entry> entries = next.stream().map(held -> step.reform().in(info, held.entry())).toList();
    for (String partition : new TreeSet<>(entries.stream().map(Entry::partition).toList())) {
      statements.first(
          watch,
          MAKE_PARTITION,
          binds -> binds.now(kernel.time()).integer(info.key().id()).text(partition),
          row -> row.getLong(1));
    }
    if (!(inside(watch).push(entries, call) instanceof StreamLog.Appended)) {
      throw StreamException.unavailable("the queue's encryption changes; try again", null);
    }
    long last = next.get(next.size() - 1).id();
    statements.update(watch, GONE, binds -> binds.text(step.queue()).number(last));
    statements.update(watch, LET_GO, binds -> binds.integer(info.key().id()));
    return next.size();
  }

  private static Held held(ResultSet row) throws SQLException {
    return new Held(
        row.getLong("id"),
        new Entry(
            row.getString("queue"),
            row.getString("partition"),
            Payload.wrap(row.getBytes("payload")),
            row.getBoolean("encrypted"),
            row.getString("transaction_id"),
            StreamRows.uuid(row, "trace_id"),
            row.getString("producer_sub")));
  }
}
