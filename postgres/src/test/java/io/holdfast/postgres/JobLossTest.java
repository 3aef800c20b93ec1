package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.QUEUE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.job.Backoff;
import io.holdfast.job.Enqueued;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.job.Unrecoverable;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of the database that are lost after its commit, and rows that go between two looks. */
@Timeout(120)
class JobLossTest {
  private static final String ENQUEUE = "ON CONFLICT (queue, idempotency_key) DO NOTHING";
  private static final String RESERVE = "found AS MATERIALIZED";
  private static final String ACK = "acks AS MATERIALIZED";
  private static final String RETRY = "CASE WHEN j.cancel_requested THEN 'done' ELSE 'ready' END";
  private static final String FAIL = "SET status = 'dlq'";

  /** With the end of its text: as a word it is part of an isolation level too. */
  private static final String COMMIT = "COMMIT\0";

  private static final String FIND = "AS g (queue, key, n)";

  private JobFixture fixture;
  private TcpProxy proxy;
  private JobNode node;

  @BeforeEach
  void open() throws Exception {
    fixture = JobFixture.real();
    proxy = JobNode.proxy();
    node = JobNode.behind(fixture, proxy);
  }

  @AfterEach
  void close() {
    node.close();
    proxy.close();
    fixture.close();
  }

  private static NewJob job(String id) {
    return NewJob.of("t").id(id).queue(QUEUE);
  }

  private LeasedJob leased() {
    node.jobs.enqueue(job("a"));
    return node.jobs.reserve(ReserveRequest.of(QUEUE, 1)).jobs().get(0);
  }

  /** Makes a call whose answer is lost. */
  private void lose(String statement, ThrowingCallable call) throws Exception {
    CompletableFuture<byte[]> lost = proxy.swallowNextAnswer(statement);
    JobException failure = catchThrowableOfType(JobException.class, call);
    lost.get(20, SECONDS);
    assertThat(failure.error()).isEqualTo(JobError.STORE_UNAVAILABLE);
    assertThat(failure.isOutcomeUnknown()).isTrue();
  }

  private Settled settle(Settlement item) {
    return node.jobs.settle(List.of(item)).get(0);
  }

  @Test
  @Guarantee("JF4")
  void an_ack_whose_answer_was_lost_is_repeated_with_success() throws Exception {
    Settlement ack = Settlement.Ack.of(leased().held());

    lose(ACK, () -> settle(ack));

    assertThat(fixture.column("a", "status")).isEqualTo("done");
    String finished = fixture.column("a", "finished_at");
    assertThat(settle(ack)).isEqualTo(Settled.repeated("a"));
    assertThat(fixture.column("a", "finished_at")).isEqualTo(finished);
  }

  @Test
  @Guarantee("JF4")
  void a_failure_whose_answer_was_lost_is_repeated_with_success() throws Exception {
    Settlement fail = Settlement.Fail.of(leased().held(), "broken");

    lose(FAIL, () -> settle(fail));

    assertThat(settle(fail)).isEqualTo(Settled.repeated("a"));
    assertThat(fixture.column("a", "status || dlq_reason || dlq_count || attempts"))
        .isEqualTo("dlqbroken11");
  }

