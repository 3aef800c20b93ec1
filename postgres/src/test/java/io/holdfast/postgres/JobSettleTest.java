package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.LEASE;
import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.ids;
import static io.holdfast.postgres.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Effects;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.job.WorkerInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How runs end, and what is told while they last. */
@Timeout(60)
class JobSettleTest {
  private final JobFixture jobs = JobFixture.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private List<Held> leased(int count) {
    jobs.enqueue(IntStream.range(0, count).mapToObj(i -> "j" + i).toArray(String[]::new));
    return jobs.reserve(count).stream().map(LeasedJob::held).toList();
  }

  private void keepNothing() {
    jobs.update(
        "INSERT INTO {queues} (queue, done_keep_ms, updated_at) VALUES ('q', 0, now()), ('r', 0, now())");
  }

  @Test
  void an_ack_keeps_the_job_with_its_output() {
    Held held = leased(1).get(0);

    assertThat(jobs.settle(new Settlement.Ack(held, new byte[] {1})).get(0).isOk()).isTrue();

    Job done = jobs.find("j0");
    assertThat(done.state()).isEqualTo(JobState.DONE);
    assertThat(done.lease()).isNull();
    assertThat(done.history().end().output()).containsExactly(1);
    assertThat(done.history().end().finishedAt()).isEqualTo(jobs.now());
    assertThat(jobs.column("j0", "lease_token")).isNull();
    assertThat(jobs.column("j0", "last_token")).isEqualTo(held.token());
    assertThat(jobs.ack(held)).isEqualTo(Settled.repeated("j0"));
  }

  @Test
  void a_queue_that_keeps_nothing_deletes_its_own_jobs_only() {
    keepNothing();
    jobs.enqueue(job("gone"), job("kept").queue("other"));
    Held gone = jobs.reserve().held();
    Held kept = jobs.store.reserve(ReserveRequest.of("other", 1), CALL).jobs().get(0).held();

    List<Settled> settled = jobs.settle(Settlement.Ack.of(gone), Settlement.Ack.of(kept));

    assertThat(settled).containsExactly(Settled.done("gone"), Settled.done("kept"));
    assertThat(jobs.query("SELECT string_agg(id, ',') FROM {jobs}")).isEqualTo("kept");
    assertThat(jobs.ack(gone)).isEqualTo(Settled.refused("gone", JobError.JOB_NOT_INFLIGHT));
  }

  @Test
  void kinds_mixed_in_one_call_are_answered_in_its_order() {
    List<Held> held = leased(6);

    List<Settled> settled =
        jobs.settle(
            Settlement.Fail.of(held.get(5), "bad"),
            Settlement.Ack.of(held.get(3)),
            Settlement.Retry.in(held.get(4), Duration.ofSeconds(5), "boom"),
            new Settlement.Report(held.get(1), 40, "half", new byte[] {7}),
            new Settlement.Release(held.get(2), null),
            Settlement.Ack.of(new Held("j0", "wrong")));

    assertThat(settled).extracting(Settled::id).containsExactly("j5", "j3", "j4", "j1", "j2", "j0");
    assertThat(settled.subList(0, 5)).allMatch(Settled::isOk);
    assertThat(settled.get(5).error()).isEqualTo(JobError.LEASE_MISMATCH);
    assertThat(IntStream.range(0, 6).mapToObj(i -> jobs.find("j" + i).state()))
        .containsExactly(
            JobState.INFLIGHT,
            JobState.INFLIGHT,
            JobState.READY,
            JobState.DONE,
            JobState.SCHEDULED,
            JobState.DLQ);
    Job reported = jobs.find("j1");
    assertThat(reported.progress().percent()).isEqualTo(40);
    assertThat(reported.progress().note()).isEqualTo("half");
    assertThat(reported.progress().checkpoint()).containsExactly(7);
    assertThat(jobs.find("j2").history().excused()).isEqualTo(1);
    assertThat(jobs.find("j4").history().lastError()).isEqualTo("boom");
    assertThat(jobs.find("j5").history().dead()).isEqualTo(new Job.Dead("bad", jobs.now(), 1, 1));
  }

