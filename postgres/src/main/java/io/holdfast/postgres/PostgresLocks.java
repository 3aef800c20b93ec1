package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Renewal;
import io.holdfast.lease.Time;
import io.holdfast.lock.Liveness;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of locks as calls of the database's functions: binds, calls and reads, no rules.
 */
final class PostgresLocks implements LockStore {
  private final LockCaller caller;
  private final LockSetup setup;
  private final KeeperConnection keeper;
  private final Time time;
  private final Consumer<LockKey> awaited;

  PostgresLocks(LockCaller caller, LockSetup setup, KeeperConnection keeper, Time time) {
    this(caller, setup, keeper, time, key -> {});
  }

  private PostgresLocks(
      LockCaller caller,
      LockSetup setup,
      KeeperConnection keeper,
      Time time,
      Consumer<LockKey> awaited) {
    this.caller = caller;
    this.setup = setup;
    this.keeper = keeper;
    this.time = time;
    this.awaited = awaited;
  }

  /**
   * The same on a caller's own connection; {@code awaited} hears of released keys others wait for.
   */
  PostgresLocks on(LockCaller other, Consumer<LockKey> heard) {
    return new PostgresLocks(other, setup, keeper, time, heard);
  }

  @Override
  public void setup(LockCall call) {
    setup.setup(call);
  }

  @Override
  public Grant acquire(Request request, LockCall call) {
    LockSql sql = setup.sql(call);
    try {
      return caller.single("acquire", call, watch -> acquire(watch, sql, request, call));
    } catch (SQLException e) {
      throw "23505".equals(e.getSQLState()) ? request.idInUse(e) : LockFailures.of("acquire", e);
    }
  }

