package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobState;
import io.holdfast.lease.Time;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A table that TaskHarbor filled is taken over with everything in it, while it is in use. */
@Timeout(120)
class JobAdoptionTest {
  /** Where the tables are that TaskHarbor does not have. */
  private static final String OWN = TestDatabase.unique("own");

  private static final String TABLE =
      """
      CREATE TABLE {s}.th_jobs (
        id text PRIMARY KEY, type text NOT NULL, queue text NOT NULL, payload bytea NOT NULL,
        run_at timestamptz, timeout_nanos bigint NOT NULL DEFAULT 0 CHECK (timeout_nanos >= 0),
        created_at timestamptz NOT NULL, attempts int NOT NULL DEFAULT 0 CHECK (attempts >= 0),
        max_attempts int NOT NULL DEFAULT 0 CHECK (max_attempts >= 0),
        last_error text NOT NULL DEFAULT '', failed_at timestamptz,
        status text NOT NULL DEFAULT 'ready' CHECK (status IN ('ready', 'inflight', 'dlq', 'done')),
        lease_token text, lease_expires_at timestamptz, dlq_reason text, dlq_failed_at timestamptz{more});
      CREATE TABLE {s}.th_schema_migrations (
        version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
      """;

  private static final String CHECKS =
      """
      , idempotency_key text,
        CONSTRAINT th_jobs_inflight_requires_lease_chk CHECK
          (status <> 'inflight' OR (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)),
        CONSTRAINT th_jobs_non_inflight_has_no_lease_chk CHECK
          (status = 'inflight' OR (lease_token IS NULL AND lease_expires_at IS NULL)),
        CONSTRAINT th_jobs_lease_pair_chk CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
        CONSTRAINT th_jobs_dlq_requires_metadata_chk CHECK
          (status <> 'dlq' OR dlq_failed_at IS NOT NULL),
        CONSTRAINT th_jobs_queue_idempotency_key_uniq UNIQUE (queue, idempotency_key)""";

  private static final String OLD_INDEXES =
      """
      CREATE INDEX th_jobs_ready_immediate_idx ON {s}.th_jobs (queue, created_at, id)
        WHERE status = 'ready' AND run_at IS NULL;
      CREATE INDEX th_jobs_ready_scheduled_idx ON {s}.th_jobs (queue, run_at, created_at, id)
        WHERE status = 'ready' AND run_at IS NOT NULL;
      CREATE INDEX th_jobs_inflight_expired_idx ON {s}.th_jobs (queue, lease_expires_at, created_at, id)
        WHERE status = 'inflight';
      INSERT INTO {s}.th_schema_migrations (version)
      VALUES ('001_init.sql'), ('002_idempotency.sql'), ('003_indexes.sql')
      """;

  private static final String ROWS =
      """
      INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at, status, lease_token, lease_expires_at,
                               dlq_failed_at, attempts, run_at)
      VALUES ('a', 'mail', 'q', 'one', '2025-01-01', 'ready', NULL, NULL, NULL, 0, NULL),
             ('b', 'mail', 'q', 'two', '2025-01-02', 'ready', NULL, NULL, NULL, 2, '2999-01-01'),
             ('c', 'mail', 'q', '', '2025-01-03', 'inflight', 'tok', '2999-01-01', NULL, 0, NULL),
             ('d', 'mail', 'q', '', '2025-01-04', 'dlq', NULL, NULL, '2025-02-01', 1, NULL),
             ('e', 'mail', 'q', '', '2025-01-05', 'done', NULL, NULL, NULL, 0, NULL);
      """;

