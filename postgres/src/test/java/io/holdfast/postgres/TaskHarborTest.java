package io.holdfast.postgres;

import static io.holdfast.postgres.JobFixture.CALL;
import static io.holdfast.postgres.JobFixture.QUEUE;
import static io.holdfast.postgres.QueueFaultTest.async;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobState;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients and workers of TaskHarbor on the same table at the same time. */
@Timeout(120)
class TaskHarborTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private JobFixture fixture;
  private JobNode node;
  private TaskHarborPeer peer;

  @BeforeEach
  void open() throws Exception {
    fixture = JobFixture.real();
    node = new JobNode(fixture);
    peer = peer();
  }

  @AfterEach
  void close() throws Exception {
    peer.close();
    node.close();
    fixture.close();
  }

  private TaskHarborPeer peer() throws Exception {
    return new TaskHarborPeer(fixture.tables.ownSchema());
  }

  private static Instant now() {
    return Instant.now();
  }

  private TaskHarborPeer.Lease theirs() throws Exception {
    return peer.reserve(QUEUE, LEASE, now()).orElseThrow();
  }

  private List<LeasedJob> ours(int limit) {
    return node.jobs.reserve(ReserveRequest.of(QUEUE, limit)).jobs();
  }

  @Test
  @Guarantee("JP4")
  void its_enqueue_finds_our_job_by_its_key_and_ours_finds_its() throws Exception {
    node.jobs.enqueue(NewJob.of("t").id("ours").queue(QUEUE).once("k").payload("first"));

    assertThat(peer.enqueue("other", QUEUE, "k", now())).isEqualTo("ours");
    assertThat(peer.enqueue("theirs", QUEUE, "l", now())).isEqualTo("theirs");
    assertThat(peer.enqueue("plain", QUEUE, null, now())).isEqualTo("plain");

    assertThat(fixture.column("ours", "convert_from(payload, 'UTF8')")).isEqualTo("first");
    assertThat(node.jobs.enqueue(NewJob.of("t").queue(QUEUE).once("l")).id()).isEqualTo("theirs");
    Job job = node.jobs.inspect("theirs");
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.spec().priority()).isZero();
    assertThat(peer.list(QUEUE, "ready", 2)).containsExactlyInAnyOrder("ours", "theirs", "plain");
  }

  @Test
  @Guarantee("JP4")
  void its_worker_runs_our_jobs_and_ours_runs_its() throws Exception {
    node.jobs.enqueue(NewJob.of("t").id("a").queue(QUEUE));
    TaskHarborPeer.Lease first = theirs();
    assertThat(ours(1)).isEmpty();
    assertThat(peer.extend(first, LEASE, now())).isTrue();
    assertThat(peer.retry(first, now(), now())).isTrue();
    assertThat(peer.ack(first, now())).isFalse();

    LeasedJob second = ours(1).get(0);
    assertThat(second.job().history().attempts()).isEqualTo(1);
    assertThat(second.fence()).isEqualTo(1);
    assertThat(peer.reserve(QUEUE, LEASE, now())).isEmpty();
    assertThat(node.jobs.retry(second.held(), null, "ours").isOk()).isTrue();

    TaskHarborPeer.Lease third = theirs();
    assertThat(peer.fail(third, now())).isTrue();
    assertThat(node.jobs.settle(List.of(Settlement.Fail.of(second.held(), "x"))).get(0).error())
        .isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(node.jobs.inspect("a").history().dead().reason()).isEqualTo("theirs");
    assertThat(peer.requeue("a", now())).isTrue();

    LeasedJob fourth = ours(1).get(0);
    node.jobs.fail(fourth.held(), "ours");
    assertThat(node.jobs.requeue(List.of("a"), Requeue.NOW).get(0).error()).isNull();
    assertThat(peer.ack(theirs(), now())).isTrue();
    assertThat(node.jobs.inspect("a").state()).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("JP4")
  void whoever_comes_after_an_expiry_takes_the_job_from_the_other() throws Exception {
    node.jobs.enqueue(NewJob.of("t").id("a").queue(QUEUE));
    LeasedJob ours = ours(1).get(0);

    TaskHarborPeer.Lease theirs =
        peer.reserve(QUEUE, LEASE, now().plus(Duration.ofHours(1))).orElseThrow();

    assertThat(node.jobs.settle(List.of(Settlement.Ack.of(ours.held()))).get(0).error())
        .isEqualTo(JobError.LEASE_MISMATCH);
    fixture.update("UPDATE {jobs} SET lease_expires_at = clock_timestamp()");
    LeasedJob again = ours(1).get(0);
    assertThat(again.fence()).isEqualTo(2);
    assertThat(peer.ack(theirs, now())).isFalse();
    assertThat(node.jobs.ack(again.held()).isOk()).isTrue();
  }

  @Test
  @Guarantee("JP4")
  void a_job_behind_its_gate_looks_scheduled_to_it() throws Exception {
    node.jobs.enqueue(NewJob.of("t").id("a").queue(QUEUE).limitedBy("k").runIn(LEASE));

    assertThat(peer.reserve(QUEUE, LEASE, now().plus(Duration.ofDays(1)))).isEmpty();
    assertThat(peer.list(QUEUE, "ready", 10)).containsExactly("a");
  }

  @Test
  @Guarantee("JP7")
  void what_its_worker_finished_is_adopted_then_kept_then_removed() throws Exception {
    try (JobStage stage = JobStage.manual();
        TaskHarborPeer worker = new TaskHarborPeer(stage.schema)) {
      worker.enqueue("a", "q", null, stage.now());
      worker.ack(worker.reserve("q", LEASE, stage.now()).orElseThrow(), stage.now());
      stage.advance(Duration.ofDays(2));
      assertThat(stage.upkeep.retain(CALL)).isZero();

      assertThat(stage.upkeep.adopt(CALL)).isEqualTo(1);
      assertThat(stage.upkeep.adopt(CALL)).isZero();

      stage.advance(Duration.ofHours(24).minusMillis(1));
      assertThat(stage.upkeep.retain(CALL)).isZero();
      stage.advance(Duration.ofMillis(1));
      assertThat(stage.upkeep.retain(CALL)).isEqualTo(1);
      assertThat(stage.query("SELECT count(*) FROM {jobs}")).isEqualTo("0");
    }
  }

  /** What all threads of the mixed run have done. */
  private static final class Ledger {
    final Set<String> enqueued = ConcurrentHashMap.newKeySet();
    final Map<String, Integer> acked = new ConcurrentHashMap<>();

    void ack(String id) {
      acked.merge(id, 1, Integer::sum);
    }
  }

  @Test
  @Guarantee("JF22")
  void statements_of_both_kinds_mixed_at_random_lose_no_job_and_fail_never() throws Exception {
    Ledger ledger = new Ledger();
    int turns = 250;
    List<CompletableFuture<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int seed = i;
      threads.add(async(() -> new Ours(node.jobs, ledger, seed).run(turns)));
      threads.add(async(() -> runPeer(ledger, seed, turns)));
    }
    for (CompletableFuture<Integer> thread : threads) {
      assertThat(thread.get(60, SECONDS)).isPositive();
    }

    finishAll(ledger);

    assertThat(fixture.query("SELECT count(*) FROM {jobs}")).isEqualTo("" + ledger.enqueued.size());
    assertThat(fixture.query("SELECT string_agg(DISTINCT status, ' ') FROM {jobs}"))
        .isEqualTo("done");
    assertThat(ledger.acked.values()).containsOnly(1);
    assertThat(ledger.enqueued).containsAll(ledger.acked.keySet());
  }

  /** Every lease ends, every dead letter returns, and each side takes what it finds. */
  private void finishAll(Ledger ledger) throws Exception {
    fixture.update(
        "UPDATE {jobs} SET lease_expires_at = clock_timestamp() WHERE status = 'inflight'");
    for (String id : peer.list(QUEUE, "dlq", 10)) {
      assertThat(peer.requeue(id, now())).isTrue();
    }
    fixture.update("UPDATE {jobs} SET run_at = NULL WHERE status = 'ready'");
    List<LeasedJob> some = ours(20);
    while (!some.isEmpty()) {
      for (Settled settled :
          node.jobs.settle(some.stream().map(one -> Settlement.Ack.of(one.held())).toList())) {
        assertThat(settled.isOk()).isTrue();
        ledger.ack(settled.id());
      }
      Optional<TaskHarborPeer.Lease> one = peer.reserve(QUEUE, LEASE, now());
      if (one.isPresent() && peer.ack(one.get(), now())) {
        ledger.ack(one.get().id());
      }
      some = ours(20);
    }
  }

  /** A thread of ours. */
  private static final class Ours {
    private final Jobs jobs;
    private final Ledger ledger;
    private final Random random;
    private final int seed;

    Ours(Jobs jobs, Ledger ledger, int seed) {
      this.jobs = jobs;
      this.ledger = ledger;
      this.seed = seed;
      this.random = new Random(seed);
    }

    int run(int turns) {
      for (int turn = 0; turn < turns; turn++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> enqueue("o" + seed + "-" + turn);
          case 2 -> jobs.list(JobQuery.of(QUEUE).limit(5));
          case 3 -> requeue();
          default -> work();
        }
      }
      return turns;
    }

    private void enqueue(String id) {
      NewJob job = NewJob.of("t").id(id).queue(QUEUE).priority(random.nextInt(3) - 1);
      boolean hasKey = random.nextBoolean();
      String stored = jobs.enqueue(hasKey ? job.once("k" + random.nextInt(40)) : job).id();
      ledger.enqueued.add(stored);
    }

    private void requeue() {
      List<String> dead =
          jobs.list(JobQuery.of(QUEUE).state(JobState.DLQ).limit(5)).jobs().stream()
              .map(Job::id)
              .toList();
      if (!dead.isEmpty()) {
        jobs.requeue(dead, Requeue.NOW);
      }
    }

    private void work() {
      Duration lease = Duration.ofMillis(1 + random.nextInt(100));
      List<LeasedJob> leased =
          jobs.reserve(ReserveRequest.of(QUEUE, 1 + random.nextInt(3)).leaseFor(lease)).jobs();
      List<Settlement> items = leased.stream().map(LeasedJob::held).map(this::settlement).toList();
      if (items.isEmpty()) {
        return;
      }
      if (random.nextInt(4) == 0) {
        jobs.extend(leased.stream().map(LeasedJob::held).toList(), LEASE);
      }
      List<Settled> settled = jobs.settle(items);
      for (int i = 0; i < items.size(); i++) {
        if (items.get(i) instanceof Settlement.Ack && settled.get(i).isOk()) {
          ledger.ack(settled.get(i).id());
        }
      }
    }

    private Settlement settlement(Held held) {
      return switch (random.nextInt(6)) {
        case 0 -> Settlement.Retry.in(held, null, "ours");
        case 1 -> Settlement.Fail.of(held, "ours");
        case 2 -> new Settlement.Release(held, null);
        case 3 -> new Settlement.Report(held, 1, "a little", null);
        default -> Settlement.Ack.of(held);
      };
    }
  }

  private int runPeer(Ledger ledger, int seed, int turns) throws Exception {
    Random random = new Random(100 + seed);
    try (TaskHarborPeer other = peer()) {
      for (int turn = 0; turn < turns; turn++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> {
            String key = random.nextBoolean() ? "k" + random.nextInt(40) : null;
            ledger.enqueued.add(other.enqueue("t" + seed + "-" + turn, QUEUE, key, now()));
          }
          case 2 -> other.list(QUEUE, "ready", 20);
          case 3 -> {
            for (String id : other.list(QUEUE, "dlq", 20)) {
              other.requeue(id, now());
            }
          }
          default -> work(other, ledger, random);
        }
      }
    }
    return turns;
  }

  private static void work(TaskHarborPeer other, Ledger ledger, Random random) throws Exception {
    Duration term = Duration.ofMillis(1 + random.nextInt(100));
    Optional<TaskHarborPeer.Lease> found = other.reserve(QUEUE, term, now());
    if (found.isEmpty()) {
      return;
    }
    TaskHarborPeer.Lease lease = found.get();
    switch (random.nextInt(6)) {
      case 0 -> other.retry(lease, now(), now());
      case 1 -> other.fail(lease, now());
      case 2 -> other.extend(lease, LEASE, now());
      default -> {
        if (other.ack(lease, now())) {
          ledger.ack(lease.id());
        }
      }
    }
  }
}
