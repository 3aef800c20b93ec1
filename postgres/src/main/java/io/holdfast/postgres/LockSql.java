package io.holdfast.postgres;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every statement about the locks of one pair of tables. Names are quoted and put in once, here;
 * nothing a caller passes ever becomes part of a statement's text.
 */
final class LockSql {
  /**
   * The version of the functions' behaviour; another one has other names, so that both can be used.
   */
  private static final int FORMAT = 1;

  /** What {@code clock_timestamp()} says in whole milliseconds, unless a test says otherwise. */
  private static final String NOW =
      "coalesce(p_now_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

  private static final String BOUND_NOW =
      "coalesce(?::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

  private final String schema;
  private final LockTables tables;
  private final String pair;

  final String acquire;
  final String release;
  final String extend;
  final String extendMany;
  final String assertCurrent;
  final String findByKey;
  final String findById;
  final String tryLockKey;
  final String lockKey;
  final String readForUpdate;
  final String deleteStale;
  final String leave;
  final String list;
  final String inspect;
  final String stats;
  final String breakRow;
  final String raiseFences;
  final String purge;
  final String purgeWaiters;

  LockSql(String schema, LockTables tables) {
    this.schema = schema;
    this.tables = tables;
    this.pair = hash(schema + "." + tables.table() + "/" + tables.fenceTable());
    acquire =
        fill(
            "SELECT status, granted_fence, until_ms, since_ms, left_ms, retry_ms FROM {acquire}(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    release = fill("SELECT status, known_key, wake FROM {release}(?, ?, ?, ?)");
    extend = fill("SELECT status, until_ms FROM {extend}(?, ?, ?, ?)");
    extendMany = fill("SELECT place, status, until_ms FROM {extend_many}(?, ?, ?)");
    assertCurrent = fill("SELECT {assert_current}(?, ?, ?)");
    findByKey = fill(FIND + " WHERE key = ?");
    findById = fill(FIND + " WHERE lock_id = ?");
    tryLockKey = "SELECT pg_try_advisory_xact_lock(hashtext(?))";
    lockKey = "SELECT pg_advisory_xact_lock(hashtext(?))";
    readForUpdate = fill(FIND + " WHERE key = ? FOR UPDATE");
    deleteStale = fill("DELETE FROM {locks} WHERE key = ? AND expires_at_ms < ?");
    leave = fill(LEAVE);
    list = fill(LIST);
    inspect = fill(INSPECT);
    stats = fill(STATS);
    breakRow = fill(BREAK);
    raiseFences = fill(RAISE_FENCES);
    purge = fill(PURGE);
    purgeWaiters = fill(PURGE_WAITERS);
  }

  private static final String FIND =
      """
      SELECT key, lock_id, fence, expires_at_ms, acquired_at_ms, {bound_now} AS now_ms FROM {locks}""";

  /** The waiter's own ticket goes; what is answered is whether others wait. */
  private static final String LEAVE =
      """
      WITH gone AS (
        DELETE FROM holdfast.lock_waiters WHERE pair = {pair} AND key = ? AND waiter_id = ?)
      SELECT EXISTS (
        SELECT FROM holdfast.lock_waiters
         WHERE pair = {pair} AND key = ? AND waiter_id <> ? AND expires_at_ms > {bound_now})
      """;

  /** By bytes, so that the order is the same on every server. */
  private static final String LIST =
      """
      SELECT key, lock_id, fence, expires_at_ms, acquired_at_ms, at.now_ms
        FROM {locks}, (SELECT {bound_now} AS now_ms) AS at
       WHERE expires_at_ms > at.now_ms - 1000
         AND starts_with(key, ?)
         AND (?::text IS NULL OR key COLLATE "C" > ?)
       ORDER BY key COLLATE "C"
       LIMIT ?
      """;

  private static final String INSPECT =
      """
      SELECT l.key, l.lock_id, l.fence, l.expires_at_ms, l.acquired_at_ms, at.now_ms,
             c.fence AS counter, w.tickets, w.fairs, w.expiries
        FROM (SELECT {bound_now} AS now_ms) AS at
        LEFT JOIN {locks} AS l ON l.key = ?
        LEFT JOIN {counters} AS c ON c.fence_key = ?
        CROSS JOIN (
          SELECT array_agg(ticket ORDER BY ticket) AS tickets,
                 array_agg(fair ORDER BY ticket) AS fairs,
                 array_agg(expires_at_ms ORDER BY ticket) AS expiries
            FROM holdfast.lock_waiters WHERE pair = {pair} AND key = ?) AS w
      """;

  /** Counters are counted while they are few; a large table's own estimate is near enough. */
  private static final String STATS =
      """
      SELECT (SELECT count(*) FILTER (WHERE expires_at_ms > at.now_ms - 1000) FROM {locks}),
             (SELECT count(*) FILTER (WHERE expires_at_ms <= at.now_ms - 1000) FROM {locks}),
             CASE WHEN size.estimate > 100000 THEN size.estimate::bigint
                  ELSE (SELECT count(*) FROM {counters}) END,
             (SELECT count(*) FROM holdfast.lock_waiters WHERE pair = {pair}),
             pg_total_relation_size({locks_name}::regclass),
             pg_total_relation_size({counters_name}::regclass)
        FROM (SELECT {bound_now} AS now_ms) AS at,
             (SELECT reltuples AS estimate FROM pg_class WHERE oid = {counters_name}::regclass) AS size
      """;

  private static final String BREAK =
      """
      WITH gone AS (DELETE FROM {locks} WHERE key = ? AND fence = ? RETURNING key)
      SELECT count(*) > 0,
             EXISTS (SELECT FROM holdfast.lock_waiters
                      WHERE pair = {pair} AND key = ? AND expires_at_ms > {bound_now})
        FROM gone
      """;

  private static final String RAISE_FENCES =
      """
      UPDATE {counters} SET fence = least(fence + ?, 900000000000000) WHERE fence < 900000000000000
      """;

  /** Rows that somebody works on are left for the next time, so a purge never waits. */
  private static final String PURGE =
      """
      WITH cutoff AS MATERIALIZED (SELECT {bound_now} - 2000 AS at_ms)
      DELETE FROM {locks}
       WHERE expires_at_ms < (SELECT at_ms FROM cutoff)
         AND ctid = ANY (ARRAY(
           SELECT ctid FROM {locks}
            WHERE expires_at_ms < (SELECT at_ms FROM cutoff)
            ORDER BY expires_at_ms
            LIMIT ? FOR UPDATE SKIP LOCKED))
      """;

  private static final String PURGE_WAITERS =
      """
      DELETE FROM holdfast.lock_waiters WHERE pair = {pair} AND expires_at_ms <= {bound_now}
      """;

  /** The names of the functions this version needs, unqualified. */
  List<String> functionNames() {
    return Stream.of("acquire", "release", "extend", "extend_many", "assert_current")
        .map(this::functionName)
        .toList();
  }

  /** The script that creates one function. */
  String createFunction(String functionName) {
    String bare = functionName.substring("lock_".length(), functionName.indexOf("_v" + FORMAT));
    return script(bare);
  }

  /** A script of this package's resources, with the names put in. */
  String script(String name) {
    return fill(Resources.text("locks/" + name + ".sql"));
  }

  String createLockIdIndex() {
    return fill("CREATE UNIQUE INDEX {lock_id_index} ON {locks} (lock_id)");
  }

  String createExpiresIndex() {
    return fill("CREATE INDEX {expires_index} ON {locks} (expires_at_ms)");
  }

  String addKeyDebug() {
    return fill("ALTER TABLE {counters} ADD COLUMN key_debug text");
  }

  /** Readable instants for people, as generated columns. */
  String addReadableInstants() {
    return fill(
        """
        ALTER TABLE {locks}
          ADD COLUMN expires_at_ts timestamp GENERATED ALWAYS AS
            (timestamp '1970-01-01' + expires_at_ms * interval '1 millisecond') STORED,
          ADD COLUMN acquired_at_ts timestamp GENERATED ALWAYS AS
            (timestamp '1970-01-01' + acquired_at_ms * interval '1 millisecond') STORED""");
  }

  String pair() {
    return pair;
  }

  private String functionName(String bare) {
    return "lock_" + bare + "_v" + FORMAT + "_" + pair;
  }

  private String fill(String template) {
    return template
        .replace("{locks}", qualified(tables.table()))
        .replace("{counters}", qualified(tables.fenceTable()))
        .replace("{locks_name}", literal(qualified(tables.table())))
        .replace("{counters_name}", literal(qualified(tables.fenceTable())))
        .replace("{lock_id_index}", quoted("idx_" + tables.table() + "_lock_id"))
        .replace("{expires_index}", quoted("idx_" + tables.table() + "_expires"))
        .replace("{acquire}", function("acquire"))
        .replace("{release}", function("release"))
        .replace("{extend}", function("extend"))
        .replace("{extend_many}", function("extend_many"))
        .replace("{assert_current}", function("assert_current"))
        .replace("{pair}", literal(pair))
        .replace("{bound_now}", BOUND_NOW)
        .replace("{now}", NOW);
  }

  private String function(String bare) {
    return "holdfast." + quoted(functionName(bare));
  }

  private String qualified(String name) {
    return quoted(schema) + "." + quoted(name);
  }

  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
