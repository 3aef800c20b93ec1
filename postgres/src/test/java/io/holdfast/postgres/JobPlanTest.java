package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobRow;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.lease.Time;
import io.holdfast.postgres.PlanSession.Binder;
import io.holdfast.postgres.PlanSession.Plan;
import io.holdfast.postgres.PlanSession.Source;
import io.holdfast.testkit.Guarantee;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a call reads does not depend on the backlog. Each statement is prepared and used while the
 * table is empty and nobody has analyzed it; then the jobs come.
 */
@Timeout(180)
class JobPlanTest {
  private static final Time TIME = Time.system();
  private static final String PRIMARY_KEY = "th_jobs_pkey";
  private static final String READY = "th_jobs_hf_ready_idx";
  private static final String DUE = "th_jobs_hf_due_idx";
  private static final String LEASE = "th_jobs_hf_lease_idx";
  private static final int LIMIT = 100;
  private static final int ITEMS = 200;

  private final JobFixture jobs = JobFixture.unanalyzed();

  @AfterEach
  void close() {
    jobs.close();
  }

  private String sql(String statement) {
    return jobs.names().sql(statement);
  }

  private static final Binder RESERVE =
      binds -> {
        ReserveRequest request =
            new ReserveRequest(
                List.of(Share.of(QUEUE, LIMIT), Share.of("other", 1)),
                LIMIT,
                ReserveRequest.DEFAULT_LEASE,
                "w");
        JobReserve.bindQueues(JobReserve.bindWish(binds, request, TIME), request);
      };