  @Test
  void limit_keys_and_queues_are_told_to_others() {
    jobs.enqueue(job("a").limitedBy("k"), job("b").limitedBy("m"), job("c"), job("d"));
    jobs.update("UPDATE {jobs} SET gate_at = NULL, run_at = NULL");
    List<LeasedJob> leased = jobs.reserve(4);
    Held a = leased.get(0).held();
    Held b = leased.get(1).held();

    Effects effects =
        jobs.store
            .settle(
                List.of(
                    Settlement.Ack.of(a),
                    Settlement.Retry.in(b, null, "x"),
                    Settlement.Retry.in(leased.get(2).held(), Duration.ofSeconds(2), "x"),
                    new Settlement.Release(leased.get(3).held(), Duration.ofMillis(900))),
                CALL)
            .effects();

    assertThat(effects.keys())
        .isEqualTo(Set.of(new QueueKey(QUEUE, "k"), new QueueKey(QUEUE, "m")));
    assertThat(effects.runnable()).isEqualTo(Set.of(QUEUE));
    assertThat(jobs.find("b").state()).isEqualTo(JobState.GATED);
  }

  @Test
  void attempts_do_not_overflow() {
    Held held = leased(1).get(0);
    jobs.update("UPDATE {jobs} SET attempts = 2147483647");

    assertThat(jobs.settle(Settlement.Retry.in(held, null, "x")).get(0).isOk()).isTrue();

    assertThat(jobs.column("j0", "attempts")).isEqualTo("2147483647");
  }

  @Test
  void an_exchange_settles_and_brings_the_next() {
    List<Held> held = leased(3);
    jobs.enqueue("next");

    JobStore.Exchanged exchanged =
        jobs.store.settleAndReserve(
            List.of(
                Settlement.Ack.of(held.get(2)),
                Settlement.Ack.of(new Held("j1", "wrong")),
                Settlement.Ack.of(held.get(0))),
            ReserveRequest.of(QUEUE, 5),
            CALL);

    assertThat(exchanged.answer().settled())
        .containsExactly(
            Settled.done("j2"), Settled.refused("j1", JobError.LEASE_MISMATCH), Settled.done("j0"));
    assertThat(ids(exchanged.reserved())).containsExactly("next");
  }

  @Test
  void an_exchange_forgets_the_expiry_of_what_it_settled() {
    keepNothing();
    List<Settlement.Ack> acks = leased(3).stream().map(Settlement.Ack::of).toList();
    jobs.enqueue(job("later").runIn(Duration.ofMinutes(2)));

    JobStore.Exchanged exchanged =
        jobs.store.settleAndReserve(acks, ReserveRequest.of(QUEUE, 5), CALL);

    assertThat(exchanged.reserved().jobs()).isEmpty();
    assertThat(exchanged.reserved().nextAt()).isEqualTo(jobs.now().plus(Duration.ofMinutes(2)));
    assertThat(jobs.query("SELECT count(*) FROM {jobs}")).isEqualTo("1");
  }

  @Test
  void an_exchange_of_other_kinds_may_bring_the_same_job_back() {
    Held held = leased(1).get(0);

    JobStore.Exchanged exchanged =
        jobs.store.settleAndReserve(
            List.of(Settlement.Retry.in(held, null, "x")), ReserveRequest.of(QUEUE, 5), CALL);

    assertThat(exchanged.answer().settled().get(0).isOk()).isTrue();
    assertThat(ids(exchanged.reserved())).containsExactly("j0");
  }

  @Test
  void an_ack_that_waited_for_a_mere_lock_counts() throws Exception {
    Held held = leased(1).get(0);
    try (Connection open = TestDatabase.begin()) {
      lock(open, "j0");
      CompletableFuture<Settled> ack = CompletableFuture.supplyAsync(() -> jobs.ack(held));
      JobFixture.awaitBlocked(open);
      open.rollback();

      assertThat(ack.get().isOk()).isTrue();
    }
  }

  private void lock(Connection open, String id) throws SQLException {
    TransactionsTest.run(
        open, jobs.names().sql("SELECT 1 FROM {jobs} WHERE id = '" + id + "' FOR UPDATE"));
  }

  @Test
  void an_ack_that_waited_for_a_new_holder_is_refused() throws Exception {
    Held held = leased(1).get(0);
    try (Connection open = TestDatabase.begin()) {
      TransactionsTest.run(open, jobs.names().sql("UPDATE {jobs} SET lease_token = 'new'"));
      CompletableFuture<Settled> ack = CompletableFuture.supplyAsync(() -> jobs.ack(held));
      JobFixture.awaitBlocked(open);
      open.commit();

      assertThat(ack.get().error()).isEqualTo(JobError.LEASE_MISMATCH);
    }
  }

