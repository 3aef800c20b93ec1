package io.holdfast.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharesTest {
  private static final Instant NOW = Instant.parse("2026-07-01T12:00:00Z");
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static Shares shares(Object... weights) {
    Map<String, Integer> byQueue = new LinkedHashMap<>();
    for (int i = 0; i < weights.length; i += 2) {
      byQueue.put((String) weights[i], (Integer) weights[i + 1]);
    }
    Shares shares = new Shares(byQueue, true);
    shares.quiet(false);
    return shares;
  }

  private static List<ReserveRequest.Share> divide(Shares shares, int limit) {
    return shares.divide(limit, queue -> true, 0);
  }

  private static ReserveRequest request(List<ReserveRequest.Share> parts, int limit) {
    return new ReserveRequest(parts, limit, ReserveRequest.DEFAULT_LEASE, null);
  }

  /** An answer with so many jobs of each queue. */
  private static Reserved answer(Map<String, Integer> got) {
    List<LeasedJob> jobs = new ArrayList<>();
    got.forEach(
        (queue, count) -> {
          for (int i = 0; i < count; i++) {
            jobs.add(new LeasedJob(job(queue), "token", NOW));
          }
        });
    return new Reserved(jobs, Set.of(), false, NOW, null);
  }

  private static Job job(String queue) {
    JobSpec spec = new JobSpec("t", queue, new byte[0], null, Duration.ZERO, 0, 0, JobSpec.NO_KEYS);
    Job.History history = new Job.History(0, "", null, 1, 0, null, Job.Dead.NEVER);
    return new Job("id", spec, JobState.INFLIGHT, NOW, history, Job.Progress.NONE, null, false);
  }

  @Test
  void each_queue_gets_its_share_of_any_longer_run_of_turns() {
    Shares shares = shares("a", 5, "b", 3, "c", 2);
    Map<String, Integer> all = new HashMap<>();

    for (int i = 0; i < 100; i++) {
      divide(shares, 1 + i % 7)
          .forEach(share -> all.merge(share.queue(), share.max(), Integer::sum));
    }

    int sum = all.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(all.get("a")).isBetween(sum / 2 - 2, sum / 2 + 2);
    assertThat(all.get("b")).isBetween(sum * 3 / 10 - 2, sum * 3 / 10 + 2);
  }

  @Test
  void while_there_is_nothing_anywhere_each_queue_may_have_all_places() {
    Shares shares = shares("a", 1, "b", 1, "c", 1);
    shares.quiet(true);

    assertThat(divide(shares, 2))
        .extracting(ReserveRequest.Share::queue, ReserveRequest.Share::max)
        .containsExactly(tuple("a", 2), tuple("b", 2), tuple("c", 2));
  }

  @Test
  void what_is_left_goes_to_queues_that_used_up_their_share_or_were_not_asked() {
    Shares shares = shares("a", 1, "b", 1, "c", 1);
    ReserveRequest request = request(divide(shares, 2), 2);
    assertThat(request.queues()).extracting(ReserveRequest.Share::queue).containsExactly("a", "b");

    List<ReserveRequest.Share> lent =
        shares.lend(request, answer(Map.of("b", 1)), queue -> true, 0);

    assertThat(lent).extracting(ReserveRequest.Share::queue).containsExactly("b", "c");
    assertThat(lent).allMatch(share -> share.max() == 1);
  }

  @Test
  void an_answer_that_large_jobs_filled_says_of_no_queue_that_it_is_empty() {
    Shares shares = shares("a", 1, "b", 1);
    ReserveRequest request = request(divide(shares, 4), 4);
    Reserved full = new Reserved(answer(Map.of("a", 2)).jobs(), Set.of(), true, NOW, null);

    assertThat(shares.lend(request, full, queue -> true, 0)).isEmpty();
  }

  @Test
  void a_closed_queue_gets_nothing() {
    Shares shares = shares("a", 1, "b", 1);
    ReserveRequest request = request(shares.divide(3, "a"::equals, 0), 3);

    assertThat(request.queues()).containsExactly(ReserveRequest.Share.of("a", 3));
    assertThat(shares.lend(request, answer(Map.of()), "a"::equals, 0)).isEmpty();
    assertThat(shares.divide(3, queue -> false, 0)).isEmpty();
  }

  @Test
  void a_queue_that_gave_all_it_had_is_asked_from_there_on_for_a_second() {
    Shares shares = shares("a", 1);
    ReserveRequest request = request(divide(shares, 4), 4);

    shares.heard(request, answer(Map.of("a", 1)), 0);

    Instant floor = NOW.minusSeconds(1);
    assertThat(shares.divide(4, queue -> true, SECOND - 1))
        .containsExactly(new ReserveRequest.Share("a", 4, floor));
    assertThat(shares.divide(4, queue -> true, SECOND))
        .containsExactly(new ReserveRequest.Share("a", 4, null));
  }

  @Test
  void a_queue_that_may_have_more_than_its_share_is_asked_from_its_beginning() {
    Shares shares = shares("a", 1, "b", 1);
    ReserveRequest request = request(divide(shares, 4), 4);

    shares.heard(request, answer(Map.of("a", 2)), 0);

    assertThat(shares.divide(4, "a"::equals, 1))
        .extracting(ReserveRequest.Share::floor)
        .containsOnlyNulls();
    assertThat(shares.lend(request, answer(Map.of("a", 2)), queue -> true, 1))
        .containsExactly(new ReserveRequest.Share("a", 2, null));
  }
}
