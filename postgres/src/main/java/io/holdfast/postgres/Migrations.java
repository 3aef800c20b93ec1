package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Brings the schema {@code holdfast} up to date: steps are applied in order, each once, under an
 * advisory lock that is tried and never waited for, because a waiting session would hold up {@code
 * CREATE INDEX CONCURRENTLY} elsewhere. A schema that is newer than this library is left as it is.
 * Safe for use by many threads and processes.
 */
public final class Migrations {
  private static final List<Migration> ALL =
      List.of(
          Migration.load(1, "locks"),
          Migration.load(2, "queues"),
          Migration.load(3, "streams"),
          Migration.load(4, "stream_calls"),
          Migration.load(5, "stream_admin"),
          Migration.load(6, "jobs"),
          Migration.load(7, "stream_held"),
          Migration.load(8, "stream_first_contact"),
          Migration.load(9, "stream_seed"));
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long TURN_MS = 50;

  /**
   * The lock of everything that changes the schema; two numbers, so it never meets that of a key.
   */
  private static final String TRY_LOCK = "SELECT pg_try_advisory_xact_lock(1215261796, 1)";

  /**
   * Reads the catalogue's tables. The functions that look names up ({@code to_regclass}) may answer
   * from a session's cache, which does not yet know what was committed a moment ago.
   */
  private static final String HAS_HISTORY =
      """
      SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'holdfast'),
             EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                      WHERE n.nspname = 'holdfast' AND c.relname = 'schema_history')
      """;

  private static final String CREATE_SCHEMA = "CREATE SCHEMA holdfast";

  private static final String CREATE_HISTORY =
      """
      CREATE TABLE holdfast.schema_history (
        version     integer     PRIMARY KEY,
        description text        NOT NULL,
        checksum    bigint      NOT NULL,
        applied_at  timestamptz NOT NULL DEFAULT clock_timestamp()
      )""";

  private static final String HISTORY =
      "SELECT version, checksum FROM holdfast.schema_history ORDER BY version";

  private static final String RECORD =
      "INSERT INTO holdfast.schema_history (version, description, checksum) VALUES (?, ?, ?)";

  private final Transactions transactions;

  Migrations(Transactions transactions) {
    this.transactions = transactions;
  }

  /** A step and whether it was applied. */
  public record Status(Migration migration, boolean applied) {}

  /** The steps this library knows, in order. */
  public static List<Migration> all() {
    return ALL;
  }

  /**
   * Applies what is missing and answers what that was. Refuses a schema that is newer by more than
   * one step: each step leaves what the version before it needs, and no more than that.
   */
  public List<Migration> apply() {
    return changeSchema("migrate", limits(), Migrations::applyIn);
  }

  /** Which steps were applied; refuses a schema that is too new, as {@link #apply} does. */
  public List<Status> status() {
    try {
      Map<Integer, Long> applied =
          transactions.single("migration status", limits(), Migrations::history);
      return ALL.stream().map(m -> new Status(m, applied.containsKey(m.version()))).toList();
    } catch (SQLException e) {
      throw Statements.asHoldfast("migration status", e);
    }
  }

  /**
   * Read-only views in a schema {@code queen}, under the names that Queen's tables have; a script
   * of its own that may run again. Not part of {@link #apply}.
   */
  public static String queenViews() {
    return Resources.text("queen_views.sql");
  }

  /** Applies what is missing, and then {@link #queenViews}. */
  public void applyQueenViews() {
    changeSchema(
        "queen views",
        limits(),
        watch -> {
          List<Migration> done = applyIn(watch);
          execute(watch, queenViews());
          return done;
        });
  }

  /** All steps as one script, for teams that run their own tool. */
  public static String print() {
    StringBuilder script = new StringBuilder();
    script.append("CREATE SCHEMA IF NOT EXISTS holdfast;\n\n");
    String history = CREATE_HISTORY.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS");
    script.append(history).append(";\n");
    for (Migration step : ALL) {
      script.append("\n-- ").append(step.fileName()).append('\n').append(step.sql());
      script.append(
          "\nINSERT INTO holdfast.schema_history (version, description, checksum)\nVALUES (%d, '%s', %d);\n"
              .formatted(step.version(), step.description(), step.checksum()));
    }
    return script.toString();
  }

