package io.holdfast.job;

import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** One run of a job, as its handler sees it. Safe for use by many threads. */
public interface JobContext {
  /** Why a run is asked to end. */
  enum EndReason {
    /** Somebody else has the job, or will: whatever is returned now counts for nothing. */
    LEASE_LOST,
    TIMEOUT,
    CANCELLED,
    SHUTDOWN
  }

  /** The job's id. */
  String id();

  /** What kind of work it is. */
  String type();

  /** Where it waited. */
  String queue();

  /** The how manieth try this is, from 1. */
  int attempt();

  /** How many tries there may be. */
  int maxAttempts();

  /** When this run times out, on the monotonic clock of {@code System.nanoTime}; empty: never. */
  OptionalLong deadlineNanos();

  /** A number that only grows from one run of the job to the next. */
  int fence();

  /** What names this run. */
  Held held();

  /** The moment that this run of a recurring job was made for. */
  Optional<Instant> slot();

  /** What the job belongs to. */
  Optional<String> traceId();

  /** What an earlier run, or this one, saved. */
  Optional<byte[]> checkpoint();

  /** Saves where the work stands, up to 64 KiB, for a later run; fails when the lease is lost. */
  void saveCheckpoint(byte[] state);

  /** Tells how far the run is, from 0 to 100; fails when the lease is lost. */
  void progress(int percent, @Nullable String note);

  /** Tells when the run should end. */
  Cancellation cancellation();

  /** Why the run should end, if it should. */
  Optional<EndReason> endReason();

  /** Throws when the run should end. */
  default void throwIfCancelled() {
    endReason()
        .ifPresent(
            reason -> {
              throw new CancellationException("the run was asked to end: " + reason);
            });
  }

  /** Enqueues a job that belongs to the same trace, unless it names another. */
  Enqueued enqueue(NewJob job);

  /**
   * Completes the job inside the open transaction of {@code connection}: it is done if and only if
   * that commits. Fails when the lease is lost, so that the transaction does not commit.
   */
  void completeIn(Connection connection, @Nullable Object output);

  /** Keeps everybody from taking the job over until the transaction ends; fails when it is lost. */
  void guardIn(Connection connection);
}
