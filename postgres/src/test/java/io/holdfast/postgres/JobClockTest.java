package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process whose clock is an hour off that of its database. The database's clock is moved for the
 * process, because that of a JVM cannot be.
 */
@Timeout(120)
class JobClockTest {
  private final String clock = TestDatabase.unique("clock");
  private JobFixture fixture;

  @BeforeEach
  void open() {
    fixture = JobFixture.real();
    TestDatabase.execute("CREATE SCHEMA " + clock);
  }

  @AfterEach
  void close() {
    fixture.close();
    TestDatabase.execute("DROP SCHEMA " + clock + " CASCADE");
  }

  /** A process that meets a clock so far off; statements find it before the real one. */
  private JobNode node(String shift) {
    for (String function : new String[] {"clock_timestamp", "now"}) {
      TestDatabase.execute(
          """
          CREATE FUNCTION {clock}.{function}() RETURNS timestamptz LANGUAGE sql AS
            $$ SELECT pg_catalog.clock_timestamp() + interval '{shift}' $$
          """
              .replace("{clock}", clock)
              .replace("{function}", function)
              .replace("{shift}", shift));
    }
    String path = "options=-c%20search_path=" + clock + ",pg_catalog";
    return new JobNode(fixture, TestDatabase.url(path), options -> options);
  }

  private static NewJob job(String id) {
    return NewJob.of("t").id(id).queue(QUEUE);
  }

  private void assertNear(String column, String shift, String id) {
    String off =
        "abs(extract(epoch FROM %s - clock_timestamp() - interval '%s')) < 60"
            .formatted(column, shift);
    assertThat(fixture.column(id, off)).isEqualTo("t");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 hour", "-1 hour"})
  @Guarantee("JF16")
  void leases_and_due_times_follow_the_databases_clock(String shift) throws Exception {
    try (JobNode node = node(shift)) {
      Duration lease = Duration.ofSeconds(1);
      node.jobs.enqueue(job("now"));
      node.jobs.enqueue(job("later").runIn(Duration.ofMinutes(30)));
      assertNear("created_at", shift, "now");
      assertNear("run_at - interval '30 min'", shift, "later");

      ReserveRequest request = ReserveRequest.of(QUEUE, 2).leaseFor(lease);
      Reserved first = node.jobs.reserve(request);

      assertThat(first.jobs()).extracting(LeasedJob::id).containsExactly("now");
      LeasedJob held = first.jobs().get(0);
      assertThat(held.leaseExpiresAt()).isEqualTo(first.at().plus(lease));
      assertNear("lease_expires_at", shift, "now");
      Reserved second = node.jobs.reserveAsync(request, Duration.ofSeconds(20)).get(30, SECONDS);
      assertThat(second.jobs()).extracting(LeasedJob::fence).containsExactly(2);
      assertThat(second.at()).isAfterOrEqualTo(held.leaseExpiresAt());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 hour", "-1 hour"})
  @Guarantee("JF16")
  void a_worker_keeps_its_leases_and_runs_jobs_when_they_are_due(String shift) throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    Map<String, Long> begun = new ConcurrentHashMap<>();
    try (JobNode node = node(shift);
        JobWorker worker =
            node.jobs
                .worker()
                .queue(QUEUE)
                .lease(Duration.ofSeconds(2))
                .poll(Duration.ofMillis(100))
                .action(
                    "t",
                    String.class,
                    (text, context) -> {
                      runs.merge(context.id(), 1, Integer::sum);
                      begun.put(context.id(), System.nanoTime());
                      RaceFixture.pause(context.id().equals("long") ? 3 : 0);
                    })
                .start()) {
      long enqueued = System.nanoTime();
      node.jobs.enqueue(job("long"));
      node.jobs.enqueue(job("due").runIn(Duration.ofSeconds(1)));
      node.await("done", 2);

      assertThat(runs).isEqualTo(Map.of("long", 1, "due", 1));
      assertThat(begun.get("due") - enqueued).isGreaterThanOrEqualTo(SECONDS.toNanos(1));
      assertThat(worker.stats().refusals()).isEmpty();
      assertNear("finished_at", shift, "long");
    }
  }
}
