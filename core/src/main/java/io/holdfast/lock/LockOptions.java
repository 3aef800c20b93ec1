package io.holdfast.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * How a {@link Locks} behaves. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param timeouts limits of single calls
 * @param poll how often a waiter looks by itself, when no hint reaches it: 10 ms to 60 s
 * @param hints whether to wake waiters of other processes
 * @param cleanupInIsLocked whether {@link Locks#isLocked} removes a row that expired long ago
 * @param asyncRelease release without waiting for the disk: after a crash of the server the lock
 *     may be back until its ttl ends; there are never two holders
 * @param purgeEvery how often expired rows are removed, or null for never
 * @param onReleaseError hears of releases that failed where no caller could
 */
public record LockOptions(
    LockTimeouts timeouts,
    Duration poll,
    boolean hints,
    boolean cleanupInIsLocked,
    boolean asyncRelease,
    @Nullable Duration purgeEvery,
    ReleaseErrorListener onReleaseError) {

  /** The settings that suit most. */
  public static final LockOptions DEFAULTS =
      new LockOptions(
          LockTimeouts.DEFAULTS,
          Duration.ofMillis(500),
          true,
          false,
          false,
          Duration.ofSeconds(60),
          LockOptions::log);

  public LockOptions {
    if (poll.compareTo(Duration.ofMillis(10)) < 0 || poll.compareTo(Duration.ofMinutes(1)) > 0) {
      throw LockException.invalid("poll must be from 10 ms to 60 s");
    }
    if (purgeEvery != null && purgeEvery.compareTo(Duration.ofSeconds(1)) < 0) {
      throw LockException.invalid("purgeEvery must be at least 1 s");
    }
  }

  /** With other time limits. */
  public LockOptions withTimeouts(LockTimeouts value) {
    return new LockOptions(
        value, poll, hints, cleanupInIsLocked, asyncRelease, purgeEvery, onReleaseError);
  }

  /** With another poll interval. */
  public LockOptions withPoll(Duration value) {
    return new LockOptions(
        timeouts, value, hints, cleanupInIsLocked, asyncRelease, purgeEvery, onReleaseError);
  }

  /** With or without hints. */
  public LockOptions withHints(boolean value) {
    return new LockOptions(
        timeouts, poll, value, cleanupInIsLocked, asyncRelease, purgeEvery, onReleaseError);
  }

  /** With or without cleaning up in {@code isLocked}. */
  public LockOptions withCleanupInIsLocked(boolean value) {
    return new LockOptions(timeouts, poll, hints, value, asyncRelease, purgeEvery, onReleaseError);
  }

  /** With or without asynchronous release. */
  public LockOptions withAsyncRelease(boolean value) {
    return new LockOptions(
        timeouts, poll, hints, cleanupInIsLocked, value, purgeEvery, onReleaseError);
  }

  /** With another purge interval, or null for none. */
  public LockOptions withPurgeEvery(@Nullable Duration value) {
    return new LockOptions(
        timeouts, poll, hints, cleanupInIsLocked, asyncRelease, value, onReleaseError);
  }

  /** With another listener for failed releases. */
  public LockOptions withOnReleaseError(ReleaseErrorListener value) {
    return new LockOptions(
        timeouts, poll, hints, cleanupInIsLocked, asyncRelease, purgeEvery, value);
  }

  private static void log(LockException error, String lockId, @Nullable String key) {
    LoggerFactory.getLogger(Locks.class)
        .warn("a release failed: {} {}", error.code().text(), error.getMessage());
  }
}
