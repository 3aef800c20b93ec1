package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;

/** One way of locking, ready for use: its tables exist and its pool is open. */
interface Subject extends AutoCloseable {
  /** How long a lock lasts wherever a subject wants to know; no measure takes as long. */
  Duration TTL = Duration.ofHours(2);

  /** A way in for one thread. */
  Caller caller() throws SQLException;

  /** Whether it knows how to wait for a taken key; what does not has to try again and again. */
  boolean waits();

  @Override
  void close();

  /** One thread's way in, with at most one lock at a time. */
  interface Caller extends AutoCloseable {
    /** One attempt. */
    boolean tryAcquire(String key) throws Exception;

    /** Waits for the lock the subject's own way, or else by trying again at once. */
    default boolean acquire(String key, long untilNanos) throws Exception {
      while (!tryAcquire(key)) {
        if (untilNanos - System.nanoTime() <= 0) {
          return false;
        }
      }
      return true;
    }

    /** Gives back what was acquired last. */
    void release() throws Exception;

    @Override
    default void close() throws SQLException {}
  }
}