  /** Jobs of every state, of which the given kinds can be taken now; nobody else may analyze. */
  private void fill(int first, int count, String runAt, String expiresAt) {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status, run_at, lease_token,
                            lease_expires_at, finished_at, dlq_failed_at, idempotency_key)
        SELECT lpad(i::text, 32, '0'), 't', 'q', 'x', now() - interval '1 h', s.status,
               CASE WHEN i % 5 = 1 THEN {run_at} END,
               CASE s.status WHEN 'inflight' THEN 'token' END,
               CASE s.status WHEN 'inflight' THEN {expires_at} END,
               CASE WHEN s.status IN ('done', 'dlq') THEN now() END,
               CASE s.status WHEN 'dlq' THEN now() END, 'k' || i
          FROM generate_series({from}, {to}) AS i
         CROSS JOIN LATERAL (
           SELECT (ARRAY['ready', 'ready', 'inflight', 'done', 'dlq'])[i % 5 + 1]) AS s (status)
        """
            .replace("{run_at}", runAt)
            .replace("{expires_at}", expiresAt)
            .replace("{from}", Integer.toString(first))
            .replace("{to}", Integer.toString(first + count - 1)));
  }

  private void waiting(int first, int count) {
    fill(first, count, "now() + interval '1 h'", "now() + interval '1 h'");
  }

  private void eligible(int first, int count) {
    fill(first, count, "now() - interval '1 min'", "now() - interval '1 min'");
  }

  private void analyze(Source source) {
    if (source == Source.A_USERS) {
      jobs.update("ANALYZE {jobs}");
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  @Guarantee("JP1")
  void a_reserve_reads_three_indexes_at_any_backlog(Source source) throws Exception {
    try (PlanSession session = new PlanSession(source)) {
      String reserve = sql(JobReserveSql.RESERVE);
      session.warm(reserve, RESERVE);
      for (int count : new int[] {1_000, 20_000}) {
        eligible(count, count);
        analyze(source);

        Plan plan = session.run(reserve, RESERVE);

        plan.requireReadBy(3 * (LIMIT + 1), READY, DUE, LEASE);
        assertThat(plan.read.get(READY)).isEqualTo(LIMIT);
        assertThat(plan.read.get(DUE)).isEqualTo(LIMIT);
        assertThat(plan.read.get(LEASE)).isEqualTo(LIMIT);
        assertThat(plan.rows).isEqualTo(LIMIT);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  @Guarantee("JP1")
  void a_reserve_in_vain_reads_no_job_that_is_not_to_be_run(Source source) throws Exception {
    try (PlanSession session = new PlanSession(source)) {
      String reserve = sql(JobReserveSql.RESERVE);
      session.warm(reserve, RESERVE);
      waiting(1, 20_000);
      jobs.update("DELETE FROM {jobs} WHERE status = 'ready' AND run_at IS NULL");
      jobs.update("VACUUM {jobs}");
      analyze(source);

      Plan plan = session.run(reserve, RESERVE);

      // The next due time and the next expiry.
      plan.requireReadBy(2, READY, DUE, LEASE);
      assertThat(plan.rows).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  @Guarantee("JP1")
  void it_does_so_too_when_nothing_was_ready_at_the_last_analyze(Source source) throws Exception {
    waiting(1, 20_000);
    jobs.update("DELETE FROM {jobs} WHERE status <> 'done'");
    jobs.update("VACUUM ANALYZE {jobs}");
    try (PlanSession session = new PlanSession(source)) {
      String reserve = sql(JobReserveSql.RESERVE);
      session.warm(reserve, RESERVE);
      eligible(100_000, 5_000);

      Plan plan = session.run(reserve, RESERVE);

      plan.requireReadBy(3 * (LIMIT + 1), READY, DUE, LEASE);
      assertThat(plan.rows).isEqualTo(LIMIT);
    }
  }

  private static List<String> ids(int first) {
    return IntStream.range(first, first + ITEMS).mapToObj("%032d"::formatted).toList();
  }

  private static <T> List<T> each(T value) {
    return Collections.nCopies(ITEMS, value);
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void an_exchange_reads_its_acks_by_primary_key(Source source) throws Exception {
    ReserveRequest request = ReserveRequest.of(QUEUE, LIMIT);
    Binder exchange =
        binds -> {
          JobReserve.bindWish(binds, request, TIME)
              .texts(ids(1))
              .texts(each("token"))
              .bytes(List.of());
          JobReserve.bindQueues(binds, request);
        };
    try (PlanSession session = new PlanSession(source)) {
      session.warm(sql(JobReserveSql.EXCHANGE), exchange);
      waiting(1, 20_000);
      analyze(source);

      Plan plan = session.run(sql(JobReserveSql.EXCHANGE), exchange);

      plan.requireReadBy(ITEMS + 3 * LIMIT, PRIMARY_KEY, READY, DUE, LEASE);
      assertThat(plan.read.get(PRIMARY_KEY)).isEqualTo(ITEMS);
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void settling_reads_by_primary_key(Source source) throws Exception {
    try (PlanSession session = new PlanSession(source)) {
      for (Settle settle : Settle.values()) {
        session.warm(sql(settle.sql), settle.binder);
      }
      waiting(1, 20_000);
      analyze(source);

      for (Settle settle : Settle.values()) {
        Plan plan = session.run(sql(settle.sql), settle.binder);

        plan.requireReadBy(2 * ITEMS, PRIMARY_KEY);
      }
    }
  }

  /** Statements about jobs that are named. */
  private enum Settle {
    ACK(
        JobSettleSql.ACK,
        binds ->
            binds
                .now(TIME)
                .texts(ids(1))
                .texts(each("token"))
                .bytes(List.of())
                .now(TIME)
                .now(TIME)),
    RETRY(
        JobSettleSql.RETRY,
        binds ->
            binds
                .now(TIME)
                .texts(ids(1))
                .texts(each("token"))
                .instants(List.of())
                .numbers(List.of())
                .texts(each("error"))
                .numbers(List.of())
                .instants(List.of())
                .now(TIME)),
    FAIL(
        JobSettleSql.FAIL,
        binds ->
            binds
                .now(TIME)
                .texts(ids(1))
                .texts(each("token"))
                .texts(each("reason"))
                .texts(each("error"))
                .numbers(List.of())
                .now(TIME)),
    RELEASE(
        JobSettleSql.RELEASE,
        binds -> binds.now(TIME).texts(ids(1)).texts(each("token")).numbers(List.of()).now(TIME)),
    REPORT(
        JobSettleSql.REPORT,
        binds ->
            binds
                .now(TIME)
                .texts(ids(1))
                .texts(each("token"))
                .numbers(each(5L))
                .texts(List.of())
                .bytes(List.of())
                .now(TIME)),
    EXTEND(
        JobSettleSql.EXTEND,
        binds -> binds.now(TIME).number(1_000).texts(ids(1)).texts(each("token")).now(TIME)),
    BEAT(
        JobBeats.BEAT,
        binds ->
            binds
                .number(1_000)
                .now(TIME)
                .text("w")
                .text("host")
                .texts(List.of())
                .texts(List.of())
                .integer(1)
                .texts(ids(1))
                .texts(each("token"))),
    CANCEL(JobCancels.CANCEL, binds -> binds.now(TIME).texts(ids(1))),
    LOOK(JobCancels.LOOK, binds -> binds.texts(ids(1))),
    STANDING(JobSettleSql.STANDING, binds -> binds.now(TIME).texts(ids(1)));

    private final String sql;
    private final Binder binder;

    Settle(String sql, Binder binder) {
      this.sql = sql;
      this.binder = binder;
    }
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void an_enqueue_looks_for_its_keys_by_index(Source source) throws Exception {
    List<JobRow> rows =
        IntStream.range(0, ITEMS)
            .mapToObj(i -> JobFixture.row(job("new" + i).once("k" + i)))
            .toList();
    Binder keyed = binds -> JobInsertSql.bind(binds.now(TIME), rows);
    try (PlanSession session = new PlanSession(source)) {
      session.warm(sql(JobInsertSql.KEYED), keyed);
      waiting(1, 20_000);
      analyze(source);

      Plan plan = session.run(sql(JobInsertSql.KEYED), keyed);

      plan.requireReadBy(ITEMS, "th_jobs_queue_idempotency_key_uniq");
      assertThat(plan.rows).isEqualTo(ITEMS);
    }
  }

  @Test
  void every_statement_is_one_that_the_server_takes() {
    for (String statement :
        List.of(
            JobInsertSql.PLAIN,
            JobInsertSql.FIND,
            JobTransaction.GUARD,
            PostgresJobStore.IS_ACKED)) {
      String numbered = sql(statement);
      for (int i = 1; numbered.contains("?"); i++) {
        numbered = numbered.replaceFirst("\\?", "\\$" + i);
      }
      TestDatabase.execute("PREPARE it AS " + numbered + "; DEALLOCATE it");
    }
  }
}
