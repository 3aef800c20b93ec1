package io.holdfast.cli;

import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockTimeouts;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.LockTables;
import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Holdfast on an open database, and the embedded server it may need. */
final class Session implements AutoCloseable {
  /** One caller needs few connections and, in front of a terminal, has little patience. */
  static final PostgresOptions OPTIONS =
      PostgresOptions.DEFAULTS
          .withPool(
              PoolSettings.DEFAULTS
                  .withMaxConnections(2)
                  .withConnectTimeout(Duration.ofSeconds(10)))
          .withLocks(
              LockOptions.DEFAULTS.withTimeouts(
                  new LockTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(10), null)));

  private final PostgresHoldfast holdfast;
  private final @Nullable EmbeddedPostgres embedded;

  private Session(PostgresHoldfast holdfast, @Nullable EmbeddedPostgres embedded) {
    this.holdfast = holdfast;
    this.embedded = embedded;
  }

  /** On the database at {@code url}. */
  static Session at(String url, LockTables tables) {
    return new Session(PostgresHoldfast.open(url, OPTIONS.withLockTables(tables)), null);
  }

  /** On the embedded database in {@code directory}, which is started unless it runs. */
  static Session embedded(Path directory, EmbeddedOptions options, LockTables tables) {
    EmbeddedPostgres embedded = EmbeddedPostgres.open(directory, options);
    return new Session(
        PostgresHoldfast.open(embedded.jdbcUrl(), OPTIONS.withLockTables(tables)), embedded);
  }

  PostgresHoldfast holdfast() {
    return holdfast;
  }

  Locks locks() {
    return holdfast.locks();
  }

  @Override
  public void close() {
    try {
      holdfast.close();
    } finally {
      if (embedded != null) {
        embedded.close();
      }
    }
  }
}
