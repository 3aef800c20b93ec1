package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The slots of limit keys: who gets one next, and that none is lost. */
public abstract class JobSlotContract extends JobOperatorSuite {
  private static final String KEY = "key";

  @Test
  @Guarantee("J79")
  void a_freed_slot_admits_the_oldest_waiter() {
    List<Consumer<LeasedJob>> ways =
        List.of(
            job -> jobs.ack(job.held()),
            job -> jobs.fail(job.held(), "broken"),
            job -> jobs.retry(job.held(), HOUR, "it broke"),
            job -> jobs.release(job.held(), HOUR),
            job -> {
              cancel(job.id());
              jobs.retry(job.held(), null, "it broke");
            });
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(1 + ways.size());

    for (int i = 0; i < ways.size(); i++) {
      LeasedJob holder = reserve();
      assertThat(holder.id()).isEqualTo(ids.get(i));
      time.advanceMs(1);

      ways.get(i).accept(holder);

      assertThat(state(ids.get(i + 1))).as("way " + i).isEqualTo(JobState.READY);
      assertThat(ids(JobState.READY)).containsExactly(ids.get(i + 1));
    }
  }

  @Test
  @Guarantee("J79")
  void cancelling_the_job_in_the_slot_admits_the_next() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(3);

    cancel(ids.get(0));
    assertThat(ids(JobState.READY)).containsExactly(ids.get(1));
    cancel(ids.get(2));
    cancel(ids.get(1));
    assertThat(ids(JobState.READY)).isEmpty();
    assertThat(state(enqueue(draft().limitedBy(KEY)))).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J79")
  void a_job_that_is_released_without_delay_keeps_its_slot() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(2);

    jobs.release(reserve().held(), null);

