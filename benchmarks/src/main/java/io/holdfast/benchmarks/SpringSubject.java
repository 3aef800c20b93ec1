package io.holdfast.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's JdbcLockRegistry with its defaults, its table for PostgreSQL and the insert
 * its documentation gives for PostgreSQL. A {@code java.util.concurrent} lock in front of the
 * database serves threads of one process; other processes look every 100 ms. It issues no fence.
 */
final class SpringSubject implements Subject {
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS INT_LOCK (
        LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),
        CREATED_DATE TIMESTAMP NOT NULL, EXPIRED_AFTER TIMESTAMP NOT NULL,
        CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))
      """;

  private final HikariDataSource pool;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  SpringSubject(Place place) throws SQLException {
    place.run(TABLE);
    pool = place.pool("spring");
    repository = new DefaultLockRepository(pool);
    repository.setTransactionManager(new JdbcTransactionManager(pool));
    repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    registry = new JdbcLockRegistry(repository, TTL);
  }

  @Override
  public Caller caller() {
    return new SpringCaller(registry);
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public void close() {
    repository.stop();
    repository.close();
    pool.close();
  }

  private static final class SpringCaller implements Caller {
    private final JdbcLockRegistry registry;
    private @Nullable Lock held;

    SpringCaller(JdbcLockRegistry registry) {
      this.registry = registry;
    }

    /** Not without waiting: keys of the same hash share a local lock, so a free key can be busy. */
    @Override
    public boolean tryAcquire(String key) throws InterruptedException {
      held = registry.obtain(key);
      return held.tryLock(5, TimeUnit.SECONDS);
    }

    @Override
    public boolean acquire(String key, long untilNanos) throws InterruptedException {
      held = registry.obtain(key);
      return held.tryLock(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    public void release() {
      if (held == null) {
        throw new IllegalStateException("JdbcLockRegistry holds nothing");
      }
      held.unlock();
    }
  }
}
