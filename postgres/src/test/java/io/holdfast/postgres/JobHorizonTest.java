package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.LEASE;
import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobRow;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a reserve costs while somebody's open snapshot keeps every dead row: many jobs come, are run
 * and end, and none of what they leave in the indexes can be cleaned up.
 */
@Timeout(180)
class JobHorizonTest {
  private static final int BATCH = 100;

  private JobFixture jobs;
  private Connection pin;
  private int made;

  @BeforeEach
  void open() throws SQLException {
    jobs = JobFixture.manual();
    pin = TestDatabase.begin();
    jobs.update("VACUUM ANALYZE {jobs}");
  }

  @AfterEach
  void close() throws SQLException {
    pin.rollback();
    pin.close();
    jobs.close();
  }

  private void pin() throws SQLException {
    pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    RaceFixture.run(pin, "SELECT count(*) FROM pg_class");
  }

  private List<JobRow> rows(int count, @Nullable Duration delay) {
    return IntStream.range(0, count)
        .mapToObj(i -> JobFixture.row(job("j" + made++).runIn(delay)))
        .toList();
  }

  private void end(List<LeasedJob> leased) {
    jobs.store.settle(leased.stream().map(one -> Settlement.Ack.of(one.held())).toList(), CALL);
  }

  /** Whole lives of jobs without a due time, a second each. */
  private void immediate(int rounds) {
    for (int round = 0; round < rounds; round++) {
      jobs.store.enqueue(rows(BATCH, null), CALL);
      end(jobs.reserve(BATCH));
      jobs.advance(1);
    }
  }

  /** The same, of jobs that are due after a second. */
  private void due(int rounds) {
    for (int round = 0; round < rounds; round++) {
      jobs.store.enqueue(rows(BATCH, Duration.ofSeconds(1)), CALL);
      jobs.advance(1);
      end(jobs.reserve(BATCH));
    }
  }

  /** The same, of jobs that are due after a second and lose their first run. */
  private void expiring(int rounds) {
    for (int round = 0; round < rounds; round++) {
      jobs.store.enqueue(rows(BATCH, Duration.ofSeconds(1)), CALL);
      jobs.advance(1);
      assertThat(jobs.reserve(BATCH)).hasSize(BATCH);
      jobs.advance(LEASE);
      end(jobs.reserve(BATCH));
    }
  }

  /** Pages that a reserve of {@code limit} looks at; what it does is undone. */
  private long pages(int limit, boolean isFloored) throws SQLException {
    Instant floor = isFloored ? jobs.now().minusSeconds(1) : null;
    try (Connection connection = TestDatabase.begin()) {
      RaceFixture.run(connection, "SET LOCAL enable_seqscan = off");
      RaceFixture.run(connection, "SET LOCAL enable_bitmapscan = off");
      String sql =
          "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) "
              + jobs.names().sql(JobReserveSql.RESERVE);
      StringBuilder plan = new StringBuilder();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        Binds.of(statement)
            .now(jobs.manual)
            .integer(limit)
            .number(LEASE.toNanos() / 1000)
            .text("0".repeat(24))
            .text(null)
            .texts(List.of(QUEUE))
            .integers(List.of(limit))
            .integers(List.of(limit))
            .instants(Arrays.asList(floor));
        try (ResultSet lines = statement.executeQuery()) {
          while (lines.next()) {
            plan.append(lines.getString(1)).append('\n');
          }
        }
      }
      connection.rollback();
      return pages(plan.toString());
    }
  }

  private static long pages(String plan) {
    Matcher whole = Pattern.compile("Buffers: shared (.*)").matcher(plan);
    assertThat(whole.find()).as(plan).isTrue();
    Matcher part = Pattern.compile("(hit|read)=(\\d+)").matcher(whole.group(1));
    long pages = 0;
    while (part.find()) {
      pages += Long.parseLong(part.group(2));
    }
    return pages;
  }

  /**
   * What a reserve costs with the floor of a worker that has looked a second ago: one that finds as
   * many as it wants, one that finds fewer; and the first without a floor.
   */
  private record Cost(long full, long scarce, long unfloored) {}

  /** While ten jobs may run, which end then. */
  private Cost cost() throws SQLException {
    Cost cost = new Cost(pages(10, true), pages(20, true), pages(10, false));
    end(jobs.reserve(10));
    return cost;
  }

  private void within(Cost late, Cost early) {
    assertThat(late.full()).isLessThanOrEqualTo(3 * early.full());
    assertThat(late.scarce()).isLessThanOrEqualTo(3 * early.scarce());
  }

  @Test
  @Guarantee("JF15")
  void due_jobs_cost_the_same_after_thousands_of_dead_rows_that_stay() throws SQLException {
    due(1);
    Cost early = waiting();

    pin();
    due(60);

    Cost late = waiting();
    within(late, early);
    assertThat(late.unfloored()).as("what a floor spares").isGreaterThan(2 * late.full());
  }

  /** Ten jobs that have just become due. */
  private Cost waiting() throws SQLException {
    jobs.store.enqueue(rows(10, Duration.ofMillis(500)), CALL);
    jobs.advance(Duration.ofMillis(500));
    return cost();
  }

  @Test
  @Guarantee("JF15")
  void expired_jobs_cost_the_same_after_thousands_of_dead_rows_that_stay() throws SQLException {
    expiring(1);
    Cost early = lost();

    pin();
    expiring(30);

    Cost late = lost();
    within(late, early);
    assertThat(late.unfloored()).as("what a floor spares").isGreaterThan(2 * late.full());
  }

  /** Ten jobs whose lease has just ended. */
  private Cost lost() throws SQLException {
    jobs.store.enqueue(rows(10, Duration.ofMillis(500)), CALL);
    jobs.advance(Duration.ofMillis(500));
    assertThat(jobs.reserve(10)).hasSize(10);
    jobs.advance(LEASE);
    return cost();
  }

  /**
   * Jobs without a due time have no floor: one with a higher priority, or one that was given back,
   * may come before all others. So their dead rows are passed each time, some twenty to a page.
   */
  @Test
  @Guarantee("JF15")
  void immediate_jobs_cost_a_page_for_many_dead_rows_that_stay() throws SQLException {
    immediate(1);
    jobs.store.enqueue(rows(10, null), CALL);
    Cost early = cost();

    pin();
    immediate(50);

    jobs.store.enqueue(rows(10, null), CALL);
    Cost late = cost();
    assertThat(late.full() - early.full()).isLessThanOrEqualTo(made / 12);
    assertThat(late.scarce() - early.scarce()).isLessThanOrEqualTo(made / 6);
  }
}
