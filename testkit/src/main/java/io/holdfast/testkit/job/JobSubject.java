package io.holdfast.testkit.job;

import io.holdfast.job.JobBackend;

/** A fresh, empty store under test, on a manual clock. */
public interface JobSubject extends AutoCloseable {
  /** The store as one process sees it; a new view each time, sharing nothing but the data. */
  JobBackend process();

  @Override
  void close();
}
