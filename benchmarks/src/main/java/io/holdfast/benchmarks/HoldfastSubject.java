package io.holdfast.benchmarks;

import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.Locks;
import io.holdfast.lock.Wait;
import io.holdfast.postgres.LockTables;
import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ours, through its public door and with its default options. */
final class HoldfastSubject implements Subject {
  private final PostgresHoldfast holdfast;

  HoldfastSubject(Place place) {
    this(place, LockTables.DEFAULTS);
  }

  HoldfastSubject(Place place, LockTables tables) {
    holdfast = PostgresHoldfast.open(place.url(), options(place).withLockTables(tables));
    holdfast.setup();
  }

  /** The defaults with the pool size that all subjects have. */
  static PostgresOptions options(Place place) {
    return PostgresOptions.DEFAULTS.withPool(
        PoolSettings.DEFAULTS.withMaxConnections(place.poolSize()));
  }

  @Override
  public Caller caller() {
    return new HoldfastCaller(holdfast.locks());
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public void close() {
    holdfast.close();
  }

  private static final class HoldfastCaller implements Caller {
    private final Locks locks;
    private @Nullable LockAttempt held;

    HoldfastCaller(Locks locks) {
      this.locks = locks;
    }

    @Override
    public boolean tryAcquire(String key) {
      return keep(locks.acquire(key, TTL));
    }

    @Override
    public boolean acquire(String key, long untilNanos) {
      long left = Math.max(0, untilNanos - System.nanoTime());
      return keep(locks.acquire(key, TTL, Wait.upTo(Duration.ofNanos(left))));
    }

    private boolean keep(LockAttempt attempt) {
      held = attempt;
      return attempt.ok();
    }

    @Override
    public void release() {
      if (held == null || !held.release().ok()) {
        throw new IllegalStateException("Holdfast lost a lock");
      }
    }
  }
}
