package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.util.HashMap;
import java.util.Map;

/**
 * One pool per connection string in this process: made with its first user, shared by all, closed
 * with the last. Safe for use by many threads.
 */
final class Pools {
  private static final Map<ConnectionString, Shared> OPEN = new HashMap<>();

  private Pools() {}

  /** A pool and how many use it. */
  private static final class Shared {
    private final PooledDatabase pool;
    private int users;

    Shared(PooledDatabase pool) {
      this.pool = pool;
    }
  }

  /** Joins the pool for {@code where}; closing what is returned leaves it, once. */
  static Database open(ConnectionString where, PoolSettings settings) {
    synchronized (OPEN) {
      Shared shared = OPEN.computeIfAbsent(where, w -> new Shared(new PooledDatabase(w, settings)));
      if (!shared.pool.settings().equals(settings)) {
        throw new HoldfastException(
            ErrorCode.INVALID_ARGUMENT, where + " is open already with other pool settings", null);
      }
      shared.users++;
      return new PoolUser(shared.pool, () -> leave(where, shared));
    }
  }

  private static void leave(ConnectionString where, Shared shared) {
    synchronized (OPEN) {
      shared.users--;
      if (shared.users > 0) {
        return;
      }
      OPEN.remove(where);
    }
    shared.pool.close();
  }
}
