package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.LEASE;
import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.JobFixture.ids;
import static io.holdfast.postgres.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a reserve takes, in which order, and what it says beside that. */
@Timeout(120)
class JobReserveTest {
  private static final Duration SOON = Duration.ofMillis(10);

  private final JobFixture jobs = JobFixture.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private Reserved reserve(int limit, Share... shares) {
    return jobs.store.reserve(new ReserveRequest(List.of(shares), limit, LEASE, "w"), CALL);
  }

  @Test
  void a_lease_is_written_as_it_is_told() {
    jobs.enqueue(job("a").payload("p").traced("trace"));

    LeasedJob leased = reserve(1, Share.of(QUEUE, 1)).jobs().get(0);

    assertThat(leased.token()).matches("[0-9a-f]{32}");
    assertThat(leased.leaseExpiresAt()).isEqualTo(jobs.now().plus(LEASE));
    assertThat(leased.fence()).isEqualTo(1);
    assertThat(leased.job().spec().payload()).asString().isEqualTo("p");
    assertThat(leased.job().spec().keys().trace()).isEqualTo("trace");
    Job stored = jobs.find("a");
    assertThat(stored.state()).isEqualTo(JobState.INFLIGHT);
    assertThat(stored.lease()).isEqualTo(leased.job().lease());
    assertThat(stored.lease().owner()).isEqualTo("w#" + leased.token().substring(0, 8));
    assertThat(jobs.column("a", "lease_token")).isEqualTo(leased.token());
  }

  @Test
  void jobs_of_one_reserve_have_tokens_of_their_own() {
    jobs.enqueue(IntStream.range(0, 50).mapToObj(Integer::toString).toArray(String[]::new));

    Set<String> tokens = new HashSet<>();
    jobs.reserve(50).forEach(leased -> tokens.add(leased.token()));

    assertThat(tokens).hasSize(50);
  }

  @Test
  void the_longest_eligible_come_first_whatever_made_them_so() {
    jobs.enqueue("expired");
    jobs.reserve();
    jobs.advance(LEASE);
    jobs.enqueue(job("due").runIn(Duration.ofSeconds(1)));
    jobs.advance(2);
    jobs.enqueue(job("new"), job("urgent").priority(1), job("idle").priority(-1));

    assertThat(ids(jobs.answer(10))).containsExactly("urgent", "expired", "due", "new", "idle");
  }

  @Test
  void a_share_counts_all_three_kinds_together() {
    jobs.enqueue("a", "b");
    jobs.reserve(2);
    jobs.advance(LEASE);
    jobs.enqueue(job("c").runIn(Duration.ZERO), job("d").runIn(Duration.ZERO), job("e"));

    Reserved got = reserve(10, Share.of(QUEUE, 3), Share.of("other", 5));

    assertThat(ids(got)).containsExactly("a", "b", "c");
    assertThat(got.nextAt()).isEqualTo(jobs.now().plus(SOON));
  }

  @Test
  void many_queues_share_what_may_be_locked_and_lose_nothing() {
    List<Share> shares = new ArrayList<>();
    for (int q = 0; q < 64; q++) {
      String queue = "q" + q;
      shares.add(Share.of(queue, 1_000));
      jobs.enqueue(
          IntStream.range(0, 20)
              .mapToObj(i -> job(queue + "-" + i).queue(queue))
              .toArray(NewJob[]::new));
    }
    Set<String> got = new HashSet<>();
    int rounds = 0;
    while (got.size() < 64 * 20) {
      Reserved answer = reserve(100, shares.toArray(new Share[0]));
      answer.jobs().forEach(leased -> assertThat(got.add(leased.id())).isTrue());
      assertThat(answer.jobs().size() == 100 || answer.nextAt() != null).isTrue();
      assertThat(rounds++).isLessThan(100);
    }
  }

  @Test
  void an_empty_answer_tells_what_comes_next() {
    jobs.enqueue("now");
    jobs.reserve();
    jobs.enqueue(job("later").runIn(Duration.ofSeconds(90)), job("gated").limitedBy("k"));

    assertThat(jobs.answer(1).nextAt()).isEqualTo(jobs.now().plus(LEASE));
    assertThat(reserve(1, Share.of("other", 1)).nextAt()).isNull();
    jobs.settle(new Settlement.Release(held("now"), Duration.ofMinutes(9)));
    assertThat(jobs.answer(1).nextAt()).isEqualTo(jobs.now().plusSeconds(90));
  }

  private Held held(String id) {
    return new Held(id, String.valueOf(jobs.column(id, "lease_token")));
  }

