package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.StreamService;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Streams in a schema of their own, where two actors stop at every point of their calls until the
 * test lets them go on.
 *
 * <p>The functions of streams call {@code pause_point} between their locks, looks and writes. Here
 * that function asks for an advisory lock, the next of its actor's, which the stage holds until it
 * lets the actor pass. One more point lies before every commit: the first one of a transaction
 * writes a row whose deferred trigger is such a point. So a call of the real store stops wherever
 * another one could come between. An actor is known by the application name of its connections.
 */
final class StreamStage implements AutoCloseable {
  private static final AtomicInteger CLASSES = new AtomicInteger(1_700_000_000);
  private static final int POINTS = 60;
  private static final String WAITS =
      """
      SELECT a.pid, l.locktype, l.objid, split_part(a.application_name, ':', 1) AS actor,
             substr(a.application_name, strpos(a.application_name, ':') + 1) AS point
        FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
       WHERE NOT l.granted AND a.application_name LIKE ?
      """;
  private static final Duration BETWEEN_LOOKS = Duration.ofNanos(200_000);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Some locks are waited for in passing: who is blocked stays so. */
  private static final int ENOUGH_LOOKS = 3;

  /** Where an actor is. */
  enum Where {
    /** It has not begun. */
    WINGS,
    /** It stopped at a point. */
    POINT,
    /** It waits for somebody's lock. */
    BLOCKED,
    /** It has ended. */
    DONE
  }

  /** Somebody who makes one call at a time, step by step. */
  final class Actor {
    final PostgresStore store;
    private final String name;
    private final int gates = CLASSES.incrementAndGet();
    private int next;
    private int looks;
    private Where where = Where.WINGS;
    private String point = "";
    private int pid;
    private @Nullable Callable<?> call;
    private @Nullable CompletableFuture<Object> running;

    private Actor(String letter) {
      this.name = schema + letter;
      this.store = open("ApplicationName=" + name);
    }

    Where where() {
      return where;
    }

    /** The name of the point where it stopped. */
    String point() {
      return point;
    }

    /** The server process that makes its call. */
    int pid() {
      return pid;
    }

    private boolean isDone() {
      return running != null && running.isDone();
    }

    /** Whether this is about its waiting: at its next point, or for somebody's lock. */
    private boolean waits(ResultSet row) throws SQLException {
      if (!name.equals(row.getString("actor"))) {
        return false;
      }
      if (!"advisory".equals(row.getString("locktype"))) {
        return looks++ >= ENOUGH_LOOKS;
      }
      if (row.getInt("objid") != next) {
        return false;
      }
      where = Where.POINT;
      point = row.getString("point");
      pid = row.getInt("pid");
      return true;
    }

    @Override
    public String toString() {
      return name + " " + where + " " + point;
    }

    /** What its call answered; fails as the call failed. */
    Object answer() {
      CompletableFuture<Object> result = running;
      if (result == null) {
        throw new AssertionError("it has not begun");
      }
      return result.join();
    }
  }

  final String schema = TestDatabase.unique("stage");
  final ManualTime time = new ManualTime();
  final PostgresStore store;
  final StreamService service;
  final Actor one;
  final Actor other;
  private final Connection director;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<PostgresStore> stores = new ArrayList<>();

  StreamStage() throws SQLException {
    store = open("ApplicationName=" + schema);
    store.streams().catalog().pausedAll(StoreCall.plain());
    service = StreamService.over(store.streams(), StreamOptions.DEFAULTS.stepped());
    one = new Actor("_a");
    other = new Actor("_b");
    director = TestDatabase.connect();
    execute(
        """
        CREATE TABLE %1$s.pause_commit (xid xid8 PRIMARY KEY);
        CREATE TABLE %1$s.pause_actor (name text PRIMARY KEY, gates integer NOT NULL);
        INSERT INTO %1$s.pause_actor VALUES ('%2$s', %3$s), ('%4$s', %5$s);
        CREATE SEQUENCE %1$s.pause_%3$s;
        CREATE SEQUENCE %1$s.pause_%5$s;
        CREATE FUNCTION %1$s.pause_wait(actor text, point text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          gates integer;
          turn integer;
        BEGIN
          SELECT a.gates INTO gates FROM %1$s.pause_actor AS a WHERE a.name = actor;
          IF gates IS NOT NULL THEN
            turn := nextval('%1$s.pause_' || gates);
            PERFORM set_config('application_name', actor || ':' || point, false);
            PERFORM pg_advisory_lock_shared(gates, turn);
            PERFORM pg_advisory_unlock_shared(gates, turn);
          END IF;
        END $$;
        CREATE FUNCTION %1$s.pause_before_commit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM %1$s.pause_wait(split_part(current_setting('application_name'), ':', 1), 'commit');
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER before_commit AFTER INSERT ON %1$s.pause_commit
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION %1$s.pause_before_commit();
        CREATE OR REPLACE FUNCTION %1$s.pause_point(name text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          actor text := split_part(current_setting('application_name'), ':', 1);
        BEGIN
          IF actor IN ('%2$s', '%4$s') THEN
            INSERT INTO %1$s.pause_commit VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
            PERFORM %1$s.pause_wait(actor, name);
          END IF;
        END $$
        """
            .formatted(schema, one.name, one.gates, other.name, other.gates));
  }