  private final String schema = TestDatabase.unique("th");
  private final List<PostgresStore> stores = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    threads.shutdownNow();
    stores.forEach(PostgresStore::close);
    execute("DROP SCHEMA {s} CASCADE");
  }

  private void execute(String sql) {
    TestDatabase.execute(sql.replace("{s}", schema));
  }

  private @Nullable String query(String sql) {
    return TestDatabase.query(sql.replace("{s}", schema));
  }

  /** The table as TaskHarbor's last version makes it. */
  private void lastVersion() {
    execute("CREATE SCHEMA {s};" + TABLE.replace("{more}", CHECKS) + ";" + OLD_INDEXES);
    execute(ROWS);
  }

  /** The table as its first version made it, without keys, and with leases that nobody cleared. */
  private void firstVersion() {
    execute("CREATE SCHEMA {s};" + TABLE.replace("{more}", ""));
    execute("INSERT INTO {s}.th_schema_migrations (version) VALUES ('001_init.sql')");
    execute(ROWS);
    execute(
        "UPDATE {s}.th_jobs SET lease_token = 'old', lease_expires_at = now() WHERE id IN ('a', 'e')");
  }

  /** A process that uses the table for the first time. */
  private JobKernel process() {
    PostgresStore store = JobStage.store();
    stores.add(store);
    JobSetup setup =
        new JobSetup(new JobTables(schema, OWN), store.transactions(), store.migrations());
    return new JobKernel(setup, StoreCaller.pooled(store.transactions()), Time.system(), true);
  }

  private PostgresJobReader adopt() {
    JobKernel kernel = process();
    kernel.setup().ensure(CALL);
    return new PostgresJobReader(kernel);
  }

  /** Everything the catalogue says about a table of jobs. */
  private static @Nullable String shape(String schema) {
    return TestDatabase.query(
            """
        SELECT (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
                         || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), ''), E'\\n'
                         ORDER BY a.attname)
                  FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d
                    ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                 WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped)
            || (SELECT string_agg(c.conname || ' ' || c.convalidated || ' ' || pg_get_constraintdef(c.oid), E'\\n'
                         ORDER BY c.conname)
                  FROM pg_constraint AS c WHERE c.conrelid = t.oid AND c.contype <> 'n')
            || (SELECT string_agg(pg_get_indexdef(i.indexrelid) || i.indisvalid, E'\\n' ORDER BY c.relname)
                  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = t.oid)
            || t.reloptions::text
            || (SELECT string_agg(version, ' ' ORDER BY version) FROM {s}.th_schema_migrations)
          FROM pg_class AS t WHERE t.oid = '{s}.th_jobs'::regclass
        """
                .replace("{s}", schema))
        .replace(schema + ".", "");
  }

  private static @Nullable String freshShape() {
    try (JobStage fresh = JobStage.manual()) {
      return shape(fresh.schema);
    }
  }

  private void requireComplete() {
    assertThat(shape(schema)).isEqualTo(freshShape());
  }

  @Test
  @Guarantee({"JP5", "JF23"})
  void its_rows_are_ours_and_the_table_becomes_like_one_that_we_made() {
    lastVersion();

    PostgresJobReader reader = adopt();

    requireComplete();
    assertThat(query("SELECT count(*) FROM {s}.th_jobs")).isEqualTo("5");
    Job first = reader.find("a", true, CALL).orElseThrow();
    assertThat(first.state()).isEqualTo(JobState.READY);
    assertThat(first.spec().payload()).asString().isEqualTo("one");
    assertThat(first.spec().priority()).isZero();
    assertThat(reader.find("b", false, CALL).orElseThrow().state()).isEqualTo(JobState.SCHEDULED);
    assertThat(reader.find("c", false, CALL).orElseThrow().state()).isEqualTo(JobState.INFLIGHT);
    assertThat(reader.find("d", false, CALL).orElseThrow().state()).isEqualTo(JobState.DLQ);
    assertThat(reader.find("e", false, CALL).orElseThrow().state()).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee({"JP5", "JF23"})
  void a_table_of_its_first_version_gets_keys_checks_and_indexes() {
    firstVersion();

    PostgresJobReader reader = adopt();

    requireComplete();
    assertThat(
            query(
                "SELECT string_agg(id, ' ' ORDER BY id) FROM {s}.th_jobs WHERE lease_token IS NOT NULL"))
        .isEqualTo("c");
    assertThat(reader.find("a", true, CALL).orElseThrow().spec().payload())
        .asString()
        .isEqualTo("one");
  }

  @Test
  @Guarantee("JP6")
  void the_migration_of_taskharbor_finds_its_three_steps() {
    firstVersion();

    adopt();

    assertThat(
            query("SELECT string_agg(version, ' ' ORDER BY version) FROM {s}.th_schema_migrations"))
        .isEqualTo("001_init.sql 002_idempotency.sql 003_indexes.sql");
    assertThat(
            query(
                "INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at, idempotency_key)"
                    + " VALUES ('x', 't', 'q', '', now(), 'k')"
                    + " ON CONFLICT (queue, idempotency_key) DO UPDATE SET id = {s}.th_jobs.id RETURNING id"))
        .isEqualTo("x");
  }

  @Test
  void a_complete_table_is_left_alone() {
    lastVersion();
    adopt();
    String before =
        query("SELECT xmin || ' ' || ctid::text FROM pg_class WHERE oid = '{s}.th_jobs'::regclass");

    adopt();

    assertThat(
            query(
                "SELECT xmin || ' ' || ctid::text FROM pg_class WHERE oid = '{s}.th_jobs'::regclass"))
        .isEqualTo(before);
  }

  @Test
  @Guarantee("JF23")
  void duplicate_keys_stop_it_before_anything_is_built_and_the_first_ten_are_named() {
    execute("CREATE SCHEMA {s};" + TABLE.replace("{more}", ", idempotency_key text"));
    execute(
        """
        INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at, idempotency_key)
        SELECT i || ' ' || n, 't', 'q', '', now(), 'k' || lpad(i::text, 2, '0')
          FROM generate_series(1, 12) AS i, generate_series(1, 2) AS n
        """);

    JobException refusal = catchThrowableOfType(JobException.class, this::adopt);

    assertThat(refusal.error()).isEqualTo(JobError.INVALID_ARGUMENT);
    assertThat(refusal)
        .hasMessageContaining("'k01' in 'q' (2 rows)")
        .hasMessageContaining("'k10'")
        .hasMessageNotContaining("'k11'");
    assertThat(
            query(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = '{s}' AND tablename = 'th_jobs'"))
        .isEqualTo("1");
    assertThat(query("SELECT count(*) FROM {s}.th_schema_migrations")).isEqualTo("0");

    execute("DELETE FROM {s}.th_jobs WHERE id LIKE '% 2'");
    adopt();
    requireComplete();
  }

  @Test
  @Guarantee("JF23")
  void two_starters_at_once_both_end_well() throws Exception {
    for (int round = 0; round < 2; round++) {
      firstVersion();
      execute(
          """
          INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at)
          SELECT 'r' || i, 't', 'q', '', now() FROM generate_series(1, 2000) AS i
          """);
      int starters = 3;
      CyclicBarrier together = new CyclicBarrier(starters);
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < starters; i++) {
        JobKernel kernel = process();
        ends.add(
            threads.submit(
                () -> {
                  together.await();
                  return kernel.setup().ensure(CALL);
                }));
      }

      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }

      requireComplete();
      execute("DROP SCHEMA {s} CASCADE");
    }
    execute("CREATE SCHEMA {s}");
  }

  @Test
  void what_a_killed_build_left_behind_is_dropped_and_built_again() throws SQLException {
    lastVersion();
    killedBuild("CREATE INDEX CONCURRENTLY th_jobs_hf_dlq_idx ON {s}.th_jobs (queue)");
    execute("ALTER TABLE {s}.th_jobs DROP CONSTRAINT th_jobs_queue_idempotency_key_uniq");
    killedBuild(
        "CREATE UNIQUE INDEX CONCURRENTLY th_jobs_queue_idempotency_key_uniq"
            + " ON {s}.th_jobs (queue, idempotency_key)");
    assertThat(
            query(
                "SELECT count(*) FROM pg_index WHERE indrelid = '{s}.th_jobs'::regclass AND NOT indisvalid"))
        .isEqualTo("2");

    adopt();

    requireComplete();
  }

  /** Somebody who uses the table keeps the build waiting until its patience ends. */
  private void killedBuild(String sql) throws SQLException {
    try (Connection user = TestDatabase.begin();
        Statement use = user.createStatement();
        Connection builder = TestDatabase.connect();
        Statement build = builder.createStatement()) {
      use.execute(
          "UPDATE {s}.th_jobs SET attempts = attempts WHERE id = 'a'".replace("{s}", schema));
      build.execute("SET statement_timeout = '300ms'");
      catchThrowableOfType(SQLException.class, () -> build.execute(sql.replace("{s}", schema)));
      user.rollback();
    }
  }

  @Test
  void a_start_after_any_step_goes_on_from_there() {
    lastVersion();
    adopt();
    List<String> setbacks =
        List.of(
            "DELETE FROM {s}.th_schema_migrations WHERE version = '003_indexes.sql'",
            "DROP TABLE {s}.th_schema_migrations",
            "CREATE INDEX th_jobs_ready_immediate_idx ON {s}.th_jobs (queue)",
            "DROP INDEX {s}.th_jobs_hf_held_idx",
            "ALTER TABLE {s}.th_jobs DROP CONSTRAINT th_jobs_queue_idempotency_key_uniq",
            "ALTER TABLE {s}.th_jobs DROP CONSTRAINT th_jobs_queue_idempotency_key_uniq;"
                + " CREATE UNIQUE INDEX th_jobs_queue_idempotency_key_uniq"
                + " ON {s}.th_jobs (queue, idempotency_key)",
            "ALTER TABLE {s}.th_jobs DROP CONSTRAINT th_jobs_lease_pair_chk",
            "ALTER TABLE {s}.th_jobs DROP CONSTRAINT th_jobs_lease_pair_chk, ADD CONSTRAINT"
                + " th_jobs_lease_pair_chk CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)) NOT VALID",
            "ALTER TABLE {s}.th_jobs DROP COLUMN output");
    for (String setback : setbacks) {
      execute(setback);

      adopt();

      assertThat(shape(schema)).as(setback).isEqualTo(freshShape());
    }
  }

  @Test
  void clients_work_on_the_table_meanwhile() throws Exception {
    lastVersion();
    execute(
        """
        INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at)
        SELECT 'r' || i, 't', 'q', '', now() FROM generate_series(1, 5000) AS i
        """);
    Future<Integer> client =
        threads.submit(
            () -> {
              int done = 0;
              try (Connection connection = TestDatabase.connect();
                  Statement statement = connection.createStatement()) {
                while (!Thread.currentThread().isInterrupted() && done < 100_000) {
                  statement.execute(
                      """
                      INSERT INTO {s}.th_jobs (id, type, queue, payload, created_at, idempotency_key)
                      VALUES ('n{n}', 't', 'q', '', now(), 'k{n}')
                      ON CONFLICT (queue, idempotency_key) DO UPDATE SET id = {s}.th_jobs.id
                      """
                          .replace("{s}", schema)
                          .replace("{n}", Integer.toString(done)));
                  done++;
                  if (query(
                          "SELECT count(*) FROM pg_indexes WHERE indexname = 'th_jobs_inflight_expired_idx' AND schemaname = '{s}'")
                      .equals("0")) {
                    return done;
                  }
                }
              }
              return done;
            });

    adopt();

    int done = client.get(30, TimeUnit.SECONDS);
    requireComplete();
    assertThat(query("SELECT count(*) FROM {s}.th_jobs WHERE id LIKE 'n%'"))
        .isEqualTo(Integer.toString(done));
  }
}
