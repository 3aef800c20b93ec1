package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.job;
import static io.holdfast.postgres.JobFixture.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.NewJob;
import io.holdfast.job.QueueKey;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How jobs are stored, rule by rule. */
@Timeout(60)
class JobEnqueueTest {
  private static final NewJob KEYED = job("a").once("k").payload("first");

  private final JobFixture jobs = JobFixture.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  @Test
  void a_job_is_stored_as_it_was_given() {
    Instant due = jobs.now().plusSeconds(60).plusNanos(1_999);
    jobs.enqueue(
        job("a")
            .payload("p")
            .runAt(due)
            .timeout(Duration.ofNanos(7))
            .maxAttempts(3)
            .priority(-2)
            .traced("trace"));

    Job stored = jobs.find("a");

    assertThat(stored.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(stored.spec().payload()).asString().isEqualTo("p");
    assertThat(stored.spec().runAt()).isEqualTo(due.minusNanos(999));
    assertThat(stored.spec().timeout()).isEqualTo(Duration.ofNanos(7));
    assertThat(stored.spec().maxAttempts()).isEqualTo(3);
    assertThat(stored.spec().priority()).isEqualTo(-2);
    assertThat(stored.spec().keys().trace()).isEqualTo("trace");
    assertThat(stored.createdAt()).isEqualTo(jobs.now());
    assertThat(jobs.query("SELECT rank_at = created_at + interval '2 minutes' FROM {jobs}"))
        .isEqualTo("t");
  }

  @Test
  void what_one_job_of_a_batch_has_the_others_need_not() {
    NewJob.Import past = new NewJob.Import(2, "boom", jobs.now(), jobs.now().minusSeconds(5));

    jobs.enqueue(
        job("a"), job("b").runIn(Duration.ofSeconds(9)).traced("t"), job("c").imported(past));

    assertThat(jobs.find("a").spec().runAt()).isNull();
    assertThat(jobs.find("a").history().lastError()).isEmpty();
    assertThat(jobs.find("b").spec().runAt()).isEqualTo(jobs.now().plusSeconds(9));
    assertThat(jobs.find("b").createdAt()).isEqualTo(jobs.now().plusNanos(1_000));
    assertThat(jobs.find("c").createdAt()).isEqualTo(jobs.now().minusSeconds(5));
    assertThat(jobs.find("c").history().attempts()).isEqualTo(2);
    assertThat(jobs.find("c").history().failedAt()).isEqualTo(jobs.now());
    assertThat(jobs.find("c").spec().keys().trace()).isNull();
  }

  @Test
  void a_key_that_is_stored_answers_with_its_job() {
    jobs.enqueue(KEYED);

    List<Enqueued> answers =
        jobs.enqueue(job("b").once("k"), job("c"), job("d").once("other")).jobs();

    assertThat(answers)
        .containsExactly(
            new Enqueued("a", true), new Enqueued("c", false), new Enqueued("d", false));
    assertThat(jobs.find("a").spec().payload()).asString().isEqualTo("first");
  }

  @Test
  @Guarantee("JP2")
  void a_key_that_is_stored_is_not_written_again() {
    jobs.enqueue(KEYED);
    String before = jobs.column("a", "xmin || '/' || xmax || '/' || ctid");

    jobs.enqueue(job("b").once("k").payload("second"));

    assertThat(jobs.column("a", "xmin || '/' || xmax || '/' || ctid")).isEqualTo(before);
    assertThat(jobs.query("SELECT count(*) FROM {jobs}")).isEqualTo("1");
  }

  @Test
  void a_taken_id_is_named_and_nothing_is_stored() {
    jobs.enqueue(job("it's (a)=(b)"), KEYED);

    refuse("it's (a)=(b)", job("new"), job("it's (a)=(b)"));
    refuse("it's (a)=(b)", job("new").once("n"), job("it's (a)=(b)").once("m"));
    refuse("a", job("a").once("other"), job("new"));

    assertThat(jobs.query("SELECT count(*) FROM {jobs}")).isEqualTo("2");
  }

  private void refuse(String id, NewJob... batch) {
    assertThatThrownBy(() -> jobs.enqueue(batch))
        .isInstanceOfSatisfying(
            JobException.class,
            e -> {
              assertThat(e.error()).isEqualTo(JobError.DUPLICATE_JOB_ID);
              assertThat(e.id()).isEqualTo(id);
              assertThat(e.isOutcomeUnknown()).isFalse();
            });
  }

  @Test
  void one_job_with_its_id_and_its_key_is_there_already() {
    jobs.enqueue(KEYED);

    assertThat(jobs.enqueue(KEYED).jobs()).containsExactly(new Enqueued("a", true));
  }

  @Test
  void a_job_with_a_limit_key_waits_at_its_gate() {
    jobs.update(
        "INSERT INTO {queues} (queue, default_limit_key, updated_at) VALUES ('d', 'all', now())");

    JobStore.Stored stored =
        jobs.enqueue(
            job("a").limitedBy("k").runIn(Duration.ofSeconds(5)),
            job("b").queue("d"),
            job("c").queue("d").limitedBy("own"),
            job("d"),
            job("e").queue("late").runIn(Duration.ofSeconds(2)));

    assertThat(jobs.find("a").state()).isEqualTo(JobState.GATED);
    assertThat(jobs.find("a").spec().runAt()).isEqualTo(jobs.now().plusSeconds(5));
    assertThat(jobs.find("b").state()).isEqualTo(JobState.GATED);
    assertThat(jobs.find("b").spec().runAt()).isNull();
    assertThat(stored.effects().keys())
        .containsExactlyInAnyOrder(
            new QueueKey("q", "k"), new QueueKey("d", "all"), new QueueKey("d", "own"));
    assertThat(stored.effects().runnable()).isEqualTo(Set.of("q"));
  }

  @Test
  @Guarantee("JF8")
  void a_key_in_an_open_transaction_is_waited_for() throws Exception {
    try (Connection open = TestDatabase.begin()) {
      insert(open, "theirs");
      CompletableFuture<JobStore.Stored> ours = waiting(open);
      open.commit();

      assertThat(ours.get().jobs()).containsExactly(new Enqueued("theirs", true));
    }
  }

  @Test
  @Guarantee("JF8")
  void a_key_of_a_rolled_back_transaction_is_free() throws Exception {
    try (Connection open = TestDatabase.begin()) {
      insert(open, "theirs");
      CompletableFuture<JobStore.Stored> ours = waiting(open);
      open.rollback();

      assertThat(ours.get().jobs()).containsExactly(new Enqueued("a", false));
      assertThat(ours.get().effects().runnable()).containsExactly("q");
    }
  }

  private void insert(Connection open, String id) throws SQLException {
    TransactionsTest.run(
        open,
        jobs.names()
            .sql(
                "INSERT INTO {jobs} (id, type, queue, payload, created_at, idempotency_key) VALUES ('"
                    + id
                    + "', 't', 'q', '', now(), 'k')"));
  }

  /** An enqueue of the key that has begun to wait. */
  private CompletableFuture<JobStore.Stored> waiting(Connection open) throws SQLException {
    CompletableFuture<JobStore.Stored> ours =
        CompletableFuture.supplyAsync(() -> jobs.enqueue(KEYED));
    JobFixture.awaitBlocked(open);
    return ours;
  }

  @Test
  @Guarantee("JF9")
  void keys_that_come_and_go_are_stored_once_or_found() {
    int rounds = 150;
    CompletableFuture<Void> remover =
        CompletableFuture.runAsync(
            () ->
                IntStream.range(0, rounds)
                    .forEach(i -> jobs.update("DELETE FROM {jobs} WHERE idempotency_key = 'k'")));
    List<CompletableFuture<Long>> rivals =
        IntStream.range(0, 3)
            .mapToObj(rival -> CompletableFuture.supplyAsync(() -> stored(rival, rounds)))
            .toList();

    long stored = rivals.stream().mapToLong(CompletableFuture::join).sum();
    remover.join();

    assertThat(stored).isPositive();
    assertThat(jobs.query("SELECT count(*) <= 1 FROM {jobs}")).isEqualTo("t");
  }

  private long stored(int rival, int rounds) {
    return IntStream.range(0, rounds)
        .mapToObj(i -> job(rival + "-" + i).once("k"))
        .map(job -> jobs.store.enqueue(List.of(row(job)), CALL).jobs().get(0))
        .filter(answer -> !answer.existed())
        .count();
  }
}
