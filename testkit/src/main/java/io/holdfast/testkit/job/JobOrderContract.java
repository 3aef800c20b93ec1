package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** In which order jobs are given: by how long they could have run, less their head start. */
public abstract class JobOrderContract extends JobSuite {
  private static final Duration STEP = Duration.ofSeconds(60);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** The texts of everything that may run now, in the order in which it is given. */
  private List<String> drained() {
    List<String> texts = new ArrayList<>();
    List<LeasedJob> got = reserve(1);
    while (!got.isEmpty()) {
      texts.addAll(texts(got));
      got = reserve(1);
    }
    return texts;
  }

  @Test
  @Guarantee("J33")
  void jobs_come_oldest_eligibility_first() {
    enqueue(draft("due at 2").runIn(SECOND.multipliedBy(2)));
    enqueue("expires at 1");
    jobs.reserve(request(1).leaseFor(SECOND));
    time.advance(SECOND.dividedBy(2));
    enqueue("new at 0.5");
    time.advance(SECOND);
    enqueue("new at 1.5");
    time.advance(SECOND);
    enqueue("new at 2.5");
    time.advance(SECOND);

    assertThat(drained())
        .containsExactly("new at 0.5", "expires at 1", "new at 1.5", "due at 2", "new at 2.5");
  }

  @Test
  @Guarantee("J33")
  void an_answer_is_in_the_same_order_as_answers_one_by_one() {
    enqueue(draft("b").runIn(SECOND));
    enqueue("c");
    jobs.reserve(request(1).leaseFor(SECOND.multipliedBy(2)));
    enqueue("a");
    time.advance(SECOND.multipliedBy(3));
    enqueue("d");

    assertThat(texts(reserve(9))).containsExactly("a", "b", "c", "d");
  }

  @Test
  @Guarantee("J33")
  void equally_old_jobs_come_by_their_ids() {
    NewJob due = draft().runAt(instant().plusSeconds(1));
    jobs.enqueue(List.of(due.id("c").payload("c"), due.id("a").payload("a")));
    jobs.enqueue(due.id("b").payload("b"));
    time.advance(SECOND);
    jobs.enqueue(draft("d").id("d"));

    assertThat(drained()).containsExactly("a", "b", "c", "d");
  }

  @Test
  @Guarantee("J33")
  void microseconds_count() {
    enqueue(draft("second").runIn(SECOND.plus(MICRO)));
    enqueue(draft("first").runIn(SECOND));
    enqueue(draft("third").runIn(SECOND.plus(MICRO.multipliedBy(2))));
    time.advance(SECOND.multipliedBy(2));

    assertThat(drained()).containsExactly("first", "second", "third");
  }

  @Test
  @Guarantee("J33")
  void jobs_of_several_queues_come_in_one_order() {
    for (int i = 0; i < 6; i++) {
      enqueue(draft("j" + i).queue("q" + i % 3));
      time.advanceMs(1);
    }
    List<Share> shares = IntStream.of(2, 0, 1).mapToObj(i -> Share.of("q" + i, 9)).toList();

    List<LeasedJob> got = jobs.reserve(new ReserveRequest(shares, 5, LEASE, null)).jobs();

    assertThat(texts(got)).containsExactly("j0", "j1", "j2", "j3", "j4");
  }

  @Test
  @Guarantee("J34")
  void neither_due_nor_expired_jobs_are_starved_by_new_ones() {
    enqueue(draft("due").runIn(SECOND));
    enqueue("expired");
    jobs.reserve(request(1).leaseFor(SECOND.multipliedBy(2)));
    time.advance(SECOND.multipliedBy(3));
    enqueue(numbered(1000));

    assertThat(texts(reserve(3))).containsExactly("due", "expired", "j1");
  }

  @Test
  @Guarantee("J34")
  void a_due_job_is_given_before_what_comes_after_it_became_due() {
    enqueue(draft("due").runIn(SECOND));
    time.advance(SECOND);

    List<String> got = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      time.advanceMs(1);
      enqueue("n" + i, "m" + i);
      got.addAll(texts(reserve(1)));
    }

