package io.holdfast.cli;

import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lease.Duty;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Time;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the embedded database of a server again when somebody ended it. */
final class Revival implements Duty, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Revival.class);
  private static final long EVERY_MS = Duration.ofSeconds(3).toMillis();

  private final EmbeddedPostgres database;
  private final Time time = Time.system();
  private final DutyRunner runner = new DutyRunner("holdfast-revive", this, time);
  private long dueNanos = Time.after(time.nanos(), EVERY_MS);

  private Revival(EmbeddedPostgres database) {
    this.database = database;
  }

  /** Looks after this database until it is closed. */
  static Revival of(EmbeddedPostgres database) {
    Revival revival = new Revival(database);
    revival.runner.wake();
    return revival;
  }

  @Override
  public int work() {
    dueNanos = Time.after(time.nanos(), EVERY_MS);
    boolean hadEnded = database.revive();
    if (hadEnded) {
      LOG.warn("the embedded database had ended and was started again");
    }
    return hadEnded ? 1 : 0;
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }

  @Override
  public void close() {
    runner.close();
  }
}
