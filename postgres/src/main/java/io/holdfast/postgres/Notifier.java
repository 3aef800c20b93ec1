package io.holdfast.postgres;

import io.holdfast.Telemetry.Figure;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Duty;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hints between processes by NOTIFY. They are sent outside of anybody's transaction, because a
 * NOTIFY takes a lock at commit that would make all senders queue; while one statement is on its
 * way the hints that come up wait together for the next. One connection listens, from the first
 * listener on; when it is lost, waiters fall back on polling until it is there again. Safe for use
 * by many threads.
 */
final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
  private static final Duration SEND_LIMIT = Duration.ofSeconds(5);
  private static final int LISTEN_TURN_MS = 500;
  private static final long IDLE_MS = Duration.ofMinutes(10).toMillis();
  private static final int MAX_PENDING = 10_000;

  private static final String SEND =
      """
      WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
      SELECT pg_notify('holdfast_hints', hint.topic) FROM quick, unnest(?) AS hint (topic)
      """;

  private final Database database;
  private final Transactions transactions;
  private final Set<String> pending = new LinkedHashSet<>();
  private final List<Hints.Listener> listeners = new CopyOnWriteArrayList<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder heard = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final Listening listening = new Listening();
  private final DutyRunner sender = new DutyRunner("holdfast-notify", new Sending(), Time.system());
  private final DutyRunner receiver = new DutyRunner("holdfast-listen", listening, Time.system());

  Notifier(Database database, Transactions transactions) {
    this.database = database;
    this.transactions = transactions;
  }

  /** Hints whose topics are told apart from others' by {@code prefix}. */
  Hints scoped(String prefix) {
    return new Hints() {
      @Override
      public void send(String topic) {
        enqueue(prefix + topic);
      }

      @Override
      public Subscription listen(Listener listener) {
        Listener scoped = new ScopedListener(prefix, listener);
        listeners.add(scoped);
        receiver.wake();
        return () -> listeners.remove(scoped);
      }
    };
  }

  /** Hears only what its own kind of sender sent. */
  private record ScopedListener(String prefix, Hints.Listener listener) implements Hints.Listener {
    @Override
    public void hinted(String topic) {
      if (topic.startsWith(prefix)) {
        listener.hinted(topic.substring(prefix.length()));
      }
    }

    @Override
    public void mayHaveMissedSome() {
      listener.mayHaveMissedSome();
    }
  }

  private void enqueue(String topic) {
    synchronized (pending) {
      if (pending.size() < MAX_PENDING) {
        pending.add(topic);
      }
    }
    sender.wake();
  }

  List<Figure> figures() {
    return List.of(
        Figure.now("holdfast.hints.listening", Map.of(), listening.connection == null ? 0 : 1),
        Figure.total("holdfast.hints", Map.of("direction", "sent"), sent.sum()),
        Figure.total("holdfast.hints", Map.of("direction", "heard"), heard.sum()),
        Figure.total("holdfast.hints", Map.of("direction", "lost"), lost.sum()));
  }

  @Override
  public void close() {
    sender.close();
    listening.disconnect();
    receiver.close();
    listening.disconnect();
  }

  /**
   * Sends what came up since the last time. What cannot be sent is forgotten: it is only a hint.
   */
  private final class Sending implements Duty {
    @Override
    public int work() {
      Object[] topics;
      synchronized (pending) {
        topics = pending.toArray();
        pending.clear();
      }
      if (topics.length > 0) {
        send(topics);
      }
      return topics.length;
    }

    private void send(Object[] topics) {
      Statements.Limits limits = Statements.Limits.of(Cancellation.never(), SEND_LIMIT);
      try {
        transactions.single(
            "notify",
            limits,
            watch -> {
              try (PreparedStatement statement = watch.prepare(SEND)) {
                statement.setArray(1, watch.connection().createArrayOf("text", topics));
                return statement.execute();
              }
            });
        sent.add(topics.length);
      } catch (SQLException e) {
        lost.add(topics.length);
        LOG.debug("{} hints were lost: {}", topics.length, e.getMessage());
      }
    }

    @Override
    public long dueNanos() {
      return Time.after(System.nanoTime(), IDLE_MS);
    }
  }

  /** Hears hints on a connection of its own. */
  private final class Listening implements Duty {
    private volatile @Nullable Connection connection;
    private volatile boolean closed;

    @Override
    public int work() {
      if (listeners.isEmpty() || closed) {
        disconnectQuietly();
        return 0;
      }
      try {
        return hear();
      } catch (SQLException e) {
        disconnectQuietly();
        if (closed) {
          return 0;
        }
        throw Statements.asHoldfast("listen", e);
      }
    }

    private int hear() throws SQLException {
      Connection open = connection;
      if (open == null) {
        open = database.dedicated();
        connection = open;
        if (closed) { // while it connected, when there was nothing to close yet
          disconnectQuietly();
          return 0;
        }
        try (Statement statement = open.createStatement()) {
          statement.execute("LISTEN holdfast_hints");
        }
        listeners.forEach(Hints.Listener::mayHaveMissedSome);
      }
      PGNotification[] hints = open.unwrap(PGConnection.class).getNotifications(LISTEN_TURN_MS);
      if (hints == null) {
        return 0;
      }
      heard.add(hints.length);
      for (PGNotification hint : hints) {
        listeners.forEach(listener -> listener.hinted(hint.getParameter()));
      }
      return hints.length;
    }

    @Override
    public long dueNanos() {
      return listeners.isEmpty() ? Time.after(System.nanoTime(), IDLE_MS) : System.nanoTime();
    }

    void disconnect() {
      closed = true;
      disconnectQuietly();
    }

    private void disconnectQuietly() {
      Connection open = connection;
      connection = null;
      if (open != null) {
        try {
          open.abort(Runnable::run);
          open.close();
        } catch (SQLException e) {
          LOG.debug("closing the listening connection failed: {}", e.getMessage());
        }
      }
    }
  }
}
