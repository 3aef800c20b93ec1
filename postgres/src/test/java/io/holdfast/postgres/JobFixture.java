package io.holdfast.postgres;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** Jobs in a schema of their own. */
final class JobFixture implements AutoCloseable {
  static final StoreCall CALL = StoreCall.plain();
  static final String QUEUE = "q";
  static final Duration LEASE = Duration.ofSeconds(30);

  final ManualTime manual = new ManualTime();
  final JobTables tables;
  final JobKernel kernel;
  final PostgresJobStore store;
  private final PostgresStore database;

  private JobFixture(JobTables tables, boolean isManual) {
    this.tables = tables;
    Time time = isManual ? manual : Time.system();
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withJobTables(tables);
    this.database =
        new PostgresStore(
            Pools.open(ConnectionString.parse(TestDatabase.url()), options.pool()), options);
    JobSetup setup = new JobSetup(tables, database.transactions(), database.migrations());
    this.kernel = new JobKernel(setup, StoreCaller.pooled(database.transactions()), time, true);
    setup.ensure(CALL);
    this.store = new PostgresJobStore(kernel, rows -> {});
  }

  static JobFixture manual() {
    return new JobFixture(JobSchemas.take(), true);
  }

  static JobFixture real() {
    return new JobFixture(JobSchemas.take(), false);
  }

  /** On tables that nobody has looked at, nor will by itself. */
  static JobFixture unanalyzed() {
    return unanalyzed(false);
  }

  /** The same, with the clock of the test or that of the database. */
  static JobFixture unanalyzed(boolean isManual) {
    JobFixture fixture = new JobFixture(JobSchemas.fresh(), isManual);
    fixture.update("ALTER TABLE {jobs} SET (autovacuum_enabled = off)");
    return fixture;
  }

  PostgresStore database() {
    return database;
  }

  Instant now() {
    return Instant.ofEpochMilli(manual.nowMs());
  }

  void advance(Duration by) {
    manual.advance(by);
  }

  void advance(long seconds) {
    manual.advance(Duration.ofSeconds(seconds));
  }

  /** As the rules would make it. */
  static JobRow row(NewJob job) {
    return new JobRow(
        String.valueOf(job.id()),
        job.queue() == null ? QUEUE : job.queue(),
        new JobSpec.Keys(job.idempotencyKey(), job.limitKey(), job.traceId()),
        job);
  }

  static NewJob job(String id) {
    return NewJob.of("t").id(id);
  }

  JobStore.Stored enqueue(NewJob... jobs) {
    return store.enqueue(Arrays.stream(jobs).map(JobFixture::row).toList(), CALL);
  }

  /** Plain jobs with these ids. */
  JobStore.Stored enqueue(String... ids) {
    return enqueue(Arrays.stream(ids).map(JobFixture::job).toArray(NewJob[]::new));
  }

  Reserved answer(int limit) {
    return store.reserve(ReserveRequest.of(QUEUE, limit), CALL);
  }

  List<LeasedJob> reserve(int limit) {
    return answer(limit).jobs();
  }

  /** The only job there is. */
  LeasedJob reserve() {
    return reserve(1).get(0);
  }

  static List<String> ids(Reserved reserved) {
    return reserved.jobs().stream().map(LeasedJob::id).toList();
  }

  List<Settled> settle(Settlement... items) {
    return store.settle(List.of(items), CALL).settled();
  }

  Settled ack(Held held) {
    return settle(Settlement.Ack.of(held)).get(0);
  }

  /** The stored job. */
  Job find(String id) {
    return kernel.look(
        "find",
        CALL,
        session ->
            session
                .all(
                    "SELECT " + JobRows.COLUMNS + " FROM {jobs} AS j WHERE j.id = ?",
                    binds -> binds.text(id),
                    row -> JobRows.job(row, now()))
                .get(0));
  }

  void update(String sql) {
    TestDatabase.execute(names().sql(sql));
  }

  @Nullable String query(String sql) {
    return TestDatabase.query(names().sql(sql));
  }

  /** A column of a job, as text. */
  @Nullable String column(String id, String column) {
    return query("SELECT " + column + " FROM {jobs} WHERE id = '" + id + "'");
  }

  /** Waits until somebody waits for what {@code open} has locked. */
  static void awaitBlocked(Connection open) throws SQLException {
    int pid = open.unwrap(PGConnection.class).getBackendPID();
    String blocked =
        "SELECT count(*) FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
            .formatted(pid);
    while ("0".equals(TestDatabase.query(blocked))) {
      if (Thread.interrupted()) {
        throw new AssertionError("nobody waits");
      }
    }
  }

  JobNames names() {
    return kernel.setup().ensure(CALL);
  }

  @Override
  public void close() {
    database.close();
    JobSchemas.giveBack(tables);
  }
}
