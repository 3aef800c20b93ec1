package io.holdfast.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock on its JDBC template with the database's time, as its documentation recommends. It keeps
 * its rows, issues no fence and does not wait.
 */
final class ShedLockSubject implements Subject {
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS shedlock (
        name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL,
        locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
      """;

  private final HikariDataSource pool;
  private final LockProvider provider;

  ShedLockSubject(Place place) throws SQLException {
    place.run(TABLE);
    pool = place.pool("shedlock");
    provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
  }

  @Override
  public Caller caller() {
    return new ShedLockCaller(provider);
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public void close() {
    pool.close();
  }

  private static final class ShedLockCaller implements Caller {
    private final LockProvider provider;
    private @Nullable SimpleLock held;

    ShedLockCaller(LockProvider provider) {
      this.provider = provider;
    }

    @Override
    public boolean tryAcquire(String key) {
      LockConfiguration wanted = new LockConfiguration(Instant.now(), key, TTL, Duration.ZERO);
      Optional<SimpleLock> lock = provider.lock(wanted);
      held = lock.orElse(null);
      return lock.isPresent();
    }

    @Override
    public void release() {
      if (held == null) {
        throw new IllegalStateException("ShedLock holds nothing");
      }
      held.unlock();
    }
  }
}
