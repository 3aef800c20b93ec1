package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobOptions;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import io.holdfast.testkit.job.JobTestModeContract;
import io.holdfast.testkit.job.JobsTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The modes for tests, on PostgreSQL. */
class PostgresJobTestModeTest extends JobTestModeContract {
  @Override
  protected JobSubject subject(ManualTime time) {
    return new PostgresJobSubject(time);
  }

  @Test
  @Guarantee("W28")
  void inline_a_job_of_a_transaction_runs_after_its_commit() throws SQLException {
    List<String> ran = new ArrayList<>();
    JobTables tables = JobSchemas.take();
    PostgresOptions options =
        PostgresOptions.DEFAULTS
            .withTime(time)
            .withJobTables(tables)
            .withJobs(JobOptions.DEFAULTS.stepped());
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(TestDatabase.url(), options);
        JobsTest test = JobsTest.inline(holdfast.jobs(), time)) {
      test.worker(w -> w.queue(QUEUE).action(TYPE, String.class, (text, context) -> ran.add(text)));
      test.jobs().ping();
      try (Connection connection = TestDatabase.begin()) {
        JobsInTransaction.Enqueue enqueue = holdfast.in(connection).jobs().enqueue(draft("a"));
        assertThat(test.drain()).isZero();
        connection.commit();
        assertThat(ran).isEmpty();

        enqueue.wake();
      }

      assertThat(ran).containsExactly("a");
    }
    JobSchemas.giveBack(tables);
  }
}
