package io.holdfast.embedded;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes what is still open when the JVM ends in an orderly way, SIGTERM and Ctrl-C included.
 * Thread-safe.
 */
final class ExitHook {
  private static final Logger log = LoggerFactory.getLogger(ExitHook.class);
  private static final Set<EmbeddedPostgres> OPEN = new LinkedHashSet<>();
  private static boolean installed;
  private static boolean exiting;

  private ExitHook() {}

  /** False when the JVM is ending already: the caller closes at once. */
  static synchronized boolean add(EmbeddedPostgres postgres) {
    if (!installed && !exiting) {
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(ExitHook::closeAll, "holdfast-exit"));
        installed = true;
      } catch (IllegalStateException ending) {
        exiting = true;
      }
    }
    return !exiting && OPEN.add(postgres);
  }

  static synchronized void remove(EmbeddedPostgres postgres) {
    OPEN.remove(postgres);
  }

  private static void closeAll() {
    for (EmbeddedPostgres postgres : takeAll()) {
      try {
        postgres.close();
      } catch (RuntimeException failure) {
        log.warn("Not closed at exit: {}", postgres, failure);
      }
    }
  }

  private static synchronized List<EmbeddedPostgres> takeAll() {
    exiting = true;
    return new ArrayList<>(OPEN);
  }
}