    assertThat(state(ids.get(1))).isEqualTo(JobState.GATED);
    assertThat(reserve().id()).isEqualTo(ids.get(0));
  }

  @Test
  @Guarantee("J79")
  void a_job_that_is_retried_at_once_stands_behind_the_waiting() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(2);
    LeasedJob first = reserve();
    time.advanceMs(1);

    jobs.retry(first.held(), null, "it broke");

    assertThat(state(first.id())).isEqualTo(JobState.GATED);
    LeasedJob second = reserve();
    assertThat(second.id()).isEqualTo(ids.get(1));
    jobs.ack(second.held());
    assertThat(reserve().id()).isEqualTo(first.id());
  }

  @Test
  @Guarantee("J79")
  void a_waiter_is_admitted_when_it_is_due_and_not_before() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    Instant due = instant().plusSeconds(10);
    String id = enqueue(draft().limitedBy(KEY).runAt(due));
    assertThat(jobs.inspect(id).spec().runAt()).isEqualTo(due);

    time.advanceMs(9_999);
    sweep();
    assertThat(state(id)).isEqualTo(JobState.GATED);
    assertThat(reserve(1)).isEmpty();

    time.advanceMs(1);
    sweep();
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(reserve().job().spec().runAt()).as("its due time survives").isEqualTo(due);
  }

  @Test
  @Guarantee("J79")
  void waiters_are_admitted_in_the_order_of_their_due_times() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    LeasedJob holder = leased(draft().limitedBy(KEY));
    String late = enqueue(draft().limitedBy(KEY).runAt(instant().plusSeconds(2).plus(MICRO)));
    String early = enqueue(draft().limitedBy(KEY).runAt(instant().plusSeconds(2)));
    String first = enqueue(draft().limitedBy(KEY));
    time.advance(Duration.ofSeconds(3));

    List<String> order = new ArrayList<>();
    jobs.ack(holder.held());
    for (int i = 0; i < 3; i++) {
      LeasedJob next = reserve();
      order.add(next.id());
      jobs.ack(next.held());
    }

    assertThat(order).containsExactly(first, early, late);
  }

  @Test
  @Guarantee("J79")
  void a_retry_gives_its_slot_away_until_it_is_due() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(2);
    LeasedJob first = reserve();
    jobs.retry(first.held(), Duration.ofSeconds(5), "it broke");
    LeasedJob second = reserve();
    assertThat(second.id()).isEqualTo(ids.get(1));
    time.advance(Duration.ofSeconds(5));

    sweep();
    assertThat(reserve(1)).as("due, but its slot is taken").isEmpty();
    jobs.ack(second.held());

    assertThat(reserve().id()).isEqualTo(first.id());
  }

  @Test
  @Guarantee("J79")
  void the_sweep_finds_waiters_by_itself() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    String id = enqueue(draft().limitedBy(KEY).runIn(Duration.ofSeconds(3)));

    for (int second = 0; second < 5; second++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J80")
  void a_lost_worker_leaks_no_slot() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(2);
    reserve();
    time.advance(LEASE);
    sweep();
    assertThat(state(ids.get(1)))
        .as("the job of the lost worker comes first")
        .isEqualTo(JobState.GATED);

    LeasedJob again = reserve();
    assertThat(again.id()).isEqualTo(ids.get(0));
    jobs.ack(again.held());

    assertThat(reserve().id()).isEqualTo(ids.get(1));
  }

  @Test
  @Guarantee("J80")
  void a_job_that_kills_its_workers_frees_its_slot_when_it_is_given_up() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1).deliveryLimit(2));
    List<String> ids = keyed(2);
    for (int delivery = 0; delivery < 2; delivery++) {
      assertThat(reserve().id()).isEqualTo(ids.get(0));
      time.advance(LEASE);
    }
    assertThat(reserve(1)).isEmpty();
    assertThat(state(ids.get(0))).isEqualTo(JobState.DLQ);

    sweep();

    assertThat(reserve().id()).isEqualTo(ids.get(1));
  }

  @Test
  @Guarantee("J80")
  void a_lost_job_that_was_to_be_cancelled_frees_its_slot() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = keyed(2);
    cancel(reserve().id());
    time.advance(LEASE);
    assertThat(reserve(1)).isEmpty();
    assertThat(state(ids.get(0))).isEqualTo(JobState.CANCELLED);

    sweep();

    assertThat(reserve().id()).isEqualTo(ids.get(1));
  }

  @Test
  @Guarantee("J80")
  void a_closed_process_leaks_no_slot() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    JobService gone = process();
    List<String> ids = keyed(2);
    assertThat(gone.reserve(request(1)).jobs()).hasSize(1);
    gone.close();
    time.advance(LEASE);

    jobs.ack(reserve().held());

    assertThat(reserve().id()).isEqualTo(ids.get(1));
  }

  @Test
  @Guarantee({"J77", "J80"})
  void whatever_happens_the_limits_hold_and_every_job_ends() {
    for (int seed = 1; seed <= 3; seed++) {
      new Unrest(seed).run();
    }
  }

  @Test
  @Guarantee("J82")
  void limit_one_runs_a_key_in_order() {
    configure(JobQueueConfig.of(QUEUE).limit(KEY, 1));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(enqueue(draft().limitedBy(KEY).priority(i % 3 * 10)));
      time.advanceMs(i % 2);
    }

    List<String> order = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      List<LeasedJob> next = (i % 2 == 0 ? jobs : process()).reserve(request(10)).jobs();
      assertThat(next).hasSize(1);
      order.add(next.get(0).id());
      time.advanceMs(i % 3);
      jobs.ack(next.get(0).held());
    }

    assertThat(order).containsExactlyElementsOf(ids);
  }

  @Test
  @Guarantee("J82")
  void limit_one_keeps_the_order_of_a_batch() {
    configure(JobQueueConfig.of(QUEUE).limit("*", 1));
    List<NewJob> drafts =
        IntStream.range(0, 60).mapToObj(i -> draft("" + i).limitedBy("k" + i % 3)).toList();
    jobs.enqueue(drafts);

    Map<String, List<Integer>> ran = new TreeMap<>();
    for (int round = 0; round < 20; round++) {
      List<LeasedJob> next = reserve(100);
      assertThat(next).hasSize(3);
      for (LeasedJob one : next) {
        ran.computeIfAbsent(key(one.job()), key -> new ArrayList<>())
            .add(Integer.valueOf(text(one.job())));
        jobs.ack(one.held());
      }
    }

    assertThat(ran.values()).allSatisfy(order -> assertThat(order).hasSize(20).isSorted());
  }

  private static String key(Job job) {
    return String.valueOf(job.spec().keys().limit());
  }

  /** Jobs of {@link #KEY}, one after the other; answers their ids. */
  private List<String> keyed(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(enqueue(draft().limitedBy(KEY)));
    }
    return ids;
  }

  /** A random life under limits, on three processes. */
  private final class Unrest {
    private static final int STEPS = 150;

    private final Random random;
    private final String queue;
    private final List<JobService> nodes = List.of(process(), process(), process());
    private final List<LeasedJob> held = new ArrayList<>();
    private final List<String> made = new ArrayList<>();

    Unrest(int seed) {
      this.random = new Random(seed);
      this.queue = "unrest" + seed;
      configure(JobQueueConfig.of(queue).limit("a", 1).limit("b", 2).limit("*", 3));
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        act();
        check();
      }
      drain();
    }

    private void act() {
      switch (random.nextInt(8)) {
        case 0, 1 -> make();
        case 2, 3 -> held.addAll(node().reserve(wish().leaseFor(lease())).jobs());
        case 4 -> settleOne();
        case 5 -> node().runDuty(Jobs.DutyName.SWEEP);
        case 6 -> time.advanceMs(random.nextInt(4_000));
        default -> {
          if (!made.isEmpty() && random.nextInt(3) == 0) {
            node().cancel(List.of(made.get(random.nextInt(made.size()))));
          }
        }
      }
    }

    private JobService node() {
      return nodes.get(random.nextInt(nodes.size()));
    }

    private ReserveRequest wish() {
      return ReserveRequest.of(queue, 1 + random.nextInt(4));
    }

    private Duration lease() {
      return Duration.ofMillis(1 + random.nextInt(6_000));
    }

    private void make() {
      NewJob job =
          draft().queue(queue).limitedBy(List.of("a", "b", "c", "d").get(random.nextInt(4)));
      boolean isLater = random.nextInt(4) == 0;
      Enqueued enqueued = node().enqueue(isLater ? job.runIn(lease()) : job);
      made.add(enqueued.id());
    }

    private void settleOne() {
      if (held.isEmpty()) {
        return;
      }
      Held one = held.remove(random.nextInt(held.size())).held();
      Duration delay = random.nextBoolean() ? null : lease();
      node()
          .settle(
              List.of(
                  switch (random.nextInt(4)) {
                    case 0 -> Settlement.Ack.of(one);
                    case 1 -> Settlement.Retry.in(one, delay, "it broke");
                    case 2 -> Settlement.Fail.of(one, "broken");
                    default -> new Settlement.Release(one, delay);
                  }));
    }

    private void check() {
      Map<String, Integer> slots = new TreeMap<>();
      for (JobState state : List.of(JobState.INFLIGHT, JobState.READY)) {
        JobPage page = jobs.list(JobQuery.of(queue).state(state).limit(500));
        page.jobs().forEach(job -> slots.merge(key(job), 1, Integer::sum));
      }
      Map<String, Integer> limits = Map.of("a", 1, "b", 2, "c", 3, "d", 3);
      slots.forEach((key, used) -> assertThat(used).as(key).isLessThanOrEqualTo(limits.get(key)));
    }

    private void drain() {
      ReserveRequest all = ReserveRequest.of(queue, 100);
      for (int round = 0; hasLive(); round++) {
        assertThat(round).as("every job ends").isLessThan(1_000);
        time.advance(Duration.ofSeconds(6));
        sweep();
        check();
        List<Settlement> acks = new ArrayList<>();
        jobs.reserve(all).jobs().forEach(one -> acks.add(Settlement.Ack.of(one.held())));
        if (!acks.isEmpty()) {
          jobs.settle(acks);
        }
      }
    }

    private boolean hasLive() {
      Map<JobState, JobStats.Count> counts = jobs.queues().stats(queue).counts();
      return Stream.of(JobState.READY, JobState.SCHEDULED, JobState.GATED, JobState.INFLIGHT)
          .anyMatch(state -> counts.get(state).count() > 0);
    }
  }
}
