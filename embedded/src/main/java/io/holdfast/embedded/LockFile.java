package io.holdfast.embedded;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The operating system's lock on one file: it vanishes with the process that holds it.
 *
 * <p>POSIX drops all locks a process has on a file as soon as the process closes <em>any</em>
 * descriptor of it. So this class opens a file once per JVM, and never closes a channel while
 * somebody in this JVM may hold the lock, not even one that is refused. Thread-safe.
 */
final class LockFile implements Closeable {
  private static final Map<Path, FileChannel> OPEN = new HashMap<>();

  private final Path file;

  private LockFile(Path file) {
    this.file = file;
  }

  /** The lock, or nothing while another process or another thread of this JVM has it. */
  static Optional<LockFile> tryAcquire(Path file) throws IOException {
    synchronized (OPEN) {
      FileChannel channel = OPEN.get(file);
      if (channel == null) {
        channel = open(file);
        OPEN.put(file, channel);
      }
      try {
        if (channel.tryLock() != null) {
          return Optional.of(new LockFile(file));
        }
      } catch (OverlappingFileLockException heldInThisJvm) {
        return Optional.empty();
      }
      close(file);
      return Optional.empty();
    }
  }

  /** Runs the action while holding the lock; a holder that does not let go in time is an error. */
  static <T> T holding(Path file, Duration patience, Action<T> action)
      throws IOException, InterruptedException {
    AtomicReference<LockFile> held = new AtomicReference<>();
    boolean mine =
        Deadline.in(patience)
            .await(
                () -> {
                  tryAcquire(file).ifPresent(held::set);
                  return held.get() != null;
                });
    if (!mine) {
      throw new IOException("another process has held the lock " + file + " for " + patience);
    }
    try {
      return action.run();
    } finally {
      held.get().close();
    }
  }

  Path file() {
    return file;
  }

  @Override
  public void close() throws IOException {
    synchronized (OPEN) {
      close(file);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), Trees.PRIVATE_FILE);
  }

  private static void close(Path file) throws IOException {
    FileChannel channel = OPEN.remove(file);
    if (channel != null) {
      channel.close();
    }
  }

  /** What is done under a lock. */
  interface Action<T> {
    T run() throws IOException, InterruptedException;
  }
}
