package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Cancelled.Result;
import io.holdfast.job.Job;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators do while others work: every job has exactly one outcome. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobRaceContract extends JobSuite {
  private static final int ROUNDS = 30;

  private JobService there;

  @BeforeEach
  void openAnother() {
    there = process();
  }

  /** What came of cancelling a job and of something else at the same time. */
  private record Race<T>(Result cancel, T other) {}

  private <T> Race<T> cancelAgainst(String id, Supplier<T> other) {
    List<Object> both =
        atOnce(2, i -> () -> i == 0 ? there.cancel(List.of(id)).get(0) : other.get());
    @SuppressWarnings("unchecked")
    T answer = (T) both.get(1);
    return new Race<>(((Cancelled) both.get(0)).result(), answer);
  }

  @Test
  @Guarantee({"J62", "J63", "JF11"})
  void of_a_cancel_and_a_reserve_one_gets_the_job() {
    for (int round = 0; round < ROUNDS; round++) {
      String id = enqueue(draft());

      Race<List<LeasedJob>> race = cancelAgainst(id, () -> reserve(1));

      if (race.other().isEmpty()) {
        assertThat(race.cancel()).isEqualTo(Result.CANCELLED);
        assertThat(state(id)).isEqualTo(JobState.CANCELLED);
      } else {
        assertThat(race.cancel()).isEqualTo(Result.REQUESTED);
        assertThat(jobs.inspect(id).isCancelRequested()).isTrue();
        jobs.ack(race.other().get(0).held());
        assertThat(state(id)).isEqualTo(JobState.DONE);
      }
    }
  }

  @Test
  @Guarantee({"J64", "JF11"})
  void an_ack_counts_whether_a_cancel_comes_before_or_after() {
    for (int round = 0; round < ROUNDS; round++) {
      LeasedJob job = leased();

      Race<Settled> race = cancelAgainst(job.id(), () -> settle(Settlement.Ack.of(job.held())));

      assertThat(race.cancel()).isIn(Result.REQUESTED, Result.FINISHED);
      assertThat(race.other()).isEqualTo(Settled.done(job.id()));
      Job done = jobs.inspect(job.id());
      assertThat(done.state()).isEqualTo(JobState.DONE);
      assertThat(done.isCancelRequested()).isFalse();
    }
  }

  @Test
  @Guarantee({"J65", "JF11"})
  void a_retry_and_a_cancel_end_the_job_cancelled_whichever_comes_first() {
    for (int round = 0; round < ROUNDS; round++) {
      LeasedJob job = leased();

      Race<Settled> race =
          cancelAgainst(job.id(), () -> settle(Settlement.Retry.in(job.held(), null, "again")));

      boolean isFirst = race.cancel() == Result.REQUESTED;
      assertThat(race.cancel()).isIn(Result.REQUESTED, Result.CANCELLED);
      assertThat(race.other().isOk()).isTrue();
      assertThat(race.other().isCancelled()).isEqualTo(isFirst);
      assertThat(state(job.id())).isEqualTo(JobState.CANCELLED);
      assertThat(history(job.id()).attempts()).isEqualTo(1);
    }
  }

  @Test
  @Guarantee({"J66", "JF11"})
  void an_expired_job_is_cancelled_or_taken_over_and_told() {
    for (int round = 0; round < ROUNDS; round++) {
      String id = leased().id();
      time.advance(LEASE);

      Race<Reserved> race = cancelAgainst(id, () -> jobs.reserve(request(1)));

      assertThat(race.cancel()).isEqualTo(Result.REQUESTED);
      Job job = jobs.inspect(id);
      if (race.other().jobs().isEmpty()) {
        finishCancelling(id);
      } else {
        assertThat(job.isCancelRequested()).isTrue();
        assertThat(job.history().deliveries()).isEqualTo(2);
        assertThat(extend(race.other().jobs().get(0).held(), LEASE).isCancelRequested()).isTrue();
        jobs.fail(race.other().jobs().get(0).held(), "why");
      }
    }
  }

  /** A reserve that came upon the row while the cancel was at work has left it to the next. */
  private void finishCancelling(String id) {
    assertThat(reserve(1)).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(history(id).deliveries()).isEqualTo(1);
  }

  @Test
  @Guarantee({"J62", "JF11"})
  void of_many_cancels_at_the_same_time_one_ends_the_job() {
    for (int round = 0; round < ROUNDS; round++) {
      String id = enqueue(draft());

      List<Result> results =
          atOnce(4, i -> () -> (i % 2 == 0 ? jobs : there).cancel(List.of(id)).get(0).result());

      assertThat(results).filteredOn(result -> result == Result.CANCELLED).hasSize(1);
      assertThat(results).filteredOn(result -> result == Result.FINISHED).hasSize(3);
    }
  }

  @Test
  @Guarantee({"J39", "JF12"})
  void a_reserve_that_begins_after_a_pause_gets_nothing() {
    enqueue(numbered(2_000));
    Pauses pauses = new Pauses();

    List<Integer> wrong =
        atOnce(9, i -> () -> i == 0 ? pauses.begin() : pauses.reserve(i % 2 == 0 ? jobs : there));

    assertThat(wrong).containsOnly(0);
    assertThat(pauses.got).hasPositiveValue();
  }

  /** Pauses of the queue while others reserve. */
  private final class Pauses {
    private static final int OVER = -1;

    /** Odd from when a pause has begun until it is about to end. */
    final AtomicInteger phase = new AtomicInteger();

    final AtomicInteger got = new AtomicInteger();

    int begin() {
      try {
        for (int round = 0; round < 20; round++) {
          int before = got.get();
          eventually(() -> got.get() > before || got.get() == 2_000);
          jobs.queues().pause(QUEUE);
          phase.incrementAndGet();
          assertThat(JobRaceContract.this.reserve(1)).isEmpty();
          phase.incrementAndGet();
          jobs.queues().resume(QUEUE);
        }
        return 0;
      } finally {
        phase.set(OVER);
      }
    }

    /** Reserves one by one; answers how many came although the queue was paused all the time. */
    int reserve(JobService process) {
      int wrong = 0;
      int before = phase.get();
      while (before != OVER) {
        int count = process.reserve(request(1)).jobs().size();
        got.addAndGet(count);
        int after = phase.get();
        wrong += before == after && before % 2 == 1 ? count : 0;
        before = after;
      }
      return wrong;
    }
  }
}