  @Test
  void a_heartbeat_passes_over_rows_that_somebody_works_on() throws Exception {
    List<Held> held = leased(3);
    jobs.advance(10);
    WorkerInfo worker = new WorkerInfo("w", "host", List.of("q"), List.of("t"), 4, null, null);
    try (Connection open = TestDatabase.begin()) {
      lock(open, "j1");

      List<JobStore.Beat> beats =
          jobs.store.beat(
              new JobStore.Heartbeat(
                  worker,
                  List.of(held.get(1), new Held("j2", "wrong"), held.get(0)),
                  Duration.ofSeconds(60)),
              CALL);

      assertThat(beats).extracting(JobStore.Beat::isBusy).containsExactly(true, false, false);
      assertThat(beats.get(0).extended().error()).isNull();
      assertThat(beats.get(0).extended().expiresAt()).isNull();
      assertThat(beats.get(1).extended().error()).isEqualTo(JobError.LEASE_MISMATCH);
      assertThat(beats.get(2).extended().expiresAt()).isEqualTo(jobs.now().plusSeconds(60));
    }
    assertThat(jobs.query("SELECT worker_id || host || slots FROM {workers}")).isEqualTo("whost4");
  }

  @Test
  void a_heartbeat_refreshes_its_worker_and_nothing_else() {
    WorkerInfo worker = new WorkerInfo("w", "host", List.of("q"), List.of("t"), 4, null, null);
    jobs.store.beat(new JobStore.Heartbeat(worker, List.of(), LEASE), CALL);
    jobs.advance(5);
    jobs.store.beat(new JobStore.Heartbeat(worker, List.of(), LEASE), CALL);
    jobs.store.beat(new JobStore.Heartbeat(null, List.of(), LEASE), CALL);

    assertThat(jobs.query("SELECT seen_at - started_at FROM {workers}")).isEqualTo("00:00:05");
  }

  @Test
  void more_time_is_answered_with_the_flag() {
    List<Held> held = leased(2);
    jobs.store.cancel(List.of("j0"), CALL);
    jobs.advance(5);

    List<Extended> extended =
        jobs.store.extend(
            List.of(held.get(1), held.get(0), new Held("none", "x")), Duration.ofSeconds(1), CALL);

    assertThat(extended.get(0).expiresAt()).isEqualTo(jobs.now().plusSeconds(1));
    assertThat(extended.get(0).isCancelRequested()).isFalse();
    assertThat(extended.get(1).isCancelRequested()).isTrue();
    assertThat(extended.get(2).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
  }

  @Test
  void a_cancel_that_waited_for_a_reserve_asks_the_run_to_end() throws Exception {
    jobs.enqueue(job("a"), job("gated").limitedBy("k").runIn(Duration.ofSeconds(3)));
    try (Connection open = TestDatabase.begin()) {
      TransactionsTest.run(
          open,
          jobs.names()
              .sql(
                  "UPDATE {jobs} SET status = 'inflight', lease_token = 't', lease_expires_at = now() WHERE id = 'a'"));
      CompletableFuture<JobStore.Cancellations> cancel =
          CompletableFuture.supplyAsync(
              () -> jobs.store.cancel(List.of("gated", "none", "a"), CALL));
      JobFixture.awaitBlocked(open);
      open.commit();

      assertThat(cancel.get().cancelled())
          .containsExactly(
              new Cancelled("gated", Cancelled.Result.CANCELLED),
              new Cancelled("none", Cancelled.Result.NOT_FOUND),
              new Cancelled("a", Cancelled.Result.REQUESTED));
      assertThat(cancel.get().effects().keys()).containsExactly(new QueueKey(QUEUE, "k"));
    }
    assertThat(jobs.find("a").isCancelRequested()).isTrue();
    assertThat(jobs.find("gated").state()).isEqualTo(JobState.CANCELLED);
    assertThat(jobs.find("gated").spec().runAt()).isEqualTo(jobs.now().plusSeconds(3));
    assertThat(jobs.store.cancel(List.of("gated"), CALL).cancelled().get(0).result())
        .isEqualTo(Cancelled.Result.FINISHED);
  }

  @Test
  void a_run_is_acked_if_its_job_is_done_by_it_or_gone() {
    List<Held> held = leased(2);
    jobs.ack(held.get(0));

    assertThat(jobs.store.isAcked(held.get(0), CALL)).isTrue();
    assertThat(jobs.store.isAcked(new Held("j0", "other"), CALL)).isFalse();
    assertThat(jobs.store.isAcked(held.get(1), CALL)).isFalse();
    assertThat(jobs.store.isAcked(new Held("gone", "x"), CALL)).isTrue();
  }
}
