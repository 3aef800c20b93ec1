package io.holdfast.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An embedded PostgreSQL that could not be opened or stopped; the message names the directory and
 * the remedy.
 */
public final class EmbeddedPostgresException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String dataDir;

  EmbeddedPostgresException(Path dataDir, String message) {
    this(dataDir, message, null);
  }

  EmbeddedPostgresException(Path dataDir, String message, @Nullable Throwable cause) {
    super("Embedded PostgreSQL in " + dataDir + ": " + message, cause);
    this.dataDir = dataDir.toString();
  }

  /** The directory at fault. */
  public Path dataDir() {
    return Path.of(dataDir);
  }
}
