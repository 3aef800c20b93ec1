package io.holdfast.job;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;

/** Everything {@link Jobs} need of one store. Safe for use by many threads. */
public interface JobBackend {
  /** Storing, leasing, settling. */
  JobStore store();

  /** Looking. */
  JobReader reader();

  /** What operators do. */
  JobAdmin admin();

  /** Settings and limits. */
  JobLimits limits();

  /** Recurring jobs. */
  JobSchedules schedules();

  /** Work in the background. */
  JobUpkeep upkeep();

  /** Handlers' own transactions. */
  JobTransactions transactions();

  /** How processes tell each other to look. */
  Hints hints();

  /** The clock. */
  Time time();
}
