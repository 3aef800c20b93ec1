package io.holdfast.postgres;

import io.holdfast.HoldfastException;
import io.holdfast.Telemetry;
import io.holdfast.job.JobService;
import io.holdfast.job.Jobs;
import io.holdfast.lease.Cancellation;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Queues;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Streams;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Holdfast on a PostgreSQL database: the front door, plus what only a database can do. Opening
 * makes no connection; the first operation does, and creates missing tables unless told not to.
 * Safe for use by many threads.
 */
public final class PostgresHoldfast implements AutoCloseable {
  private static final int PAGE = 1_000;

  private final PostgresOptions options;
  private final PostgresStore store;
  private final LockService locks;
  private final QueueService queues;
  private final StreamService streams;
  private final JobService jobs;

  /** Of the transactions we run ourselves: released keys that somebody waits for. */
  private final Map<Connection, List<LockKey>> awaited = new ConcurrentHashMap<>();

  private PostgresHoldfast(Database database, PostgresOptions options) {
    this.options = options;
    this.store = new PostgresStore(database, options);
    this.locks = LockService.over(store.locks(), options.capabilities().locks());
    this.queues = QueueService.over(store.queues(), options.capabilities().queues());
    this.streams = StreamService.over(store.streams(), options.capabilities().streams());
    this.jobs = JobService.over(store.jobs(), options.capabilities().jobs());
  }

  /** On the database at {@code url}: {@code jdbc:postgresql:...} or {@code postgres://...}. */
  public static PostgresHoldfast open(String url) {
    return open(url, PostgresOptions.DEFAULTS);
  }

  /** The same with options. All users of one url in this process share one pool. */
  public static PostgresHoldfast open(String url, PostgresOptions options) {
    return new PostgresHoldfast(Pools.open(ConnectionString.parse(url), options.pool()), options);
  }

  /** On a data source of the user's own, which stays open. */
  public static PostgresHoldfast open(DataSource source) {
    return open(source, PostgresOptions.DEFAULTS);
  }

  /** The same with options. */
  public static PostgresHoldfast open(DataSource source, PostgresOptions options) {
    return new PostgresHoldfast(new UserDatabase(source), options);
  }

  /** Fenced locks. */
  public Locks locks() {
    return locks;
  }

  /** Work queues. */
  public Queues queues() {
    return queues;
  }

  /** Ordered streams. */
  public Streams streams() {
    return streams;
  }

  /** Background jobs. */
  public Jobs jobs() {
    return jobs;
  }

  /** Operations inside the open transaction of {@code connection}. */
  public InTransaction in(Connection connection) {
    CallersTransaction caller = new CallersTransaction(connection, store.statements());
    List<LockKey> atCommit = awaited.get(connection);
    Consumer<LockKey> heard = atCommit == null ? key -> {} : atCommit::add;
    PostgresLocks bound = store.lockStore().on(caller, heard);
    return new InTransaction(
        connection,
        locks.joining(bound),
        bound,
        options.capabilities().locks(),
        new QueuesInTransaction(store, connection),
        new StreamsInTransaction(store.streamKernel(), store.statements(), streams, connection),
        new JobsInTransaction(
            new JobTransaction(store.jobKernel(), store.statements(), connection), jobs));
  }

  /**
   * Runs {@code work} in a transaction of its own and repeats it, at most three times, when it
   * loses against another one. Locks that {@code in(connection)} releases in it wake their waiters
   * after the commit.
   */
  public <T> T transaction(TransactionSettings settings, TransactionWork<T> work) {
    List<LockKey> released = new ArrayList<>();
    Statements.Limits limits = Statements.Limits.of(Cancellation.never(), Duration.ofDays(1));
    try {
      T result =
          store
              .transactions()
              .transaction("transaction", limits, settings, watch -> run(watch, work, released));
      released.forEach(locks::wakeWaiters);
      return result;
    } catch (SQLException e) {
      throw Statements.asHoldfast("transaction", e);
    }
  }

  private <T> T run(Watch watch, TransactionWork<T> work, List<LockKey> released)
      throws SQLException {
    released.clear();
    awaited.put(watch.connection(), released);
    try {
      return work.run(watch.connection());
    } finally {
      awaited.remove(watch.connection());
    }
  }

  /** What is counted about statements, connections and hints. */
  public Telemetry telemetry() {
    return store::figures;
  }

  /** Looks for what makes the database slow or unsafe; changes nothing. */
  public List<Finding> examine() {
    List<Finding> findings =
        new ArrayList<>(
            transaction(
                TransactionSettings.DEFAULTS,
                connection -> Doctor.examine(connection, Clock.systemUTC())));
    List<String> pending =
        migrations().status().stream()
            .filter(step -> !step.applied())
            .map(step -> step.migration().fileName())
            .toList();
    findings.add(
        pending.isEmpty()
            ? Finding.ok("schema", "up to date")
            : Finding.warning(
                "schema",
                "missing " + String.join(", ", pending),
                "run holdfast migrate; what is needed is also made on first use"));
    return findings;
  }

  /** The schema's steps, for applying and looking at. */
  public Migrations migrations() {
    return store.migrations();
  }

  /** Creates what is missing: the schema {@code holdfast} and the lock tables. */
  public void setup() throws HoldfastException {
    locks.setup();
  }

  /**
   * Creates everything there is to create: also the tables of jobs and of all queues, which their
   * first use would make otherwise. After that a role that may create nothing can do the rest.
   */
  public void createTables() throws HoldfastException {
    setup();
    jobs.queues().list(); // makes its tables
    String pivot = "";
    List<QueueInfo> page;
    do {
      page = queues.list(new QueuePage(pivot, PAGE, null));
      for (QueueInfo queue : page) {
        queue.partitions().forEach(one -> store.createItems(queue.name(), one.number()));
        pivot = queue.name();
      }
    } while (page.size() == PAGE);
  }

  /** The script that {@link #setup} amounts to, for migration by other means. */
  public static String schemaSql(LockTables tables, boolean readableInstants) {
    return LockSetup.script(tables, readableInstants);
  }

  /** Ends duties, releases what is still being renewed, and gives back the connections. */
  @Override
  public void close() {
    jobs.close();
    streams.close();
    queues.close();
    locks.close();
    store.close();
  }
}
