package io.holdfast.postgres;

import io.holdfast.lease.Fence;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockStore;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operators' statements: binds, calls and reads. */
final class PostgresLockAdmin implements LockAdmin {
  private final LockCaller caller;
  private final LockSetup setup;
  private final Time time;

  PostgresLockAdmin(LockCaller caller, LockSetup setup, Time time) {
    this.caller = caller;
    this.setup = setup;
    this.time = time;
  }

  @Override
  public List<LockStore.Sighting> list(
      String prefix, @Nullable String after, int limit, LockCall call) {
    String sql = setup.sql(call).list;
    return run(
        "list",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql)) {
            PostgresLocks.bindNow(statement, 1, time);
            statement.setString(2, prefix);
            statement.setString(3, after);
            statement.setString(4, after);
            statement.setInt(5, limit);
            try (ResultSet rows = statement.executeQuery()) {
              return PostgresLocks.sightings(rows);
            }
          }
        });
  }

  @Override
  public Inspection inspect(LockKey key, LockCall call) {
    String sql = setup.sql(call).inspect;
    return run(
        "inspect",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql)) {
            PostgresLocks.bindNow(statement, 1, time);
            statement.setString(2, key.storageKey());
            statement.setString(3, key.fenceKey());
            statement.setString(4, key.storageKey());
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return inspection(row);
            }
          }
        });
  }

  private static Inspection inspection(ResultSet row) throws SQLException {
    LockStore.Row stored = row.getString("key") == null ? null : PostgresLocks.row(row);
    return new Inspection(stored, row.getLong("counter"), tickets(row), row.getLong("now_ms"));
  }

  private static List<Ticket> tickets(ResultSet row) throws SQLException {
    Array numbers = row.getArray("tickets");
    if (numbers == null) {
      return List.of();
    }
    Long[] ticket = (Long[]) numbers.getArray();
    Boolean[] fair = (Boolean[]) row.getArray("fairs").getArray();
    Long[] expiry = (Long[]) row.getArray("expiries").getArray();
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < ticket.length; i++) {
      tickets.add(new Ticket(ticket[i], fair[i], expiry[i]));
    }
    return tickets;
  }

  @Override
  public Stats stats(LockCall call) {
    String sql = setup.sql(call).stats;
    return run(
        "stats",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql)) {
            PostgresLocks.bindNow(statement, 1, time);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return new Stats(
                  row.getLong(1),
                  row.getLong(2),
                  row.getLong(3),
                  row.getLong(4),
                  row.getLong(5),
                  row.getLong(6));
            }
          }
        });
  }

  @Override
  public Broken breakLock(LockKey key, Fence fence, LockCall call) {
    LockSql sql = setup.sql(call);
    try {
      return caller.transaction("break", call, watch -> breakLock(watch, sql, key, fence));
    } catch (SQLException e) {
      throw LockFailures.of("break", e);
    }
  }

  private Broken breakLock(Watch watch, LockSql sql, LockKey key, Fence fence) throws SQLException {
    try (PreparedStatement statement = watch.prepare(sql.lockKey)) {
      statement.setString(1, key.storageKey());
      statement.execute();
    }
    try (PreparedStatement statement = watch.prepare(sql.breakRow)) {
      statement.setString(1, key.storageKey());
      statement.setString(2, fence.text());
      statement.setString(3, key.storageKey());
      PostgresLocks.bindNow(statement, 4, time);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Broken(row.getBoolean(1), row.getBoolean(1) && row.getBoolean(2));
      }
    }
  }

  @Override
  public long raiseFences(long by, LockCall call) {
    String sql = setup.sql(call).raiseFences;
    return run(
        "raise fences",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql)) {
            statement.setLong(1, by);
            return (long) statement.executeUpdate();
          }
        });
  }

  @Override
  public int purge(int limit, LockCall call) {
    LockSql sql = setup.sql(call);
    int removed =
        run(
            "purge",
            call,
            watch -> {
              try (PreparedStatement statement = watch.prepare(sql.purge)) {
                PostgresLocks.bindNow(statement, 1, time);
                statement.setInt(2, limit);
                return statement.executeUpdate();
              }
            });
    run(
        "purge waiters",
        call,
        watch -> {
          try (PreparedStatement statement = watch.prepare(sql.purgeWaiters)) {
            PostgresLocks.bindNow(statement, 1, time);
            return statement.executeUpdate();
          }
        });
    return removed;
  }

  private <T> T run(String operation, LockCall call, SqlWork<T> work) {
    try {
      return caller.single(operation, call, work);
    } catch (SQLException e) {
      throw LockFailures.of(operation, e);
    }
  }
}
