package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobParts;
import io.holdfast.job.JobParts.Part;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * What lists, counts, admission and upkeep read does not depend on how much there is. Statements
 * are warm before the table grows, and nobody analyses it.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobAdminPlanTest {
  private static final int MANY = 12_000;

  /** What this transaction did to the table so far. */
  private static final String READ =
      """
      SELECT seq_scan, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
        FROM pg_stat_xact_all_tables WHERE schemaname = ? AND relname = 'th_jobs'
      """;

  private final JobStage jobs = JobStage.unanalyzed();
  private final Connection session = connect();

  /** One whose statements are planned once, without knowing their parameters. */
  private static Connection connect() {
    try {
      Connection connection =
          new PgSource(
                  ConnectionString.parse(TestDatabase.url("prepareThreshold=1")),
                  Duration.ofSeconds(10))
              .getConnection();
      TransactionsTest.run(connection, "SET plan_cache_mode = force_generic_plan");
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @AfterAll
  void close() throws SQLException {
    session.close();
    jobs.close();
  }

  @BeforeAll
  void fill() throws SQLException {
    for (Statement statement : all()) {
      read(statement);
    }
    many();
  }

  /** Every state, and another queue of the same size. */
  private void many() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status, run_at, gate_at, limit_key,
                            lease_token, lease_expires_at, finished_at, dlq_failed_at, outcome)
        SELECT p.part || lpad(i::text, 6, '0') || p.queue, 't', p.queue, '', {now},
               CASE p.part WHEN 'run' THEN 'inflight' WHEN 'dlq' THEN 'dlq' WHEN 'done' THEN 'done' ELSE 'ready' END,
               CASE p.part WHEN 'due' THEN {now} - i * interval '1 ms'
                           WHEN 'later' THEN {now} + i * interval '1 ms'
                           WHEN 'gated' THEN timestamptz '9999-12-31 23:59:59.999999+00' END,
               CASE WHEN p.part = 'gated' THEN {now} - i * interval '1 ms' END,
               CASE WHEN p.part = 'gated' THEN 'k' || i % 4 WHEN p.part = 'ready' AND i < 50 THEN 'k0' END,
               CASE WHEN p.part = 'run' THEN 'x' END,
               CASE WHEN p.part = 'run' THEN {now} + i * interval '1 ms' END,
               CASE WHEN p.part = 'done' THEN {now} - i * interval '1 s' END,
               CASE WHEN p.part = 'dlq' THEN {now} - i * interval '1 s' END,
               CASE WHEN p.part = 'done' AND i % 2 = 0 THEN 'cancelled' END
          FROM generate_series(1, {n}) AS i,
               (VALUES ('ready', 'q'), ('due', 'q'), ('later', 'q'), ('gated', 'q'), ('run', 'q'), ('dlq', 'q'),
                       ('done', 'q'), ('ready', 'r'), ('done', 'r')) AS p (part, queue)
        """
            .replace("{n}", Integer.toString(MANY)));
    jobs.update("INSERT INTO {limits} (queue, limit_key, max_running) VALUES ('q', '*', 100)");
  }

  @FunctionalInterface
  private interface Bound {
    void to(Binds binds) throws SQLException;
  }

  private record Statement(String name, String sql, Bound bound) {}

  private List<Statement> all() {
    List<Statement> all = new ArrayList<>();
    for (Part part : Part.values()) {
      all.add(page(part, null));
    }
    all.add(stats());
    all.add(retain());
    all.add(adopt());
    all.add(admit());
    all.add(waiting());
    all.add(forgetKeys());
    all.add(queues());
    all.add(facts("ready000050q"));
    return all;
  }

  private Statement page(Part part, JobParts.@Nullable Position after) {
    JobParts.Request request = new JobParts.Request("q", part, null, 50, after);
    return new Statement(
        part.name(), JobPages.sql(part), binds -> JobPages.bind(binds.now(jobs.manual), request));
  }

  private Statement stats() {
    return new Statement("stats", JobCounts.STATS, b -> b.now(jobs.manual).text("q"));
  }

  private Statement retain() {
    return new Statement(
        "retain", PostgresJobUpkeep.RETAIN, b -> b.at(jobs.in(Duration.ofDays(2))).text(""));
  }

  private Statement retainNothing() {
    return new Statement(
        "retain", PostgresJobUpkeep.RETAIN, b -> b.at(jobs.now().minusSeconds(MANY)).text(""));
  }

  private Statement forgetKeys() {
    return new Statement("forget keys", PostgresJobUpkeep.FORGET_KEYS, b -> b.text("").text(""));
  }

  private Statement adopt() {
    return new Statement("adopt", PostgresJobUpkeep.ADOPT, b -> b.now(jobs.manual));
  }

  private Statement admit() {
    return new Statement(
        "admit",
        JobAdmission.ADMIT,
        b -> b.now(jobs.manual).texts(List.of("q", "q")).texts(List.of("k0", "k1")));
  }

  private Statement waiting() {
    return new Statement(
        "waiting", JobAdmission.WAITING, b -> b.now(jobs.manual).text("").text("").integer(200));
  }

  private Statement queues() {
    return new Statement("queues", JobQueueRows.ALL, b -> {});
  }

  private Statement facts(String id) {
    return new Statement("facts", JobFacts.FACTS, b -> b.now(jobs.manual).text(id));
  }

  /** What a statement reads. */
  private record Cost(long seqScans, long rows) {}

  /** Runs a statement; what it changed is undone. */
  private Cost read(Statement statement) throws SQLException {
    try (PreparedStatement prepared = prepare(statement.sql(), statement);
        PreparedStatement cost = session.prepareStatement(READ)) {
      Cost before = read(cost);
      prepared.execute();
      Cost after = read(cost);
      return new Cost(after.seqScans() - before.seqScans(), after.rows() - before.rows());
    } finally {
      session.rollback();
    }
  }

  private PreparedStatement prepare(String sql, Statement statement) throws SQLException {
    PreparedStatement prepared = session.prepareStatement(jobs.names.sql(sql));
    statement.bound().to(Binds.of(prepared));
    return prepared;
  }

  private Cost read(PreparedStatement cost) throws SQLException {
    cost.setString(1, jobs.schema);
    try (ResultSet row = cost.executeQuery()) {
      row.next();
      return new Cost(row.getLong(1), row.getLong(2));
    }
  }

  /** How the server would run a statement. */
  private String plan(Statement statement) throws SQLException {
    StringBuilder plan = new StringBuilder(statement.name());
    try (PreparedStatement explain = prepare("EXPLAIN (COSTS OFF) " + statement.sql(), statement);
        ResultSet rows = explain.executeQuery()) {
      while (rows.next()) {
        plan.append('\n').append(rows.getString(1));
      }
    }
    session.rollback();
    return plan.toString();
  }

  private void requireFew(Statement statement, long most) throws SQLException {
    Cost cost = read(statement);
    String plan = plan(statement);

    assertThat(cost.seqScans()).as(plan).isZero();
    assertThat(cost.rows()).as(plan).isLessThanOrEqualTo(most);
  }

  @Test
  void a_page_reads_one_row_more_than_it_shows_wherever_it_begins() throws SQLException {
    Instant middle = jobs.now().minusMillis(MANY / 2);
    for (Part part : Part.values()) {
      boolean isHalf = part == Part.SUCCEEDED || part == Part.CANCELLED;

      requireFew(page(part, null), isHalf ? 102 : 51);
      assertThat(plan(page(part, null))).doesNotContain("Sort");
    }
    requireFew(page(Part.DUE, new JobParts.Position(middle, null, "x")), 51);
    requireFew(
        page(Part.SCHEDULED, new JobParts.Position(jobs.in(Duration.ofSeconds(9)), null, "x")), 51);
    requireFew(page(Part.GATED, new JobParts.Position(middle, "k2", "x")), 51);
    requireFew(
        page(Part.FINISHED, new JobParts.Position(jobs.now().minusSeconds(9_000), null, "x")), 51);
    requireFew(page(Part.READY, new JobParts.Position(jobs.now(), null, "ready006000q")), 51);
  }

  @Test
  void stats_read_no_more_than_they_count() throws SQLException {
    requireFew(stats(), 7 * 10_001 + 3 + 2 * 130);
  }

  @Test
  void upkeep_reads_what_it_works_on_and_one_row_per_queue() throws SQLException {
    assertThat(plan(adopt())).doesNotContain("Sort");
    requireFew(adopt(), 2);
    requireFew(retain(), 2 + 2 * 1_000);
    requireFew(retainNothing(), 2);
  }

  @Test
  void admission_reads_the_slots_of_a_key_and_who_passes() throws SQLException {
    requireFew(admit(), 49 + 51 * 2 + 100 * 2);
    requireFew(waiting(), 4 + 49);
    jobs.update("INSERT INTO {keys} (queue, limit_key) VALUES ('q', 'k0'), ('q', 'idle')");
    requireFew(forgetKeys(), 1);
  }

  @Test
  void queues_are_found_by_leaps() throws SQLException {
    requireFew(queues(), 2);
  }

  @Test
  void facts_count_those_ahead_to_a_thousand() throws SQLException {
    requireFew(facts("ready010000q"), 1 + 20 + 1_000);
    requireFew(facts("due000001q"), 1 + 20 + 1_000 + 10_000);
  }
}
