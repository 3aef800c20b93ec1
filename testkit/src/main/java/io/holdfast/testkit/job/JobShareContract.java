package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a wish for jobs of several queues gets, and what it learns when there is little. */
public abstract class JobShareContract extends JobSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private Reserved reserve(int limit, Share... shares) {
    return jobs.reserve(new ReserveRequest(List.of(shares), limit, LEASE, null));
  }

  private void fill(String queue, int count) {
    jobs.enqueue(
        Arrays.stream(numbered(count))
            .map(text -> draft(queue + "-" + text).queue(queue))
            .toList());
  }

  @Test
  @Guarantee("J37")
  void queues_are_isolated() {
    fill("a", 3);
    fill("b", 2);
    fill("A", 1);

    assertThat(texts(reserve(9, Share.of("b", 9)).jobs())).containsExactly("b-j1", "b-j2");
    assertThat(reserve(9, Share.of("c", 9)).jobs()).isEmpty();
    assertThat(texts(reserve(9, Share.of("a", 9)).jobs())).containsExactly("a-j1", "a-j2", "a-j3");
    assertThat(texts(reserve(9, Share.of("A", 9)).jobs())).containsExactly("A-j1");
  }

  @Test
  @Guarantee("J37")
  void expired_and_due_jobs_stay_in_their_queue() {
    fill("a", 1);
    reserve(9, Share.of("a", 9));
    String due = enqueue(draft("due").queue("a").runIn(SECOND));
    time.advance(LEASE);

    assertThat(reserve(9, Share.of("b", 9)).jobs()).isEmpty();
    assertThat(state(due)).isEqualTo(JobState.READY);
    assertThat(texts(reserve(9, Share.of("a", 9)).jobs())).containsExactly("due", "a-j1");
  }

  @Test
  void large_jobs_fill_an_answer_and_the_rest_comes_with_the_next() {
    byte[] large = new byte[1 << 20];
    for (int i = 0; i < 18; i++) {
      enqueue(draft().payload(large));
      time.advanceMs(1);
    }
    enqueue(draft("small"));

    Reserved first = jobs.reserve(ReserveRequest.of(QUEUE, 20));
    assertThat(first.jobs()).as("16 MiB").hasSize(16);
    assertThat(first.more()).isTrue();
    assertThat(first.jobs().get(15).job().spec().payload()).isEqualTo(large);

    Reserved rest = jobs.reserve(ReserveRequest.of(QUEUE, 20));
    assertThat(rest.jobs()).hasSize(3);
    assertThat(texts(rest.jobs()).get(2)).isEqualTo("small");
    assertThat(rest.more()).isFalse();
  }

  @Test
  @Guarantee("J38")
  void per_queue_and_total_limits_are_honoured() {
    fill("a", 5);
    time.advanceMs(1);
    fill("b", 5);

    List<LeasedJob> got = reserve(4, Share.of("a", 2), Share.of("b", 3)).jobs();
    assertThat(texts(got)).containsExactly("a-j1", "a-j2", "b-j1", "b-j2");

    got = reserve(9, Share.of("b", 1), Share.of("a", 9)).jobs();
    assertThat(texts(got)).containsExactly("a-j3", "a-j4", "a-j5", "b-j3");

    got = reserve(1, Share.of("a", 9), Share.of("b", 9)).jobs();
    assertThat(texts(got)).containsExactly("b-j4");
  }

  @Test
  @Guarantee("J38")
  void due_new_and_expired_jobs_share_the_limit_of_their_queue() {
    enqueue(draft("due").runIn(SECOND));
    enqueue("expired");
    jobs.reserve(request(1).leaseFor(SECOND.multipliedBy(2)));
    time.advance(SECOND.multipliedBy(3));
    enqueue("new");

    assertThat(texts(reserve(9, Share.of(QUEUE, 2)).jobs())).containsExactly("due", "expired");
    assertThat(texts(reserve(9, Share.of(QUEUE, 2)).jobs())).containsExactly("new");
  }

  @Test
  @Guarantee("J38")
  void what_is_not_taken_stays_as_it_was() {
    fill("a", 3);
    fill("b", 3);
    String later = jobs.enqueue(draft().queue("a")).id();

    unchanged(later, () -> reserve(2, Share.of("a", 2), Share.of("b", 2)));

    assertThat(reserve(9, Share.of("a", 9), Share.of("b", 9)).jobs()).hasSize(5);
  }

  @Test
  @Guarantee("J38")
  void a_wish_takes_64_queues_and_1000_jobs() {
    Share[] shares = new Share[64];
    Arrays.setAll(shares, i -> Share.of("q" + i, 20));
    for (int i = 0; i < 55; i++) {
      fill("q" + i, 20);
    }

    assertThat(reserve(1000, shares).jobs()).hasSize(1000);
    assertThat(reserve(1000, shares).jobs()).hasSize(100);
  }

  @Test
  @Guarantee({"J38", "J40"})
  void a_wish_that_is_too_wide_to_be_met_at_once_tells_to_come_again() {
    fill("q7", 600);
    fill("q63", 600);
    Share[] shares = new Share[64];
    Arrays.setAll(shares, i -> Share.of("q" + i, 1000));

    int got = 0;
    Reserved reserved = reserve(1000, shares);
    while (!reserved.jobs().isEmpty()) {
      got += reserved.jobs().size();
      assertThat(got == 1200 || reserved.jobs().size() == 1000 || isSoon(reserved)).isTrue();
      reserved = reserve(1000, shares);
    }

    assertThat(got).isEqualTo(1200);
  }

  private static boolean isSoon(Reserved reserved) {
    Instant next = reserved.nextAt();
    return next != null && !next.isAfter(reserved.at().plusMillis(10));
  }

  @Test
  @Guarantee("J39")
  void a_paused_queue_gives_nothing_and_still_accepts_work() {
    fill("a", 1);
    jobs.queues().pause("a");
    fill("a", 1);
    fill("b", 1);

    Reserved reserved = reserve(9, Share.of("a", 9), Share.of("b", 9), Share.of("c", 9));

    assertThat(texts(reserved.jobs())).containsExactly("b-j1");
    assertThat(reserved.paused()).containsExactly("a");
    assertThat(count("a")).isEqualTo(2);
    jobs.queues().resume("a");
    reserved = reserve(9, Share.of("a", 9));
    assertThat(reserved.jobs()).hasSize(2);
    assertThat(reserved.paused()).isEmpty();
  }

  @Test
  @Guarantee("J39")
  void a_paused_queue_gives_neither_due_nor_expired_jobs() {
    LeasedJob expired = leased();
    String due = enqueue(draft().runIn(SECOND));
    jobs.queues().pause(QUEUE);
    time.advance(LEASE);

    unchanged(expired.id(), () -> unchanged(due, () -> assertThat(reserve(9)).isEmpty()));

    jobs.queues().resume(QUEUE);
    assertThat(reserve(9)).extracting(LeasedJob::id).containsExactly(due, expired.id());
  }

  @Test
  @Guarantee("J39")
  void in_a_paused_queue_runs_may_go_on_and_end() {
    enqueue(numbered(4));
    List<LeasedJob> held = reserve(4);
    jobs.queues().pause(QUEUE);
    time.advanceMs(1);

    assertThat(extend(held.get(0).held(), LEASE).isOk()).isTrue();
    jobs.ack(held.get(0).held());
    jobs.fail(held.get(1).held(), "why");
    jobs.retry(held.get(2).held(), null, "again");
    jobs.release(held.get(3).held(), null);

    assertThat(reserve(9)).isEmpty();
    jobs.queues().resume(QUEUE);
    assertThat(reserve(9))
        .extracting(LeasedJob::id)
        .containsExactly(held.get(3).id(), held.get(2).id());
  }

  @Test
  @Guarantee("J39")
  void a_pause_holds_for_every_process_and_ends_once() {
    JobService there = process();
    enqueue(draft());
    there.queues().pause(QUEUE);
    Instant since = jobs.queues().get(QUEUE).pausedAt();
    assertThat(since).isEqualTo(instant());
    time.advanceMs(1);
    jobs.queues().pause(QUEUE);
    assertThat(jobs.queues().get(QUEUE).pausedAt()).isEqualTo(since);
    assertThat(reserve(1)).isEmpty();
    assertThat(there.reserve(request(1)).paused()).containsExactly(QUEUE);

    jobs.queues().resume(QUEUE);
    jobs.queues().resume(QUEUE);
    jobs.queues().resume("never seen");

    assertThat(there.queues().get(QUEUE).pausedAt()).isNull();
    assertThat(there.reserve(request(1)).jobs()).hasSize(1);
  }

  @Test
  @Guarantee("J40")
  void reserve_tells_the_next_due_time() {
    Instant due = instant().plusSeconds(9).plus(MICRO);
    enqueue(draft().runAt(due.plus(MICRO)));
    enqueue(draft().runAt(due));

    Reserved reserved = reserve(1, Share.of(QUEUE, 1));

    assertThat(reserved.jobs()).isEmpty();
    assertThat(reserved.nextAt()).isEqualTo(due);
    assertThat(reserved.at()).isEqualTo(instant());
  }

  @Test
  @Guarantee("J40")
  void reserve_tells_the_next_expiry() {
    enqueue(numbered(2));
    jobs.reserve(request(1).leaseFor(SECOND.multipliedBy(3)));
    jobs.reserve(request(1).leaseFor(SECOND.plus(MICRO)));
    Instant expiry = instant().plus(SECOND).plus(MICRO);
    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isEqualTo(expiry);

    enqueue(draft().runAt(expiry.plus(MICRO)));
    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isEqualTo(expiry);
    enqueue(draft().runAt(expiry.minus(MICRO)));
    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isEqualTo(expiry.minus(MICRO));
  }

  @Test
  @Guarantee("J40")
  void the_next_instant_is_that_of_all_queues_that_were_asked() {
    enqueue(draft().queue("a").runIn(SECOND.multipliedBy(3)));
    enqueue(draft().queue("b").runIn(SECOND.multipliedBy(2)));
    enqueue(draft().queue("c").runIn(SECOND));

    Reserved reserved = reserve(9, Share.of("a", 9), Share.of("b", 9));
    assertThat(reserved.nextAt()).isEqualTo(instant().plusSeconds(2));

    jobs.queues().pause("b");
    reserved = reserve(9, Share.of("a", 9), Share.of("b", 9));
    assertThat(reserved.nextAt()).isEqualTo(instant().plusSeconds(3));
  }

  @Test
  @Guarantee("J40")
  void a_short_answer_tells_the_next_instant_too() {
    enqueue(draft().runIn(SECOND));
    enqueue("now");

    Reserved reserved = reserve(2, Share.of(QUEUE, 2));

    assertThat(texts(reserved.jobs())).containsExactly("now");
    assertThat(reserved.nextAt()).isEqualTo(instant().plus(SECOND));
  }

  @Test
  @Guarantee("J40")
  void a_full_answer_and_an_empty_queue_tell_no_instant() {
    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isNull();
    enqueue("now");
    enqueue(draft().runIn(SECOND));

    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isNull();

    assertThat(reserve(1, Share.of(QUEUE, 1)).more()).isFalse();
  }

  @Test
  @Guarantee("J40")
  void finished_jobs_are_of_no_interest() {
    done();
    dead("why");
    jobs.cancel(List.of(enqueue(draft().runIn(SECOND))));

    assertThat(reserve(1, Share.of(QUEUE, 1)).nextAt()).isNull();
  }
}