    assertThat(got).containsExactly("due", "n0", "m0");
  }

  @Test
  @Guarantee("J34")
  void new_jobs_are_not_starved_by_due_ones() {
    enqueue("new");
    time.advance(SECOND);
    List<NewJob> due =
        IntStream.range(0, 100)
            .mapToObj(i -> draft("due").runAt(instant().minusSeconds(9)))
            .toList();
    jobs.enqueue(due);

    assertThat(texts(reserve(1))).containsExactly("new");
  }

  @Test
  @Guarantee("J35")
  void priority_is_a_head_start_of_one_step_per_point() {
    enqueue("plain");
    time.advance(STEP.multipliedBy(3).minusMillis(1));
    enqueue(draft("three steps ahead").priority(3));
    time.advanceMs(2);
    enqueue(draft("too late").priority(3));

    assertThat(drained()).containsExactly("three steps ahead", "plain", "too late");
  }

  @Test
  @Guarantee("J35")
  void a_head_start_is_exact_to_the_microsecond() {
    jobs.enqueue(
        List.of(draft("first").id("z1"), draft("third").id("z2"), draft("fifth").id("z3")));
    time.advance(STEP);
    NewJob ahead = draft().priority(1);
    jobs.enqueue(
        List.of(
            ahead.id("zz1").payload("second"),
            ahead.id("a2").payload("before third"),
            ahead.id("zz3").payload("sixth")));

    assertThat(drained())
        .containsExactly("first", "second", "before third", "third", "fifth", "sixth");
  }

  @Test
  @Guarantee("J35")
  void a_negative_priority_is_a_step_back() {
    enqueue(draft("back").priority(-2));
    time.advance(STEP.multipliedBy(2).minusMillis(1));
    enqueue("plain");
    time.advanceMs(2);
    enqueue("later");

    assertThat(drained()).containsExactly("plain", "back", "later");
  }

  @Test
  @Guarantee("J35")
  void of_jobs_of_one_batch_the_most_urgent_comes_first() {
    jobs.enqueue(
        List.of(
            draft("0").priority(0),
            draft("-100").priority(-100),
            draft("100").priority(100),
            draft("1").priority(1),
            draft("-1").priority(-1)));

    assertThat(drained()).containsExactly("100", "1", "0", "-1", "-100");
  }

  @Test
  @Guarantee("J35")
  void due_jobs_have_their_head_start_too() {
    enqueue(draft("plain").runIn(SECOND));
    enqueue(draft("urgent").runIn(SECOND.plus(STEP).minusMillis(1)).priority(1));
    enqueue(draft("late").runIn(SECOND.plus(STEP).plusMillis(1)).priority(1));
    time.advance(STEP.multipliedBy(2));

    assertThat(texts(reserve(9))).containsExactly("urgent", "plain", "late");
  }

  @Test
  @Guarantee("J35")
  void expired_jobs_have_their_head_start_too() {
    jobs.enqueue(List.of(draft("plain"), draft("urgent").priority(-1), draft("late").priority(-1)));
    List<LeasedJob> held = reserve(9);
    assertThat(texts(held)).containsExactly("plain", "urgent", "late");
    extend(held.get(0).held(), STEP.multipliedBy(2));
    extend(held.get(1).held(), STEP.minusMillis(1));
    extend(held.get(2).held(), STEP.plusMillis(1));
    time.advance(STEP.multipliedBy(2));

    assertThat(texts(reserve(9))).containsExactly("urgent", "plain", "late");
  }

  @Test
  @Guarantee("J35")
  void an_imported_job_is_as_old_as_it_says() {
    enqueue("plain");
    NewJob.Import past = new NewJob.Import(0, "", null, instant().minusSeconds(1));
    enqueue(draft("old").imported(past));
    enqueue(draft("old and low").imported(past).priority(-1));

    assertThat(drained()).containsExactly("old", "plain", "old and low");
  }

  @Test
  @Guarantee("J36")
  void an_old_low_priority_job_beats_a_new_high_one() {
    enqueue(draft("low").priority(-100));
    time.advance(STEP.multipliedBy(200).plusMillis(1));
    enqueue(draft("high").priority(100));

    assertThat(drained()).containsExactly("low", "high");
  }

  @Test
  @Guarantee("J36")
  void urgent_jobs_without_end_do_not_starve_a_low_one() {
    enqueue(draft("low").priority(-5));

    int given = 0;
    List<String> got = List.of();
    while (!got.contains("low")) {
      time.advance(STEP);
      enqueue(draft("high").priority(5));
      enqueue(draft("high").priority(5));
      got = texts(reserve(1));
      assertThat(given++).as("urgent jobs before it").isLessThan(30);
    }

    assertThat(given).isGreaterThan(10);
  }
}
