package io.holdfast.client.job;

import io.holdfast.client.http.Channel;
import io.holdfast.job.Effects;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobReader;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobService;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.Jobs;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;

/**
 * Everything that jobs need of a store, done by a server: workers run here, duties and admission
 * there. There are no hints, so an idle worker's wish waits at the server; and no transactions.
 * Safe for use by many threads.
 */
public final class HttpJobs implements JobBackend {
  private final JobStore store;
  private final JobReader reader;
  private final HttpJobAdmin admin;
  private final JobSchedules schedules;
  private final Time time;

  private HttpJobs(JobVerbs verbs, Time time) {
    this.store = new HttpJobStore(verbs);
    this.reader = new HttpJobReader(verbs);
    this.admin = new HttpJobAdmin(verbs);
    this.schedules = new HttpJobSchedules(verbs);
    this.time = time;
  }

  /** The store behind a server. */
  public static JobBackend backend(Channel channel, Time time) {
    return new HttpJobs(new JobVerbs(channel), time);
  }

  /** Jobs over a channel. */
  public static Jobs over(Channel channel, Time time) {
    return JobService.over(backend(channel, time), JobOptions.DEFAULTS.withDuties(false));
  }

  @Override
  public JobStore store() {
    return store;
  }

  @Override
  public JobReader reader() {
    return reader;
  }

  @Override
  public JobAdmin admin() {
    return admin;
  }

  @Override
  public JobLimits limits() {
    return admin;
  }

  @Override
  public JobSchedules schedules() {
    return schedules;
  }

  @Override
  public JobUpkeep upkeep() {
    return ServersUpkeep.INSTANCE;
  }

  @Override
  public JobTransactions transactions() {
    return JobTransactions.none();
  }

  @Override
  public Hints hints() {
    return Hints.none();
  }

  @Override
  public Time time() {
    return time;
  }

  /** The server does it. */
  private enum ServersUpkeep implements JobUpkeep {
    INSTANCE;

    @Override
    public Ticked tick(StoreCall call) {
      return new Ticked(0, Effects.NONE, null);
    }

    @Override
    public Swept sweep(StoreCall call) {
      return new Swept(0, Effects.NONE);
    }

    @Override
    public int adopt(StoreCall call) {
      return 0;
    }

    @Override
    public int retain(StoreCall call) {
      return 0;
    }

    @Override
    public int forgetWorkers(StoreCall call) {
      return 0;
    }
  }
}
