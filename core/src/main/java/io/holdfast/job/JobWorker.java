package io.holdfast.job;

import java.time.Duration;

/**
 * Runs jobs. It leases what it has places for, keeps the leases alive, and settles what was run in
 * batches. Safe for use by many threads.
 */
public interface JobWorker extends AutoCloseable {
  /** Describes a worker; not safe for use by many threads. */
  interface Builder {
    /** Serves this queue. */
    default Builder queue(String name) {
      return queue(name, 1);
    }

    /** Serves this queue with a weight from 1 to 1000: its share while all have work. */
    Builder queue(String name, int weight);

    /** Runs jobs of this type by a handler that returns an output; replaces an earlier one. */
    <P> Builder handler(String type, Class<P> payload, JobHandler<? super P> handler);

    /** Runs jobs of this type by a handler without output. */
    <P> Builder action(String type, Class<P> payload, JobHandler.Action<? super P> action);

    /** Runs jobs of this type by a handler that returns before its work is done. */
    <P> Builder async(String type, Class<P> payload, JobHandler.Async<? super P> handler);

    /** Runs of this type may take so long, unless their job says otherwise. */
    Builder timeout(String type, Duration value);

    /** So many runs at once; 4 unless said otherwise. */
    Builder concurrency(int value);

    /** So many jobs may be leased ahead of their run; as many as runs unless said otherwise. */
    Builder prefetch(int value);

    /** Leases for so long, and renews every third of it; 30 s unless said otherwise. */
    Builder lease(Duration value);

    /** Looks so often while there is nothing; 1 s unless said otherwise. */
    Builder poll(Duration value);

    /** Judges failures by this policy. */
    Builder retry(RetryPolicy value);

    /** Wraps every run. */
    Builder middleware(Middleware value);

    /** Reads payloads and writes outputs so; bytes and text unless said otherwise. */
    Builder codec(JobCodec value);

    /** Gives a handler so long to end after its timeout; 30 s unless said otherwise. */
    Builder timeoutGrace(Duration value);

    /** Closing waits so long, then interrupts; 30 s unless said otherwise. */
    Builder stopTimeout(Duration value);

    /** The worker, at work; of stepped jobs, it waits to be stepped. */
    JobWorker start();
  }

  /** {@code <host>-<pid>-<8 hex>}. */
  String id();

  /** Leases nothing until resumed; what waits for a place goes back. */
  void pause();

  /** Leases again. */
  void resume();

  /** Leases nothing of this queue until resumed; what waits for a place goes back. */
  void pause(String queue);

  /** Leases from this queue again. */
  void resume(String queue);

  /** Figures. */
  WorkerStats stats();

  /**
   * Stops: leases nothing more, gives back what has not started, and waits. After {@code timeout}
   * runs are interrupted; after five more seconds they are left alone. What was settled is flushed
   * before it returns. Again, it waits too; a shorter timeout counts.
   */
  void stop(Duration timeout);

  /** {@link #stop} with the worker's own timeout. */
  @Override
  void close();

  /**
   * Does on the calling thread what is due now: settles, leases and runs one job. For tests of
   * stepped jobs; answers how much it did.
   */
  int step();
}
