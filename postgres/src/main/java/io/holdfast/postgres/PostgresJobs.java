package io.holdfast.postgres;

import io.holdfast.job.Held;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.Settlement;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import java.sql.Connection;
import java.util.function.IntConsumer;

/** Jobs on PostgreSQL: joins the roles. Safe for use by many threads. */
final class PostgresJobs implements JobBackend {
  private final JobKernel kernel;
  private final Hints hints;
  private final Statements statements;
  private final JobStore store;
  private final JobParts reader;
  private final JobAdmin admin;
  private final JobLimits limits;
  private final JobSchedules schedules;
  private final JobUpkeep upkeep;

  PostgresJobs(
      JobKernel kernel, IntConsumer inserted, JobIds ids, Hints hints, Statements statements) {
    this.kernel = kernel;
    this.hints = hints;
    this.statements = statements;
    this.store = new PostgresJobStore(kernel, inserted);
    this.reader = new PostgresJobReader(kernel);
    this.admin = new PostgresJobAdmin(kernel);
    this.limits = new PostgresJobLimits(kernel);
    this.schedules = new PostgresJobSchedules(kernel, ids);
    this.upkeep = new PostgresJobUpkeep(kernel, ids);
  }

  @Override
  public JobStore store() {
    return store;
  }

  @Override
  public JobParts reader() {
    return reader;
  }

  @Override
  public JobAdmin admin() {
    return admin;
  }

  @Override
  public JobLimits limits() {
    return limits;
  }

  @Override
  public JobSchedules schedules() {
    return schedules;
  }

  @Override
  public JobUpkeep upkeep() {
    return upkeep;
  }

  @Override
  public JobTransactions transactions() {
    return new JobTransactions() {
      @Override
      public void ack(Connection connection, Settlement.Ack ack) {
        new JobTransaction(kernel, statements, connection).settle(ack);
      }

      @Override
      public void guard(Connection connection, Held held) {
        new JobTransaction(kernel, statements, connection).guard(held);
      }
    };
  }

  @Override
  public Hints hints() {
    return hints;
  }

  @Override
  public Time time() {
    return kernel.time();
  }
}
