package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What jobs have besides the hot path, on the tables of a {@link JobFixture}. */
final class JobStage implements AutoCloseable {
  static final StoreCall CALL = JobFixture.CALL;

  /** What is larger takes long to delete, and leaves much behind. */
  private static final long LARGE = 1_000_000;

  final JobFixture fixture;
  final ManualTime manual;
  final String schema;
  final JobNames names;
  final PostgresJobStore hot;
  final PostgresJobReader reader;
  final PostgresJobAdmin admin;
  final PostgresJobLimits limits;
  final PostgresJobSchedules schedules;
  final PostgresJobUpkeep upkeep;

  private JobStage(JobFixture fixture) {
    this.fixture = fixture;
    this.manual = fixture.manual;
    this.names = fixture.names();
    this.schema = names.schema;
    this.hot = fixture.store;
    this.reader = new PostgresJobReader(fixture.kernel);
    this.admin = new PostgresJobAdmin(fixture.kernel);
    this.limits = new PostgresJobLimits(fixture.kernel);
    JobIds ids = new JobIds(System::currentTimeMillis);
    this.schedules = new PostgresJobSchedules(fixture.kernel, ids);
    this.upkeep = new PostgresJobUpkeep(fixture.kernel, ids);
  }

  static JobStage manual() {
    return new JobStage(JobFixture.manual());
  }

  /** On tables that nobody has looked at, nor will by itself. */
  static JobStage unanalyzed() {
    return new JobStage(JobFixture.unanalyzed(true));
  }

  static JobStage real() {
    return new JobStage(JobFixture.real());
  }

  /** A store of its own, as another process has. */
  static PostgresStore store() {
    PostgresOptions options = PostgresOptions.DEFAULTS;
    return new PostgresStore(
        Pools.open(ConnectionString.parse(TestDatabase.url()), options.pool()), options);
  }

  /** Another process on the same tables. */
  JobKernel process() {
    PostgresStore store = fixture.database();
    return new JobKernel(
        new JobSetup(fixture.tables, store.transactions(), store.migrations()),
        StoreCaller.pooled(store.transactions()),
        fixture.kernel.time(),
        true);
  }

  /** Stores a job under this id in {@code q}. */
  JobStore.Stored enqueue(String id, UnaryOperator<NewJob> change) {
    return fixture.enqueue(change.apply(JobFixture.job(id)));
  }

  List<LeasedJob> reserve(int limit) {
    return fixture.reserve(limit);
  }

  JobStore.Answer ack(LeasedJob job) {
    return hot.settle(List.of(Settlement.Ack.of(job.held())), CALL);
  }

  Job job(String id) {
    return reader.find(id, true, CALL).orElseThrow();
  }

  Instant now() {
    return Instant.ofEpochMilli(manual.nowMs());
  }

  /** So long from now. */
  Instant in(Duration duration) {
    return now().plus(duration);
  }

  void advance(Duration by) {
    manual.advance(by);
  }

  /**
   * A row, in SQL.
   *
   * @param columns further columns, such as {@code status, lease_token}
   * @param values theirs; {@code {now}} is the clock
   */
  void insert(String id, String columns, String values) {
    update(
        "INSERT INTO {jobs} (id, type, queue, payload, created_at%s) VALUES ('%s', 't', 'q', 'x', {now}%s)"
            .formatted(
                columns.isEmpty() ? "" : ", " + columns,
                id,
                values.isEmpty() ? "" : ", " + values));
  }

  /** A dead letter that died so long ago. */
  void insertDead(String id, Duration ago) {
    insert(
        id,
        "status, attempts, last_error, failed_at, dlq_reason, dlq_failed_at, dlq_attempts, dlq_count,"
            + " outcome, last_token, finished_at, deliveries",
        "'dlq', 3, 'boom', {then}, 'failed', {then}, 3, 1, 'failed', 'tok', {then}, 5"
            .replace("{then}", literal(now().minus(ago))));
  }

  void update(String sql) {
    TestDatabase.execute(filled(sql));
  }

  @Nullable String query(String sql) {
    return TestDatabase.query(filled(sql));
  }

  /** A column of a job. */
  @Nullable String column(String column, String id) {
    return query("SELECT %s FROM {jobs} WHERE id = '%s'".formatted(column, id));
  }

  String filled(String sql) {
    return names.sql(sql.replace("{now}", literal(now())));
  }

  /** Until somebody waits for what another transaction does. */
  static void awaitWaiter() {
    Kernel.eventually(
        "somebody waits for another transaction",
        () ->
            !"0"
                .equals(
                    TestDatabase.query(
                        "SELECT count(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")));
  }

  static String literal(Instant instant) {
    return "timestamptz '" + instant + "'";
  }

  @Override
  public void close() {
    if (Long.parseLong(String.valueOf(query("SELECT pg_relation_size('{jobs}')"))) > LARGE) {
      update("TRUNCATE {jobs}");
    }
    fixture.close();
  }
}