  private Grant acquire(Watch watch, LockSql sql, Request request, LockCall call)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.acquire)) {
      bind(statement, request, call);
      long askedNanos = time.nanos();
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return grant(row, askedNanos);
      }
    }
  }

  private void bind(PreparedStatement statement, Request request, LockCall call)
      throws SQLException {
    Waiter waiter = request.waiter();
    statement.setString(1, request.key().storageKey());
    statement.setString(2, request.key().fenceKey());
    statement.setString(3, request.id().text());
    statement.setLong(4, request.ttl().millis());
    statement.setString(5, waiter == null ? null : waiter.id());
    statement.setBoolean(6, waiter != null && waiter.fair());
    statement.setLong(7, waiter == null ? 0 : waiter.ttlMs());
    statement.setInt(8, lockTimeoutMs(call));
    bindNow(statement, 9);
  }

  private static Grant grant(ResultSet row, long askedNanos) throws SQLException {
    String status = row.getString("status");
    return switch (status) {
      case "granted" ->
          new Grant.Granted(
              fence(row.getString("granted_fence")),
              row.getLong("until_ms"),
              row.getLong("since_ms"),
              row.getLong("left_ms"),
              askedNanos);
      case "locked" -> new Grant.Refused(Math.max(1, row.getLong("retry_ms")));
      case "exhausted" ->
          throw new LockException(ErrorCode.INTERNAL, "the fences of this key are used up");
      default -> throw overflow(status);
    };
  }

  @Override
  public Freed release(LockId id, boolean durably, LockCall call) {
    LockSql sql = setup.sql(call);
    return run(
        "release",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.release)) {
            statement.setString(1, id.text());
            statement.setBoolean(2, !durably);
            statement.setInt(3, lockTimeoutMs(call));
            bindNow(statement, 4);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return announced(freed(row));
            }
          }
        });
  }

  private Freed announced(Freed freed) {
    LockKey key = freed.key();
    if (key != null && freed.wake()) {
      awaited.accept(key);
    }
    return freed;
  }

  private static Freed freed(ResultSet row) throws SQLException {
    String key = row.getString("known_key");
    Freed.Status status =
        switch (row.getString("status")) {
          case "released" -> Freed.Status.RELEASED;
          case "expired" -> Freed.Status.EXPIRED;
          default -> Freed.Status.NOT_FOUND;
        };
    return new Freed(status, readableKey(key), row.getBoolean("wake"));
  }

  /** A key that another client stored against our rules cannot be waited for here either. */
  private static @Nullable LockKey readableKey(@Nullable String key) {
    try {
      return key == null ? null : LockKey.of(key);
    } catch (LockException e) {
      return null;
    }
  }

  @Override
  public Renewal extend(LockId id, LockTtl ttl, LockCall call) {
    LockSql sql = setup.sql(call);
    return run(
        "extend",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.extend)) {
            statement.setString(1, id.text());
            statement.setLong(2, ttl.millis());
            statement.setInt(3, lockTimeoutMs(call));
            bindNow(statement, 4);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return renewal(row);
            }
          }
        });
  }

  @Override
  public List<Renewal> extendMany(List<Extend> extensions, LockCall call) {
    LockSql sql = setup.sql(call);
    try {
      return keeper.run(
          "extend many", call, caller, watch -> extendMany(watch, sql.extendMany, extensions));
    } catch (SQLException e) {
      throw LockFailures.of("extend many", e);
    }
  }

  private List<Renewal> extendMany(Watch watch, String sql, List<Extend> extensions)
      throws SQLException {
    Renewal[] answers = new Renewal[extensions.size()];
    try (PreparedStatement statement = watch.prepare(sql)) {
      Object[] ids = extensions.stream().map(e -> e.id().text()).toArray();
      Object[] ttls = extensions.stream().map(e -> e.ttl().millis()).toArray();
      statement.setArray(1, watch.connection().createArrayOf("text", ids));
      statement.setArray(2, watch.connection().createArrayOf("bigint", ttls));
      bindNow(statement, 3);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          answers[rows.getInt("place") - 1] = renewal(rows);
        }
      }
    }
    return Arrays.asList(answers);
  }

  private static Renewal renewal(ResultSet row) throws SQLException {
    String status = row.getString("status");
    return switch (status) {
      case "extended" -> Renewal.until(row.getLong("until_ms"));
      case "expired" -> Renewal.refused(Renewal.Status.EXPIRED);
      case "not_found" -> Renewal.refused(Renewal.Status.NOT_FOUND);
      case "busy" -> Renewal.refused(Renewal.Status.BUSY);
      default -> throw overflow(status);
    };
  }

  @Override
  public Optional<Sighting> find(LockRef ref, LockCall call) {
    LockSql sql = setup.sql(call);
    String query = ref instanceof LockId ? sql.findById : sql.findByKey;
    return run(
        "lookup",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(query)) {
            bindNow(statement, 1);
            statement.setString(2, ref.text());
            try (ResultSet rows = statement.executeQuery()) {
              return sightings(rows).stream().findFirst();
            }
          }
        });
  }

  @Override
  public boolean removeStale(LockKey key, LockCall call) {
    LockSql sql = setup.sql(call);
    try {
      return caller.transaction("cleanup", call, watch -> removeStale(watch, sql, key));
    } catch (SQLException e) {
      throw LockFailures.of("cleanup", e);
    }
  }

  private boolean removeStale(Watch watch, LockSql sql, LockKey key) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.tryLockKey)) {
      statement.setString(1, key.storageKey());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        if (!row.getBoolean(1)) {
          return false;
        }
      }
    }
    long nowMs;
    try (PreparedStatement statement = watch.prepare(sql.readForUpdate)) {
      bindNow(statement, 1);
      statement.setString(2, key.storageKey());
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return false;
        }
        nowMs = rows.getLong("now_ms");
      }
    }
    try (PreparedStatement statement = watch.prepare(sql.deleteStale)) {
      statement.setString(1, key.storageKey());
      statement.setLong(2, nowMs - Liveness.PURGE_MS);
      return statement.executeUpdate() > 0;
    }
  }

  @Override
  public boolean leave(LockKey key, String waiterId, LockCall call) {
    LockSql sql = setup.sql(call);
    return run(
        "leave",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.leave)) {
            statement.setString(1, key.storageKey());
            statement.setString(2, waiterId);
            statement.setString(3, key.storageKey());
            statement.setString(4, waiterId);
            bindNow(statement, 5);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return row.getBoolean(1);
            }
          }
        });
  }

  /**
   * Fails the caller's transaction unless {@code fence} is the last one granted for {@code key}.
   */
  void assertCurrent(LockKey key, Fence fence, LockCall call) {
    LockSql sql = setup.sql(call);
    run(
        "strict guard",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.assertCurrent)) {
            statement.setString(1, key.fenceKey());
            statement.setLong(2, fence.value());
            statement.setInt(3, lockTimeoutMs(call));
            return statement.execute();
          }
        });
  }

  private <T> T run(String operation, LockCall call, SqlWork<T> work) {
    try {
      return caller.single(operation, call, work);
    } catch (SQLException e) {
      throw LockFailures.of(operation, e);
    }
  }

  static List<Sighting> sightings(ResultSet rows) throws SQLException {
    List<Sighting> seen = new ArrayList<>();
    while (rows.next()) {
      seen.add(new Sighting(row(rows), rows.getLong("now_ms")));
    }
    return seen;
  }

  static Row row(ResultSet rows) throws SQLException {
    return new Row(
        rows.getString("key"),
        rows.getString("lock_id"),
        fence(rows.getString("fence")),
        rows.getLong("expires_at_ms"),
        rows.getLong("acquired_at_ms"));
  }

  private static Fence fence(String text) {
    try {
      return Fence.parse(text);
    } catch (HoldfastException e) {
      throw new LockException(ErrorCode.INTERNAL, "the stored fence cannot be read", e);
    }
  }

  private void bindNow(PreparedStatement statement, int place) throws SQLException {
    bindNow(statement, place, time);
  }

  static void bindNow(PreparedStatement statement, int place, Time time) throws SQLException {
    if (time.databaseMs().isPresent()) {
      statement.setLong(place, time.databaseMs().getAsLong());
    } else {
      statement.setNull(place, Types.BIGINT);
    }
  }

  private static int lockTimeoutMs(LockCall call) {
    return (int) Math.max(1, call.lockTimeout().toMillis());
  }

  private static LockException overflow(String status) {
    return status.equals("overflow")
        ? new LockException(ErrorCode.INVALID_ARGUMENT, "ttl reaches beyond 2^53 ms")
        : new LockException(ErrorCode.INTERNAL, "the database answered " + status);
  }
}
