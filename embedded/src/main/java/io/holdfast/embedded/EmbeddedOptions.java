package io.holdfast.embedded;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How to open an embedded PostgreSQL. Immutable.
 *
 * @param settings server settings beside our own, such as {@code max_connections}, or instead of
 *     them, such as {@code fsync=off} for a test; they count when this call starts the server and
 *     are without effect when it attaches to one that runs already
 * @param closeAtExit whether an orderly end of the JVM (also by SIGTERM) closes what is still open;
 *     switch it off only when a shutdown hook of your own closes it, after everything that uses the
 *     database
 * @param startTimeout how long to wait for the server to accept connections, recovery after a crash
 *     included
 */
public record EmbeddedOptions(
    Map<String, String> settings, boolean closeAtExit, Duration startTimeout) {

  public EmbeddedOptions {
    settings = Map.copyOf(settings);
    Objects.requireNonNull(startTimeout, "startTimeout");
    settings.forEach(Settings::check);
    if (startTimeout.isNegative() || startTimeout.isZero()) {
      throw new IllegalArgumentException("startTimeout must be positive, not " + startTimeout);
    }
  }

  /** No extra settings, closed at exit, two minutes to start. */
  public static EmbeddedOptions defaults() {
    return new EmbeddedOptions(Map.of(), true, Duration.ofMinutes(2));
  }

  /** The same with one more server setting, or another value of it. */
  public EmbeddedOptions withSetting(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(name, value);
    return new EmbeddedOptions(more, closeAtExit, startTimeout);
  }

  /** The same, closed at exit or left to the caller. */
  public EmbeddedOptions withCloseAtExit(boolean close) {
    return new EmbeddedOptions(settings, close, startTimeout);
  }

  /** The same with another patience. */
  public EmbeddedOptions withStartTimeout(Duration timeout) {
    return new EmbeddedOptions(settings, closeAtExit, timeout);
  }
}
