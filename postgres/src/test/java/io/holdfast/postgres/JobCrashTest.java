package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.postgres.JobVictim.Manner;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers in processes of their own that are killed, or stopped for longer than their lease. */
@Timeout(180)
class JobCrashTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String ALL_ENDED = "SELECT count(*) FROM {jobs} WHERE status <> 'done'";

  private JobFixture jobs;
  private JobNode survivor;
  private final Queue<String> runs = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void open() {
    jobs = JobFixture.real();
    survivor = new JobNode(jobs);
    jobs.update("CREATE TABLE " + jobs.tables.ownSchema() + ".effects (id text NOT NULL)");
  }

  @AfterEach
  void close() {
    jobs.update("DROP TABLE " + jobs.tables.ownSchema() + ".effects");
    survivor.close();
    jobs.close();
  }

  private String effects() {
    return String.valueOf(
        jobs.query(
            "SELECT string_agg(id, ' ' ORDER BY id) FROM " + jobs.tables.ownSchema() + ".effects"));
  }

  /** As if the leases of a process that is gone had lasted until now. */
  private void expire() {
    jobs.update("UPDATE {jobs} SET lease_expires_at = clock_timestamp() WHERE status = 'inflight'");
  }

  /** Another process runs what is left, until nothing is. */
  private void finish() throws Exception {
    try (JobWorker worker =
        survivor
            .jobs
            .worker()
            .queue(QUEUE)
            .poll(Duration.ofMillis(50))
            .action("t", String.class, (text, context) -> runs.add(context.id()))
            .start()) {
      QueueFaultTest.await(() -> "0".equals(jobs.query(ALL_ENDED)));
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  /** Whether the database serves a victim still. */
  private static boolean hasVictim(String how) {
    return "t"
        .equals(
            TestDatabase.query(
                "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'victim' "
                    + how));
  }

  @Test
  @Guarantee("JF5")
  void a_process_killed_in_a_handler_loses_neither_that_job_nor_those_not_started()
      throws Exception {
    jobs.enqueue("a", "b", "c", "d");
    try (JobVictim victim = JobVictim.start(jobs, Manner.WAITS, LEASE, 2)) {
      victim.hear("running");
      victim.hear("running");
      QueueFaultTest.await(() -> survivor.count("inflight") >= 2);
      victim.kill();
    }
    expire();

    finish();

    assertThat(runs).containsExactlyInAnyOrder("a", "b", "c", "d");
    assertThat(jobs.query("SELECT max(deliveries) || '' || max(attempts) FROM {jobs}"))
        .isEqualTo("20");
  }

  @Test
  @Guarantee("JF5")
  void a_process_killed_after_its_effect_leaves_a_job_that_runs_again() throws Exception {
    jobs.enqueue("a");
    try (JobVictim victim = JobVictim.start(jobs, Manner.ACTS, LEASE, 1)) {
      victim.hear("acted");
      victim.kill();
    }
    expire();

    finish();

    assertThat(effects()).isEqualTo("a");
    assertThat(runs).containsExactly("a");
    assertThat(jobs.column("a", "outcome || deliveries")).isEqualTo("succeeded2");
  }

  @Test
  @Guarantee("JF5")
  void a_process_killed_in_an_ack_batch_has_acked_jobs_or_leaves_them() throws Exception {
    jobs.enqueue("a", "b", "c");
    try (JobVictim victim = JobVictim.start(jobs, Manner.ACTS, LEASE, 3);
        Connection lock = TestDatabase.begin()) {
      for (int i = 0; i < 3; i++) {
        victim.hear("acted");
      }
      RaceFixture.run(lock, jobs.names().sql("SELECT id FROM {jobs} WHERE id = 'b' FOR UPDATE"));
      victim.goOn();
      QueueFaultTest.await(() -> hasVictim("AND wait_event_type = 'Lock'"));
      victim.kill();
      lock.rollback();
      QueueFaultTest.await(() -> !hasVictim(""));
    }
    expire();

    finish();

    assertThat(effects()).isEqualTo("a b c");
    assertThat(runs).doesNotHaveDuplicates();
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE outcome = 'succeeded'"))
        .isEqualTo("3");
    String again =
        jobs.query("SELECT string_agg(id, ' ' ORDER BY id) FROM {jobs} WHERE deliveries = 2");
    assertThat(String.join(" ", runs.stream().sorted().toList()))
        .isEqualTo(again == null ? "" : again);
  }

  @Test
  @Guarantee("JF5")
  void a_job_that_kills_its_worker_is_dead_after_as_many_deliveries_as_its_queue_allows()
      throws Exception {
    int limit = 4;
    survivor.jobs.queues().configure(JobQueueConfig.of(QUEUE).deliveryLimit(limit));
    jobs.enqueue("a");

    for (int died = 1; died <= limit; died++) {
      try (JobVictim victim = JobVictim.start(jobs, Manner.DIES, LEASE, 1)) {
        victim.awaitEnd();
      }
      assertThat(jobs.column("a", "status || deliveries")).isEqualTo("inflight" + died);
      expire();
    }

    assertThat(survivor.jobs.reserve(ReserveRequest.of(QUEUE, 1)).jobs()).isEmpty();
    assertThat(
            jobs.column("a", "status || '/' || dlq_reason || '/' || deliveries || '/' || attempts"))
        .isEqualTo("dlq/delivery limit/" + limit + "/0");
  }

  @Test
  @Guarantee("JF5")
  void a_job_is_dead_after_exactly_twenty_deliveries_without_an_outcome() {
    try (JobFixture manual = JobFixture.manual()) {
      manual.enqueue(job("a"));

      for (int delivery = 1; delivery <= 20; delivery++) {
        LeasedJob lost = manual.reserve();
        assertThat(lost.fence()).isEqualTo(delivery);
        manual.advance(JobFixture.LEASE);
      }

      assertThat(manual.reserve(1)).isEmpty();
      assertThat(manual.column("a", "status || dlq_reason")).isEqualTo("dlqdelivery limit");
      assertThat(manual.column("a", "last_error")).contains("20 deliveries");
    }
  }

  @Test
  @Guarantee("JF6")
  void a_process_that_was_stopped_for_longer_than_its_lease_can_no_longer_complete()
      throws Exception {
    jobs.enqueue("a");
    try (JobVictim victim = JobVictim.start(jobs, Manner.COMPLETES, Duration.ofSeconds(2), 1)) {
      victim.hear("running");
      victim.signal("STOP");
      finish();

      victim.signal("CONT");

      assertThat(victim.hear("interrupted")).isEqualTo("LEASE_LOST");
      victim.goOn();
      assertThat(victim.hear("refused")).isEqualTo("JOB_NOT_INFLIGHT");
    }
    assertThat(effects()).isEqualTo("null");
    assertThat(runs).containsExactly("a");
    assertThat(jobs.column("a", "outcome || deliveries")).startsWith("succeeded");
  }
}
