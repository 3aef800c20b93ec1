package io.holdfast.server.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A token file that is read again when it changes; while it cannot be read, the last one counts.
 */
public final class TokenFile {
  private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
  private static final long LOOK_EVERY = TimeUnit.SECONDS.toNanos(1);

  private final Path file;
  private final LongSupplier nanos;
  private Tokens tokens;
  private State state;
  private long lookedAt;

  private record State(FileTime changedAt, long size) {}

  /**
   * Reads it for the first time.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it makes no sense
   */
  public TokenFile(Path file) throws IOException {
    this(file, System::nanoTime);
  }

  TokenFile(Path file, LongSupplier nanos) throws IOException {
    this.file = file;
    this.nanos = nanos;
    this.state = state();
    this.tokens = Tokens.parse(Files.readAllLines(file));
    this.lookedAt = nanos.getAsLong();
  }

  private State state() throws IOException {
    return new State(Files.getLastModifiedTime(file), Files.size(file));
  }

  synchronized Tokens current() {
    long now = nanos.getAsLong();
    if (now - lookedAt > LOOK_EVERY) {
      lookedAt = now;
      reload();
    }
    return tokens;
  }

  private void reload() {
    try {
      State found = state();
      if (!found.equals(state)) {
        tokens = Tokens.parse(Files.readAllLines(file));
        state = found;
        LOG.info("read the token file again");
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("the changed token file is not used: {}", e.getMessage());
    }
  }
}