  @Test
  void what_somebody_else_has_locked_is_left_and_looked_for_soon() throws Exception {
    jobs.enqueue("a", "b");
    try (Connection open = TestDatabase.begin()) {
      TransactionsTest.run(
          open, jobs.names().sql("SELECT 1 FROM {jobs} WHERE id = 'a' FOR UPDATE"));

      Reserved got = jobs.answer(5);

      assertThat(ids(got)).containsExactly("b");
      assertThat(got.nextAt()).isEqualTo(jobs.now().plus(SOON));
      open.rollback();
    }
    assertThat(ids(jobs.answer(5))).containsExactly("a");
  }

  @Test
  void a_paused_queue_gives_nothing_not_even_what_expired() {
    jobs.enqueue("a", "b");
    jobs.reserve(1);
    jobs.advance(LEASE);
    jobs.update("INSERT INTO {queues} (queue, paused_at, updated_at) VALUES ('q', now(), now())");
    jobs.enqueue(job("o").queue("other"));

    Reserved got = reserve(5, Share.of(QUEUE, 5), Share.of("other", 5));

    assertThat(ids(got)).containsExactly("o");
    assertThat(got.paused()).containsExactly(QUEUE);
    assertThat(got.nextAt()).isNull();
  }

  @Test
  void a_floor_bounds_what_is_due_and_what_expired() {
    jobs.enqueue(job("due").runIn(Duration.ofSeconds(1)), job("ready"));
    jobs.advance(10);

    Reserved above = reserve(5, new Share(QUEUE, 5, jobs.now().minusSeconds(5)));
    Reserved below = reserve(5, new Share(QUEUE, 5, jobs.now().minusSeconds(9)));

    assertThat(ids(above)).containsExactly("ready");
    assertThat(ids(below)).containsExactly("due");
  }

  @Test
  void a_job_that_was_asked_to_end_is_put_away_instead_of_run() {
    jobs.enqueue("a", "b");
    jobs.reserve(1);
    jobs.store.cancel(List.of("a"), CALL);
    jobs.advance(LEASE);

    Reserved got = jobs.answer(2);

    assertThat(ids(got)).containsExactly("b");
    assertThat(got.more()).isTrue();
    Job ended = jobs.find("a");
    assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
    assertThat(ended.isCancelRequested()).isFalse();
    assertThat(ended.history().end().finishedAt()).isEqualTo(jobs.now());
    assertThat(ended.lease()).isNull();
  }

  @Test
  void the_delivery_limit_gives_a_job_up() {
    jobs.update("INSERT INTO {queues} (queue, delivery_limit, updated_at) VALUES ('q', 2, now())");
    jobs.enqueue("a");
    for (int i = 0; i < 2; i++) {
      assertThat(jobs.reserve(1)).hasSize(1);
      jobs.advance(LEASE);
    }

    Reserved got = jobs.answer(3);

    assertThat(got.jobs()).isEmpty();
    assertThat(got.more()).isTrue();
    Job dead = jobs.find("a");
    assertThat(dead.state()).isEqualTo(JobState.DLQ);
    assertThat(dead.history().attempts()).isZero();
    assertThat(dead.history().lastError())
        .isEqualTo("delivery limit: 2 deliveries without an outcome");
    assertThat(dead.history().dead()).isEqualTo(new Job.Dead("delivery limit", jobs.now(), 0, 1));
    assertThat(dead.history().end().outcome()).isEqualTo(Job.Outcome.FAILED);
  }

  @Test
  void reclaiming_clears_the_due_time_and_counts_a_delivery() {
    jobs.enqueue(job("a").runIn(Duration.ZERO));
    assertThat(jobs.reserve().job().spec().runAt()).isEqualTo(jobs.now());
    jobs.advance(LEASE);

    LeasedJob again = jobs.reserve();

    assertThat(again.job().spec().runAt()).isNull();
    assertThat(again.fence()).isEqualTo(2);
  }

  @Test
  @Guarantee("JF1")
  void no_two_reservers_get_one_job() {
    int count = 2_000;
    jobs.enqueue(IntStream.range(0, count).mapToObj(Integer::toString).toArray(String[]::new));

    List<CompletableFuture<List<String>>> rivals =
        IntStream.range(0, 8)
            .mapToObj(rival -> CompletableFuture.supplyAsync(this::drain))
            .toList();
    List<String> all = new ArrayList<>();
    rivals.forEach(rival -> all.addAll(rival.join()));

    assertThat(all).hasSize(count).doesNotHaveDuplicates();
  }

  private List<String> drain() {
    List<String> got = new ArrayList<>();
    Reserved answer = jobs.answer(7);
    while (!answer.jobs().isEmpty() || answer.nextAt().isBefore(jobs.now().plus(LEASE))) {
      got.addAll(ids(answer));
      answer = jobs.answer(7);
    }
    return got;
  }
}