  /** One more process, by connections with these parameters. */
  PostgresStore open(String parameters) {
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withStreamSchema(schema);
    PostgresStore process =
        new PostgresStore(
            Pools.open(ConnectionString.parse(TestDatabase.url(parameters)), options.pool()),
            options);
    stores.add(process);
    return process;
  }

  /** Streams inside the open transaction of a caller. */
  StreamsInTransaction in(Connection connection) {
    return new StreamsInTransaction(store.streamKernel(), store.statements(), service, connection);
  }

  /** Sets the actors up for a call each; none has begun. */
  void arm(Callable<?> first, @Nullable Callable<?> second) throws SQLException {
    execute("SELECT pg_advisory_unlock_all()");
    for (Actor actor : List.of(one, other)) {
      execute(
          """
          ALTER SEQUENCE %1$s.pause_%2$d RESTART;
          SELECT pg_advisory_lock(%2$d, n) FROM generate_series(1, %3$d) AS n
          """
              .formatted(schema, actor.gates, POINTS));
      actor.next = 0;
      actor.where = Where.WINGS;
      actor.running = null;
      actor.point = "";
    }
    one.call = first;
    other.call = second;
    if (second == null) {
      other.where = Where.DONE;
    }
  }

  /** Lets the actor begin or pass the point where it is, and waits until nobody moves any more. */
  void step(Actor actor) throws SQLException {
    Callable<?> begun = actor.call;
    if (actor.where == Where.WINGS && begun != null) {
      CompletableFuture<Object> result = new CompletableFuture<>();
      actor.running = result;
      threads.execute(() -> run(begun, result));
    } else {
      execute("SELECT pg_advisory_unlock(%d, %d)".formatted(actor.gates, actor.next));
    }
    actor.next++;
    actor.where = Where.BLOCKED;
    one.looks = 0;
    other.looks = 0;
    await();
  }

  private static void run(Callable<?> call, CompletableFuture<Object> result) {
    try {
      Object answer = call.call();
      result.complete(answer == null ? "nothing" : answer);
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /** Waits until everybody who moves has stopped, is blocked or has ended. */
  private void await() throws SQLException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!isAtRest()) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("somebody moves and moves; " + this);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }

  private boolean isAtRest() throws SQLException {
    List<Actor> moving = new ArrayList<>();
    for (Actor actor : List.of(one, other)) {
      if (actor.where == Where.BLOCKED && actor.isDone()) {
        actor.where = Where.DONE;
      } else if (actor.where == Where.BLOCKED) {
        moving.add(actor);
      }
    }
    if (moving.isEmpty()) {
      return true;
    }
    List<Actor> waiting = new ArrayList<>();
    try (PreparedStatement statement = director.prepareStatement(WAITS)) {
      statement.setString(1, schema + "_%");
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          for (Actor actor : moving) {
            if (actor.waits(row)) {
              waiting.add(actor);
            }
          }
        }
      }
    }
    return waiting.containsAll(moving);
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = director.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Deletes everything. */
  void clear() throws SQLException {
    execute(StreamSchemas.emptying(schema));
    execute("DELETE FROM %s.pause_commit".formatted(schema));
  }

  /** The first column of the first row, as text; null without a row. */
  @Nullable String query(String sql) throws SQLException {
    try (Statement statement = director.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  /** Lets everybody go on, and waits for the end of their calls. */
  void open() throws SQLException {
    execute("SELECT pg_advisory_unlock_all()");
    for (Actor actor : List.of(one, other)) {
      CompletableFuture<Object> result = actor.running;
      if (result != null) {
        result.handle((answer, failure) -> actor.where = Where.DONE).join();
      }
    }
  }

  @Override
  public String toString() {
    return one + ", " + other;
  }

  @Override
  public void close() throws SQLException {
    open();
    director.close();
    service.close();
    threads.shutdownNow();
    stores.forEach(PostgresStore::close);
    TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
  }
}
