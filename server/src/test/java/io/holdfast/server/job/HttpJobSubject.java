package io.holdfast.server.job;

import io.holdfast.client.job.HttpJobs;
import io.holdfast.job.Effects;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobReader;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobService;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.ServedPostgres;
import io.holdfast.server.SpareServer;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import java.util.Set;

/**
 * Jobs behind a server, whose duties run only when a test runs them; what a test gets is the
 * client's side. Duties stay where the store is, so a test's go straight to it. A client hears no
 * hints; here it hears those of the store, so that nobody has to wait for a poll.
 */
final class HttpJobSubject implements JobSubject {
  private final SpareServer server;
  private final JobBackend behind;
  private final ManualTime time;
  private final Runnable end;

  private HttpJobSubject(JobBackend behind, ManualTime time, Runnable end) {
    this.server =
        SpareServer.of(JobService.over(behind, JobOptions.DEFAULTS.stepped().withDuties(false)));
    this.behind = behind;
    this.time = time;
    this.end = end;
  }

  static HttpJobSubject memory(ManualTime time) {
    return new HttpJobSubject(new MemoryStore(time).jobs(), time, () -> {});
  }

  static HttpJobSubject postgres(ManualTime time) {
    ServedPostgres served = new ServedPostgres(time);
    return new HttpJobSubject(served.process().jobs(), time, served::close);
  }

  @Override
  public JobBackend process() {
    return new Remote(HttpJobs.backend(server.channel(), time), behind);
  }

  @Override
  public void close() {
    server.close();
    end.run();
  }

  /** The client's side, with the duties of the server. */
  private record Remote(JobBackend client, JobBackend behind) implements JobBackend {
    @Override
    public JobUpkeep upkeep() {
      return behind.upkeep();
    }

    @Override
    public JobStore store() {
      return client.store();
    }

    @Override
    public JobReader reader() {
      return client.reader();
    }

    @Override
    public JobAdmin admin() {
      return client.admin();
    }

    @Override
    public JobLimits limits() {
      return new JobLimits() {
        @Override
        public JobQueueInfo configure(JobQueueConfig config, StoreCall call) {
          return client.limits().configure(config, call);
        }

        @Override
        public Effects admit(Set<QueueKey> keys, StoreCall call) {
          return behind.limits().admit(keys, call);
        }
      };
    }

    @Override
    public JobSchedules schedules() {
      return client.schedules();
    }

    @Override
    public JobTransactions transactions() {
      return client.transactions();
    }

    @Override
    public Hints hints() {
      return behind.hints();
    }

    @Override
    public Time time() {
      return client.time();
    }
  }
}