  /** Runs a change of the schema in one transaction, alone among all processes. */
  <T> T changeSchema(String operation, Statements.Limits limits, SqlWork<T> change) {
    TransactionSettings settings =
        new TransactionSettings(Isolation.READ_COMMITTED, LIMIT, Duration.ofSeconds(10));
    try {
      while (true) {
        List<T> done =
            transactions.transaction(
                operation, limits, settings, w -> tryLock(w) ? List.of(change.run(w)) : List.of());
        if (!done.isEmpty()) {
          return done.get(0);
        }
        awaitTurn(operation, limits);
      }
    } catch (SQLException e) {
      throw Statements.asHoldfast(operation, e);
    }
  }

  /** Applies what is missing in a transaction that holds the lock. */
  static List<Migration> applyIn(Watch watch) throws SQLException {
    createHistory(watch);
    Map<Integer, Long> applied = history(watch);
    List<Migration> done = new ArrayList<>();
    for (Migration step : ALL) {
      Long checksum = applied.get(step.version());
      if (checksum == null) {
        execute(watch, step.sql());
        record(watch, step);
        done.add(step);
      } else if (checksum != step.checksum()) {
        throw new HoldfastException(
            ErrorCode.INVALID_ARGUMENT,
            "the database has another " + step.fileName() + " than this version of the library",
            null);
      }
    }
    return done;
  }

  static void execute(Watch watch, String sql) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql)) {
      statement.execute();
    }
  }

  private static boolean tryLock(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(TRY_LOCK);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getBoolean(1);
    }
  }

  private static void createHistory(Watch watch) throws SQLException {
    boolean[] has = hasHistory(watch);
    if (!has[0]) {
      execute(watch, CREATE_SCHEMA);
    }
    if (!has[1]) {
      execute(watch, CREATE_HISTORY);
    }
  }

  private static boolean[] hasHistory(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(HAS_HISTORY);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return new boolean[] {rows.getBoolean(1), rows.getBoolean(2)};
    }
  }

  private static Map<Integer, Long> history(Watch watch) throws SQLException {
    Map<Integer, Long> applied = new TreeMap<>();
    if (hasHistory(watch)[1]) {
      try (PreparedStatement statement = watch.prepare(HISTORY);
          ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          applied.put(rows.getInt(1), rows.getLong(2));
        }
      }
    }
    int newest = applied.isEmpty() ? 0 : Collections.max(applied.keySet());
    if (newest > ALL.size() + 1) {
      throw new HoldfastException(
          ErrorCode.INVALID_ARGUMENT,
          "the schema is of version %d, and this version of Holdfast works with up to %d: use a newer one"
              .formatted(newest, ALL.size() + 1),
          null);
    }
    return applied;
  }

  private static void record(Watch watch, Migration step) throws SQLException {
    try (PreparedStatement statement = watch.prepare(RECORD)) {
      statement.setInt(1, step.version());
      statement.setString(2, step.description());
      statement.setLong(3, step.checksum());
      statement.executeUpdate();
    }
  }

  /** Lets others work for a moment, unless the call has to end. */
  static void awaitTurn(String operation, Statements.Limits limits) {
    long until = Time.after(System.nanoTime(), TURN_MS);
    if (until - limits.deadlineNanos() > 0) {
      throw new HoldfastException(
          ErrorCode.NETWORK_TIMEOUT, operation + " found another one under way for too long", null);
    }
    Signal.Woken woken = new Signal().await(Time.system(), until, limits.cancellation());
    if (woken == Signal.Woken.INTERRUPTED || woken == Signal.Woken.CANCELLED) {
      throw new HoldfastException(ErrorCode.ABORTED, operation + " was called off", null);
    }
  }

  private static Statements.Limits limits() {
    return Statements.Limits.of(Cancellation.never(), LIMIT);
  }
}