  @Test
  @Guarantee("JF4")
  void a_retry_whose_answer_was_lost_is_not_made_twice() throws Exception {
    Settlement retry = Settlement.Retry.in(leased().held(), Duration.ofHours(1), "oops");

    lose(RETRY, () -> settle(retry));

    assertThat(settle(retry).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(fixture.column("a", "status || attempts || last_error")).isEqualTo("ready1oops");
  }

  @Test
  @Guarantee("JF4")
  void a_batch_of_all_kinds_whose_commit_was_not_answered_is_repeated() throws Exception {
    node.jobs.enqueue(List.of(job("a"), job("b"), job("c")));
    List<LeasedJob> leased = node.jobs.reserve(ReserveRequest.of(QUEUE, 3)).jobs();
    List<Settlement> items =
        List.of(
            Settlement.Ack.of(leased.get(0).held()),
            Settlement.Fail.of(leased.get(1).held(), "broken"),
            Settlement.Retry.in(leased.get(2).held(), Duration.ofHours(1), "oops"));

    lose(COMMIT, () -> node.jobs.settle(items));

    assertThat(node.jobs.settle(items))
        .containsExactly(
            Settled.repeated("a"),
            Settled.repeated("b"),
            Settled.refused("c", JobError.JOB_NOT_INFLIGHT));
    assertThat(fixture.query("SELECT string_agg(status, ' ' ORDER BY id) FROM {jobs}"))
        .isEqualTo("done dlq ready");
  }

  @Test
  @Guarantee("JF4")
  void an_enqueue_with_a_key_whose_answer_was_lost_is_there_when_repeated() throws Exception {
    fixture.enqueue("other");

    lose(ENQUEUE, () -> node.jobs.enqueue(job("a").once("k")));

    assertThat(node.jobs.enqueue(job("a").once("k"))).isEqualTo(new Enqueued("a", true));
    assertThat(node.jobs.enqueue(job("b").once("k"))).isEqualTo(new Enqueued("a", true));
    assertThat(fixture.query("SELECT count(*) FROM {jobs}")).isEqualTo("2");
  }

  @Test
  @Guarantee("JF4")
  void leases_nobody_heard_of_end_and_their_jobs_come_again() throws Exception {
    node.jobs.enqueue(job("a"));
    ReserveRequest request = ReserveRequest.of(QUEUE, 1).leaseFor(Duration.ofMillis(500));

    lose(RESERVE, () -> node.jobs.reserve(request));

    assertThat(fixture.column("a", "status")).isEqualTo("inflight");
    List<LeasedJob> again =
        node.jobs.reserveAsync(request, Duration.ofSeconds(20)).get(30, SECONDS).jobs();
    assertThat(again).extracting(LeasedJob::fence).containsExactly(2);
    assertThat(node.jobs.ack(again.get(0).held()).isOk()).isTrue();
  }

  /** Every third job succeeds, every third fails once, every third is given up. */
  @Test
  @Guarantee("JF4")
  void a_worker_that_loses_answers_runs_each_job_as_often_as_without() throws Exception {
    int count = 30;
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    node.jobs.enqueue(
        IntStream.range(0, count).mapToObj(i -> job("j" + i).payload("" + i % 3)).toList());
    List.of(RESERVE, ACK, RETRY, FAIL, COMMIT).forEach(proxy::swallowNextAnswer);
    try (JobWorker worker =
        node.jobs
            .worker()
            .queue(QUEUE)
            .lease(Duration.ofSeconds(1))
            .poll(Duration.ofMillis(50))
            .retry(RetryPolicy.DEFAULT.backoff(Backoff.none()))
            .action("t", String.class, (kind, context) -> run(kind, runs, context.id()))
            .start()) {
      QueueFaultTest.await(() -> node.count("done") + node.count("dlq") == count);

      assertThat(node.count("dlq")).isEqualTo(count / 3);
      assertThat(runs).hasSize(count);
      runs.forEach((id, times) -> assertThat(times).as(id).isEqualTo(number(id) % 3 == 1 ? 2 : 1));
      assertThat(worker.stats().refusals()).isEmpty();
    }
  }

  private static int number(String id) {
    return Integer.parseInt(id.substring(1));
  }

  private static void run(String kind, Map<String, Integer> runs, String id) throws Exception {
    int times = runs.merge(id, 1, Integer::sum);
    if (kind.equals("1") && times == 1) {
      throw new IllegalStateException("once");
    }
    if (kind.equals("2")) {
      throw new Unrecoverable("never");
    }
  }

  @Test
  @Guarantee("JF9")
  void a_key_whose_job_is_deleted_before_it_can_be_read_is_stored_after_all() throws Exception {
    CompletableFuture<String> deleted = new CompletableFuture<>();
    proxy.onClientMessage(
        chunk -> {
          if (!deleted.isDone() && new String(chunk, StandardCharsets.ISO_8859_1).contains(FIND)) {
            fixture.update("DELETE FROM {jobs} WHERE id = 'theirs'");
            deleted.complete("deleted");
          }
          return TcpProxy.Fate.FORWARD;
        });
    try (Connection theirs = TestDatabase.begin()) {
      RaceFixture.run(
          theirs,
          fixture
              .names()
              .sql(
                  "INSERT INTO {jobs} (id, type, queue, payload, created_at, idempotency_key)"
                      + " VALUES ('theirs', 't', 'q', '', now(), 'k')"));
      CompletableFuture<List<Enqueued>> ours =
          node.jobs.enqueueAsync(List.of(job("a").once("k"), job("b").once("l")));
      node.awaitBlocked();
      theirs.commit();

      assertThat(ours.get(30, SECONDS))
          .containsExactly(new Enqueued("a", false), new Enqueued("b", false));
    }
    assertThat(deleted).isDone();
    assertThat(fixture.query("SELECT string_agg(id, ' ' ORDER BY id) FROM {jobs}"))
        .isEqualTo("a b");
  }

  @Test
  @Guarantee("JF9")
  void a_key_that_comes_and_goes_each_time_is_worth_repeating_and_stores_nothing()
      throws Exception {
    fixture.update(
        """
        CREATE FUNCTION {own}.leave() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RETURN NULL; END';
        CREATE TRIGGER leave BEFORE INSERT ON {jobs} FOR EACH ROW EXECUTE FUNCTION {own}.leave()
        """
            .replace("{own}", fixture.tables.ownSchema()));
    try {
      JobException failure =
          catchThrowableOfType(JobException.class, () -> node.jobs.enqueue(job("a").once("k")));

      assertThat(failure.error()).isEqualTo(JobError.STORE_UNAVAILABLE);
      assertThat(fixture.query("SELECT count(*) FROM {jobs}")).isEqualTo("0");
    } finally {
      fixture.update("DROP FUNCTION " + fixture.tables.ownSchema() + ".leave CASCADE");
    }
  }
}
