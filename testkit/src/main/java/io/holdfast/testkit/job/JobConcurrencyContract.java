package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds when threads of several processes do things at the same time. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobConcurrencyContract extends JobSuite {
  private static final int RESERVERS = 32;
  private static final Duration BRIEF = Duration.ofMillis(200);

  private JobService there;

  @BeforeEach
  void openAnother() {
    there = process();
  }

  private JobService either(int i) {
    return i % 2 == 0 ? jobs : there;
  }

  /** What two holders at a time would spoil: neither volatile nor synchronised, on purpose. */
  private static final class Runs {
    int count;
    int finished;
  }

  /** A crowd that runs jobs under brief leases, some of which it abandons. */
  private final class Crowd {
    final Map<String, Runs> runs = new ConcurrentHashMap<>();
    final AtomicInteger left;

    /** Whoever runs a job holds the clock: while it stands still, no valid lease ends. */
    final ReadWriteLock clock = new ReentrantReadWriteLock(true);

    Crowd(List<String> ids) {
      ids.forEach(id -> runs.put(id, new Runs()));
      left = new AtomicInteger(ids.size());
    }

    int work(int me) {
      try {
        for (int turn = me; left.get() > 0; turn++) {
          List<Held> abandoned = runSome(me, turn);
          tick(turn);
          abandoned.forEach(held -> comeBack(me, held));
        }
        return left.get();
      } catch (RuntimeException | Error e) {
        left.set(Integer.MIN_VALUE);
        throw e;
      }
    }

    private List<Held> runSome(int me, int turn) {
      Lock still = clock.readLock();
      still.lock();
      try {
        List<LeasedJob> got = either(me).reserve(request(1 + me % 7).leaseFor(BRIEF)).jobs();
        got.forEach(this::run);
        int lost = turn % 4 == 0 ? got.size() / 2 : 0;
        List<Held> held = got.stream().map(LeasedJob::held).toList();
        finish(me, held.subList(lost, held.size()));
        return held.subList(0, lost);
      } finally {
        still.unlock();
      }
    }

    /** Exactly as often as it was leased, unless two did this at a time. */
    private void run(LeasedJob job) {
      Runs mine = of(job.id());
      int before = mine.count;
      Thread.yield();
      mine.count = before + 1;
      assertThat(mine.count).as("runs of %s", job).isEqualTo(job.fence());
    }

    private Runs of(String id) {
      return Objects.requireNonNull(runs.get(id), id);
    }

    private void finish(int me, List<Held> held) {
      if (held.isEmpty()) {
        return;
      }
      List<Settled> settled = either(me).settle(held.stream().map(Settlement.Ack::of).toList());
      assertThat(settled).allMatch(one -> one.isOk() && !one.isRepeated());
      held.forEach(one -> of(one.id()).finished++);
      left.addAndGet(-held.size());
    }

    /** Settles a lease that may have ended meanwhile, and is told so if it has. */
    private void comeBack(int me, Held held) {
      Settled late = either(me).settle(List.of(Settlement.Ack.of(held))).get(0);
      if (late.isOk()) {
        assertThat(late.isRepeated()).isFalse();
        of(held.id()).finished++;
        left.decrementAndGet();
      }
    }

    private void tick(int turn) {
      if (turn % 3 == 0) {
        Lock move = clock.writeLock();
        move.lock();
        try {
          time.advance(BRIEF.dividedBy(4));
        } finally {
          move.unlock();
        }
      }
    }
  }

  @Test
  @Guarantee({"J24", "J26", "J29", "JF1"})
  void a_job_never_has_two_valid_leases_and_all_jobs_finish() {
    List<String> ids = enqueue(numbered(2_000));
    Crowd crowd = new Crowd(ids);

    atOnce(RESERVERS, me -> () -> crowd.work(me));

    assertThat(crowd.runs.values()).allMatch(runs -> runs.finished == 1);
    assertThat(crowd.runs.values().stream().mapToInt(runs -> runs.count).sum())
        .as("some were run again")
        .isGreaterThan(2_000);
    time.advance(BRIEF);
    assertThat(reserve(1)).isEmpty();
    assertThat(jobs.queues().stats(QUEUE).counts().get(JobState.DONE))
        .isEqualTo(JobStats.Count.of(2_000));
  }

  @Test
  @Guarantee({"J26", "JF2"})
  void an_expired_job_is_reclaimed_by_one_of_many() {
    LeasedJob last = leased();
    for (int round = 0; round < 10; round++) {
      time.advance(LEASE);

      List<List<LeasedJob>> got =
          atOnce(RESERVERS, me -> () -> either(me).reserve(request(1)).jobs());

      List<LeasedJob> winners = got.stream().flatMap(List::stream).toList();
      assertThat(winners).hasSize(1);
      LeasedJob winner = winners.get(0);
      assertThat(winner.token()).isNotEqualTo(last.token());
      assertThat(winner.fence()).isEqualTo(last.fence() + 1);
      assertThat(settle(Settlement.Ack.of(last.held())).error()).isEqualTo(JobError.LEASE_MISMATCH);
      last = winner;
    }
    jobs.ack(last.held());
  }

  @Test
  @Guarantee({"J43", "J48", "JF3"})
  void of_an_ack_and_a_takeover_at_expiry_one_counts() {
    for (int round = 0; round < 40; round++) {
      LeasedJob job = leased();
      time.advance(LEASE.minusMillis(1));

      List<Boolean> done =
          atOnce(
              2,
              i ->
                  () -> {
                    if (i == 0) {
                      return settle(Settlement.Ack.of(job.held())).isOk();
                    }
                    time.advanceMs(1);
                    return !there.reserve(request(1)).jobs().isEmpty();
                  });

      if (done.get(0)) {
        assertThat(done.get(1)).as("taken over in round %s", round).isFalse();
        assertThat(state(job.id())).isEqualTo(JobState.DONE);
      } else {
        time.advance(LEASE);
        jobs.ack(reserve().held());
      }
    }
  }

  @Test
  @Guarantee("J48")
  void of_equal_acks_at_the_same_time_one_counts() {
    for (int round = 0; round < 20; round++) {
      LeasedJob job = leased();

      List<Settled> settled = atOnce(6, i -> () -> either(i).ack(job.held()));

      assertThat(settled).allMatch(Settled::isOk);
      assertThat(settled).filteredOn(one -> !one.isRepeated()).hasSize(1);
    }
  }

  @Test
  @Guarantee({"J50", "J52"})
  void of_an_ack_and_a_fail_at_the_same_time_the_first_counts() {
    for (int round = 0; round < 20; round++) {
      LeasedJob job = leased();
      Settlement ack = Settlement.Ack.of(job.held());
      Settlement fail = Settlement.Fail.of(job.held(), "why");

      List<Settled> settled =
          atOnce(2, i -> () -> either(i).settle(List.of(i == 0 ? ack : fail)).get(0));

      boolean isDone = settled.get(0).isOk();
      assertThat(state(job.id())).isEqualTo(isDone ? JobState.DONE : JobState.DLQ);
      assertThat(settled.get(1))
          .isEqualTo(isDone ? Settled.repeated(job.id()) : Settled.done(job.id()));
    }
  }

  @ParameterizedTest
  @Guarantee({"J10", "J17"})
  @ValueSource(booleans = {true, false})
  void one_key_enqueued_by_many_at_once_makes_one_job(boolean isFusing) {
    JobOptions options = OPTIONS.withFusing(isFusing);
    List<JobService> processes =
        List.of(over(subject.process(), options), over(subject.process(), options));
    for (int round = 0; round < 20; round++) {
      NewJob keyed = draft().once("key" + round);

      List<Enqueued> enqueued = atOnce(8, i -> () -> processes.get(i % 2).enqueue(keyed));

      assertThat(enqueued).filteredOn(one -> !one.existed()).hasSize(1);
      assertThat(enqueued).extracting(Enqueued::id).containsOnly(enqueued.get(0).id());
    }
    assertThat(stored()).isEqualTo(20);
  }

  @Test
  @Guarantee({"J14", "JF4"})
  void one_job_repeated_with_its_id_and_key_by_many_at_once_is_one_job() {
    for (int round = 0; round < 30; round++) {
      NewJob again = draft().id("id" + round).once("key" + round);

      List<Enqueued> enqueued = atOnce(6, i -> () -> either(i).enqueue(again));

      assertThat(enqueued).filteredOn(one -> !one.existed()).hasSize(1);
      assertThat(enqueued).extracting(Enqueued::id).containsOnly("id" + round);
    }
  }

  @ParameterizedTest
  @Guarantee({"J9", "J15"})
  @ValueSource(booleans = {true, false})
  void a_refused_enqueue_does_not_harm_those_it_travels_with(boolean isFusing) {
    JobService process = over(subject.process(), OPTIONS.withFusing(isFusing));
    String taken = enqueue(draft().id("taken"));

    List<Boolean> stored =
        atOnce(
            16,
            i ->
                () -> {
                  NewJob last = i % 2 == 0 ? draft() : draft().id(taken);
                  if (i % 2 == 0) {
                    return process.enqueue(List.of(draft(), last)).size() == 2;
                  }
                  failing(JobError.DUPLICATE_JOB_ID, () -> process.enqueue(List.of(draft(), last)));
                  return false;
                });

    assertThat(stored).filteredOn(isStored -> isStored).hasSize(8);
    assertThat(stored()).isEqualTo(1 + 16);
  }

  @Test
  @Guarantee("J17")
  void batches_with_the_same_keys_in_different_orders_do_not_block_each_other() {
    List<Integer> order = IntStream.range(0, 50).boxed().toList();

    List<Long> made =
        atOnce(
            8,
            i ->
                () -> {
                  List<NewJob> batch =
                      order.stream()
                          .map(n -> draft().once("k" + (i % 2 == 0 ? n : 49 - n)))
                          .toList();
                  return either(i).enqueue(batch).stream().filter(one -> !one.existed()).count();
                });

    assertThat(made.stream().mapToLong(n -> n).sum()).isEqualTo(50);
    assertThat(stored()).isEqualTo(50);
  }
}
