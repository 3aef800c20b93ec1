package io.holdfast.server.job;

import io.holdfast.Holdfast;
import io.holdfast.Store;
import io.holdfast.client.http.Channel;
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
import io.holdfast.job.Jobs;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.ServedStores;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.server.TestServer;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Jobs behind a server of their own, whose duties run only when a test runs them; what a test gets
 * is the client's side. Duties stay where the store is, so a test's go straight to it. A client
 * hears no hints; here it hears those of the store, so that nobody has to wait for a poll.
 */
final class HttpJobSubject implements JobSubject {
  private static final Channel.Settings SETTINGS =
      new Channel.Settings(null, Duration.ofSeconds(5), Duration.ofSeconds(30));

  private final HoldfastServer server;
  private final JobBackend behind;
  private final ManualTime time;
  private final List<Channel> channels = new CopyOnWriteArrayList<>();

  HttpJobSubject(JobBackend behind, ManualTime time, AutoCloseable resources) {
    Holdfast rest = Holdfast.inMemory(); // on the machine's clock
    this.behind = behind;
    this.time = time;
    Jobs jobs = JobService.over(behind, JobOptions.DEFAULTS.stepped().withDuties(false));
    Services services = new Services(rest.locks(), rest.queues(), rest.streams(), jobs, resources);
    try {
      this.server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static HttpJobSubject memory(ManualTime time) {
    return new HttpJobSubject(new MemoryStore(time).jobs(), time, () -> {});
  }

  static HttpJobSubject postgres(ManualTime time) {
    Store store = ServedStores.empty(TestServer.url(), time);
    return new HttpJobSubject(store.jobs(), time, store);
  }

  @Override
  public JobBackend process() {
    Channel channel = new Channel(server.address(), SETTINGS);
    channels.add(channel);
    return new Remote(HttpJobs.backend(channel, time), behind);
  }

  @Override
  public void close() {
    channels.forEach(Channel::close);
    server.close();
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
