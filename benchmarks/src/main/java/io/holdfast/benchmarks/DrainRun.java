package io.holdfast.benchmarks;

/**
 * What one subject did in one round.
 *
 * @param jobs how many it worked off
 * @param seconds from the first call of a handler until every job was finished in the table
 * @param walBytes of the server
 * @param commits of the database, with or without having written
 * @param dead tuples that it left behind
 * @param serverSeconds processor time of the server
 * @param clientSeconds processor time of the subject's process
 */
record DrainRun(
    int jobs,
    double seconds,
    long walBytes,
    long commits,
    long dead,
    double serverSeconds,
    double clientSeconds) {
  double perSecond() {
    return jobs / seconds;
  }
}
