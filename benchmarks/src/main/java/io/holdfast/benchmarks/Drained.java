package io.holdfast.benchmarks;

/**
 * A job system that works off what waits in its table, in one process. A round is {@link #fill},
 * then {@link #start} to {@link #stop}; between rounds it holds no connection.
 */
interface Drained extends AutoCloseable {
  /** How many handlers run at once. */
  int CONCURRENCY = 24;

  /** How many jobs a subject may take ahead of their run, or in one batch. */
  int AHEAD = 500;

  /** How many jobs are stored in one call. */
  int FILLED_AT_ONCE = 1_000;

  /** How reports call it. */
  String title();

  /** What has to be known beside its figures. */
  String remark();

  /** Where its jobs are. */
  String table();

  /** A condition for rows of jobs that are not finished. */
  String unfinished();

  /** Makes the tables, once. */
  void setUp() throws Exception;

  /** Empties the table between two rounds. */
  default String clearing() {
    return "TRUNCATE " + table();
  }

  /** Stores jobs, which nobody works off yet. */
  void fill(int jobs) throws Exception;

  /** Begins to work; {@code jobs} will be handled. */
  void start(int jobs) throws Exception;

  /** Waits until the handler was called for all; answers when it was called first. */
  long awaitHandled() throws Exception;

  /** Ends the work. */
  void stop() throws Exception;

  /** Processor time of its process so far. */
  double cpuSeconds();

  @Override
  void close();
}
