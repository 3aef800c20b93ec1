package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits of how many jobs of a key run at once. */
public abstract class JobLimitContract extends JobOperatorSuite {
  @Test
  @Guarantee("J77")
  void leases_per_key_never_exceed_its_limit() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 2));
    List<String> ids = enqueue("key", 5);

    List<LeasedJob> running = reserve(10);

    assertThat(idsOf(running)).containsExactlyElementsOf(ids.subList(0, 2));
    assertThat(ids(JobState.GATED)).containsExactlyElementsOf(ids.subList(2, 5));
    sweep();
    assertThat(reserve(10)).isEmpty();
    jobs.ack(running.get(0).held());
    assertThat(idsOf(reserve(10))).containsExactly(ids.get(2));
    assertThat(reserve(10)).isEmpty();
  }

  @Test
  @Guarantee("J77")
  void a_job_that_may_run_and_does_not_yet_takes_a_slot() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    List<String> ids = enqueue("key", 2);

    assertThat(state(ids.get(0))).isEqualTo(JobState.READY);
    assertThat(state(ids.get(1))).isEqualTo(JobState.GATED);
    sweep();
    assertThat(state(ids.get(1))).isEqualTo(JobState.GATED);
  }

  @Test
  @Guarantee("J77")
  void every_other_key_shares_the_rule_but_not_the_slots() {
    configure(JobQueueConfig.of(QUEUE).limit("*", 1).limit("wide", 3));
    enqueue("a", 3);
    enqueue("b", 3);
    enqueue("wide", 5);
    enqueue("c", 3);

    assertThat(reserve(100))
        .extracting(one -> one.job().spec().keys().limit())
        .containsExactlyInAnyOrder("a", "b", "c", "wide", "wide", "wide");
  }

  @Test
  @Guarantee("J77")
  void a_key_has_its_own_slots_in_each_queue() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    configure(JobQueueConfig.of("other").limit("key", 2));
    enqueue("key", 3);
    jobs.enqueue(Collections.nCopies(3, draft().queue("other").limitedBy("key")));

    assertThat(reserve(10)).hasSize(1);
    assertThat(jobs.reserve(ReserveRequest.of("other", 10)).jobs()).hasSize(2);
  }

  @Test
  @Guarantee("J77")
  void a_queue_can_put_all_its_jobs_under_one_key() {
    configure(JobQueueConfig.of(QUEUE).defaultLimitKey("all").limit("all", 1));
    String first = enqueue(draft());
    String second = enqueue(draft());
    String other = enqueue(draft().limitedBy("other"));

    assertThat(idsOf(reserve(10))).containsExactlyInAnyOrder(first, other);
    assertThat(state(second)).isEqualTo(JobState.GATED);
    assertThat(jobs.inspect(second).spec().keys().limit()).isEqualTo("all");

    configure(JobQueueConfig.of(QUEUE).defaultLimitKey(""));
    assertThat(jobs.inspect(enqueue(draft())).state()).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J77")
  void keys_are_compared_trimmed_and_a_blank_one_is_none() {
    configure(JobQueueConfig.of(QUEUE).limit(" key ", 1));
    String first = enqueue(draft().limitedBy("\tkey"));
    String second = enqueue(draft().limitedBy("key\n"));
    String free = enqueue(draft().limitedBy("  "));

    assertThat(idsOf(reserve(10))).containsExactly(first, free);
    assertThat(state(second)).isEqualTo(JobState.GATED);
    assertThat(jobs.inspect(free).spec().keys().limit()).isNull();
  }

  @Test
  @Guarantee("J77")
  void a_key_without_a_limit_lets_all_pass() {
    enqueue("key", 1_500);
    assertThat(reserve(1_000)).hasSize(1_000);

    sweep();
    assertThat(reserve(1_000)).hasSize(500);
  }

  @Test
  @Guarantee("J77")
  void lowering_a_limit_preempts_nobody() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 3));
    enqueue("key", 6);
    List<LeasedJob> running = reserve(10);
    assertThat(running).hasSize(3);

    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    assertThat(extend(running.get(2).held(), LEASE).isOk()).isTrue();

    jobs.ack(running.get(0).held());
    jobs.ack(running.get(1).held());
    sweep();
    assertThat(reserve(10)).as("one still runs").isEmpty();
    jobs.ack(running.get(2).held());
    assertThat(reserve(10)).hasSize(1);
  }

  @Test
  @Guarantee("J77")
  void raising_or_removing_a_limit_lets_waiting_jobs_pass() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    enqueue("key", 6);
    assertThat(reserve(10)).hasSize(1);

    configure(JobQueueConfig.of(QUEUE).limit("key", 3));
    sweep();
    assertThat(reserve(10)).hasSize(2);

    configure(JobQueueConfig.of(QUEUE).limit("key", null));
    sweep();
    assertThat(reserve(10)).hasSize(3);
  }

  @Test
  @Guarantee("J77")
  void a_limit_that_makes_no_sense_is_refused_and_changes_nothing() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 2));

    for (JobQueueConfig wrong :
        List.of(
            JobQueueConfig.of(QUEUE).limit("key", 5).limit("other", 0),
            JobQueueConfig.of(QUEUE).limit("key", 5).limit(" ", 1),
            JobQueueConfig.of(QUEUE).limit("key", 5).limit("k\0", 1),
            JobQueueConfig.of(QUEUE).limit("key", 5).limit("k".repeat(256), 1))) {
      failing(JobError.INVALID_ARGUMENT, () -> jobs.queues().configure(wrong));
    }

    assertThat(jobs.queues().get(QUEUE).limits())
        .containsExactly(new JobQueueConfig.KeyLimit("key", 2));
  }

  @Test
  @Guarantee("J77")
  void many_processes_together_keep_the_limit() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 3));
    int all = 120;
    enqueue("key", all);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();

    atOnce(
        4,
        i -> {
          JobService mine = process();
          return () -> {
            while (done.get() < all) {
              for (LeasedJob one : mine.reserve(request(2)).jobs()) {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                running.decrementAndGet();
                mine.ack(one.held());
                done.incrementAndGet();
              }
            }
            return true;
          };
        });

    assertThat(most.get()).isBetween(1, 3);
    assertThat(done.get()).isEqualTo(all);
    assertThat(ids(JobState.DONE)).hasSize(all);
  }

  @Test
  @Guarantee("J78")
  void a_blocked_key_does_not_delay_others() {
    configure(JobQueueConfig.of(QUEUE).limit("blocked", 1));
    enqueue("blocked", 50);
    assertThat(reserve(10)).hasSize(1);
    time.advanceMs(1);
    String free = enqueue(draft());
    String other = enqueue(draft().limitedBy("other"));

    assertThat(idsOf(reserve(10))).containsExactly(free, other);
  }

  @Test
  @Guarantee("J78")
  void many_blocked_keys_do_not_delay_others() {
    configure(JobQueueConfig.of(QUEUE).limit("*", 1));
    List<NewJob> drafts =
        IntStream.range(0, 900).mapToObj(i -> draft().limitedBy("key" + i / 2)).toList();
    jobs.enqueue(drafts);
    assertThat(reserve(1_000)).hasSize(450);
    String late = enqueue(draft().limitedBy("zz").runIn(Duration.ofSeconds(1)));
    time.advance(Duration.ofSeconds(1));

    for (int sweeps = 0; state(late) == JobState.GATED; sweeps++) {
      assertThat(sweeps).as("the sweep comes round").isLessThan(10);
      sweep();
    }

    assertThat(idsOf(reserve(10))).containsExactly(late);
  }

  @Test
  @Guarantee("J78")
  void a_blocked_key_says_nothing_about_when_to_come_back() {
    configure(JobQueueConfig.of(QUEUE).limit("blocked", 1));
    enqueue("blocked", 2);
    LeasedJob holder = reserve();

    assertThat(jobs.reserve(request(1)).nextAt())
        .as("the lease of the holder, not the sentinel of those at the gate")
        .isEqualTo(holder.leaseExpiresAt());
    settle(Settlement.Fail.of(holder.held(), null));
    reserve();
    enqueue(draft().queue("other").limitedBy("key").runIn(HOUR));
    assertThat(jobs.reserve(ReserveRequest.of("other", 1)).nextAt()).isNull();
  }

  /** So many jobs under a key; answers their ids. */
  private List<String> enqueue(String key, int count) {
    return jobs.enqueue(Collections.nCopies(count, draft().limitedBy(key))).stream()
        .map(Enqueued::id)
        .toList();
  }
}
