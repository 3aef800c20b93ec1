package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Entry;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.Transacted;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends to streams. Safe for use by many threads.
 *
 * <p>A push into partitions that are there is one statement. For new partitions of a queue the
 * function asks for numbers, which are drawn in a transaction of their own, and is called again: a
 * number drawn inside would hold up whoever wants the next one until a caller commits.
 */
final class PostgresStreamLog implements StreamLog {
  private static final String PUSH =
      "SELECT "
          + StreamEntries.COLUMNS
          + " FROM holdfast.stream_push_v1(?::timestamptz, ?, "
          + StreamEntries.PARAMETERS
          + ")";

  private static final String TRANSACT =
      "SELECT "
          + StreamEntries.COLUMNS
          + ", "
          + StreamVerdicts.COLUMNS
          + " FROM holdfast.stream_transact_v1(?::timestamptz, ?, "
          + StreamEntries.PARAMETERS
          + ", ?, "
          + StreamVerdicts.PARAMETERS
          + ")";

  private static final String DRAW =
      """
      UPDATE holdfast.stream_queue SET next_id = next_id + ? WHERE id = ? RETURNING next_id - ?
      """;

  private static final int TRIES = 10;

  private final StreamKernel kernel;
  private final StreamKernel own;
  private final String push;
  private final String transact;
  private final String draw;
  private final String find;
  private final IntConsumer appended;

  PostgresStreamLog(StreamKernel kernel) {
    this(kernel, kernel, messages -> {});
  }

  /**
   * Statements run in {@code kernel}, those that have to commit by themselves in {@code own};
   * {@code appended} is told how many messages came.
   */
  PostgresStreamLog(StreamKernel kernel, StreamKernel own, IntConsumer appended) {
    this.kernel = kernel;
    this.own = own;
    this.appended = appended;
    this.push = kernel.sql(PUSH);
    this.transact = kernel.sql(TRANSACT);
    this.draw = kernel.sql(DRAW);
    this.find = kernel.sql(StreamRows.FIND);
  }

  /** What one call of a function brought. */
  private record Outcome(StreamEntries.Answer answer, List<Acked> acked) {}

  private interface Call {
    Outcome run(StreamEntries entries);
  }

  @Override
  public PushAnswer push(List<Entry> entries, StoreCall call) {
    if (entries.isEmpty()) {
      return new Appended(List.of());
    }
    Outcome outcome;
    try {
      outcome =
          numbered(
              new StreamEntries(entries),
              call,
              all -> kernel.change("push", call, watch -> push(watch, all)));
    } catch (StreamException e) {
      return holding(entries, e, call);
    }
    appended.accept(outcome.answer().pushed().size());
    return outcome.answer().status().equals("form")
        ? new WrongForm(info(outcome.answer(), call))
        : new Appended(outcome.answer().pushed());
  }

  /** A pause may mean that pushes are put by. */
  private Holding holding(List<Entry> entries, StreamException e, StoreCall call) {
    String queue =
        e.error() == StreamError.PAUSED && kernel.isOwn()
            ? new PostgresStreamHolds(kernel).holding(entries, call)
            : null;
    if (queue == null) {
      throw e;
    }
    return new Holding(queue);
  }

  @Override
  public TransactAnswer transact(
      List<Entry> entries, List<Ack> acks, Set<UUID> required, StoreCall call) {
    Outcome outcome =
        numbered(
            new StreamEntries(entries),
            call,
            all ->
                kernel.change(
                    "transact", call, watch -> transact(watch, all, acks, List.copyOf(required))));
    return switch (outcome.answer().status()) {
      case "form" -> new WrongForm(info(outcome.answer(), call));
      case "refused" -> new Settled(new Transacted(false, List.of(), outcome.acked()));
      default -> new Settled(new Transacted(true, outcome.answer().pushed(), outcome.acked()));
    };
  }

  /** Calls until the entries have all numbers they need. */
  private Outcome numbered(StreamEntries entries, StoreCall call, Call work) {
    for (int i = 0; i < TRIES; i++) {
      Outcome outcome = work.run(entries);
      StreamEntries.Answer answer = outcome.answer();
      switch (answer.status()) {
        case "ids" -> entries.number(draw(answer.needs(), call));
        case "paused" ->
            throw new StreamException(
                StreamError.PAUSED, "pushing to '" + answer.about() + "' is paused", null);
        case "full" ->
            throw new QueueFullException(
                String.valueOf(answer.about()), answer.depth(), answer.room());
        case "isolation" ->
            throw StreamException.invalid(
                "connection is invalid; its transaction must be READ COMMITTED to push");
        default -> {
          return outcome;
        }
      }
    }
    throw StreamException.unavailable("partitions vanish as fast as they are made", null);
  }

  private Outcome push(Watch watch, StreamEntries entries) throws SQLException {
    try (PreparedStatement statement = watch.prepare(push)) {
      entries.bind(Binds.of(statement).now(kernel.time()).flag(kernel.isOwn()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Outcome(entries.read(row), List.of());
      }
    }
  }

  private Outcome transact(Watch watch, StreamEntries entries, List<Ack> acks, List<UUID> required)
      throws SQLException {
    StreamVerdicts verdicts = new StreamVerdicts(acks);
    try (PreparedStatement statement = watch.prepare(transact)) {
      Binds binds = entries.bind(Binds.of(statement).now(kernel.time()).flag(kernel.isOwn()));
      verdicts.bind(binds.uuids(required));
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        StreamEntries.Answer answer = entries.read(rows);
        while (rows.next()) {
          verdicts.read(rows);
        }
        return new Outcome(answer, verdicts.answer().acked());
      }
    }
  }

  private List<StreamEntries.Numbers> draw(List<StreamEntries.Numbers> needs, StoreCall call) {
    List<StreamEntries.Numbers> drawn = new ArrayList<>();
    for (StreamEntries.Numbers need : needs) {
      long from = own.change("draw", call, watch -> draw(watch, need));
      drawn.add(new StreamEntries.Numbers(need.queue(), from, need.count()));
    }
    return drawn;
  }

  /** The first of the numbers; 0 when nobody else sees that queue yet. */
  private long draw(Watch watch, StreamEntries.Numbers need) throws SQLException {
    try (PreparedStatement statement = watch.prepare(draw)) {
      Binds.of(statement).number(need.count()).integer(need.queue()).number(need.count());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  private StreamInfo info(StreamEntries.Answer answer, StoreCall call) {
    String queue = String.valueOf(answer.about());
    return kernel
        .look("find", call, watch -> find(watch, queue))
        .orElseThrow(() -> StreamException.noQueue(queue));
  }

  private Optional<StreamInfo> find(Watch watch, @Nullable String queue) throws SQLException {
    try (PreparedStatement statement = watch.prepare(find)) {
      Binds.of(statement).text(queue);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(StreamRows.info(row)) : Optional.empty();
      }
    }
  }
}
