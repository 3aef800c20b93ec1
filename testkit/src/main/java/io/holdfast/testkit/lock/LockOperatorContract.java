package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Fence;
import io.holdfast.lease.LossReason;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.DisplayHash;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockOperator;
import io.holdfast.lock.LockOperator.LockInspection;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Wait;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looking into locks, and stepping in. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class LockOperatorContract extends LockSuite {
  /** In the order of UTF-8 bytes; UTF-16 units would put the last but one behind the last. */
  private static final List<String> BY_BYTES =
      List.of("A", "Z", "a", "a\u00e9", "b", "\u00e9", "\u9501", "\uff5e", "\ud83d\udd12");

  private LockOperator operator;

  @BeforeEach
  void openOperator() {
    operator = otherProcess().operator();
  }

  @Test
  @Guarantee("L99")
  void a_list_is_ordered_by_the_bytes_of_the_keys() {
    List<String> shuffled = new ArrayList<>(BY_BYTES);
    java.util.Collections.reverse(shuffled);
    shuffled.forEach(this::take);

    assertThat(operator.listRaw("", null, 1000))
        .extracting(LockInfoRaw::key)
        .containsExactlyElementsOf(BY_BYTES);
  }

  @Test
  @Guarantee("L99")
  void a_list_is_paged_without_gap_or_repetition() {
    BY_BYTES.forEach(this::take);
    for (int limit : new int[] {1, 2, 4}) {
      List<String> seen = new ArrayList<>();
      String after = null;
      List<LockInfoRaw> page = operator.listRaw("", null, limit);
      while (!page.isEmpty()) {
        assertThat(page).hasSizeLessThanOrEqualTo(limit);
        page.forEach(lock -> seen.add(lock.key()));
        after = seen.get(seen.size() - 1);
        page = operator.listRaw("", after, limit);
      }

      assertThat(seen).containsExactlyElementsOf(BY_BYTES);
    }
  }

  @Test
  @Guarantee("L99")
  void a_list_has_the_live_locks_with_the_prefix_after_the_given_key() {
    for (String key : List.of("job:1", "job:2", "job:3", "job_4", "jobs", "Job:1", "job:%", "j")) {
      take(key);
    }
    granted(locks.acquire("job:brief", Duration.ofMillis(1)));
    time.advanceMs(1001);

    assertThat(keys("job:", null)).containsExactly("job:%", "job:1", "job:2", "job:3");
    assertThat(keys("job:", "job:1")).containsExactly("job:2", "job:3");
    assertThat(keys("job:", "job:11")).containsExactly("job:2", "job:3");
    assertThat(keys("job_", null)).containsExactly("job_4");
    assertThat(keys("job:%", null)).containsExactly("job:%");
    assertThat(keys("none", null)).isEmpty();
  }

  @Test
  @Guarantee({"L99", "L35"})
  void a_list_is_hashed_unless_raw_is_asked() {
    Acquired lock = take("secret-key");

    LockInfo info = operator.list("", null, 1).get(0);

    assertThat(info).isEqualTo(locks.lookup("secret-key").orElseThrow());
    assertThat(info.keyHash()).isEqualTo(DisplayHash.of("secret-key"));
    assertThat(info.toString()).doesNotContain("secret-key", lock.lockId());
    LockInfoRaw raw = operator.listRaw("", null, 1).get(0);
    assertThat(raw.key()).isEqualTo("secret-key");
    assertThat(raw.lockId()).isEqualTo(lock.lockId());
  }

  @Test
  @Guarantee("L99")
  void inspect_shows_row_remaining_counter_and_refusal() {
    LockInspection unknown = operator.inspect("key");
    assertThat(unknown.lock()).isEmpty();
    assertThat(unknown.remaining()).isZero();
    assertThat(unknown.counter()).isZero();
    assertThat(unknown.waiters()).isEmpty();
    assertThat(unknown.refusal()).isEmpty();
    take("key").release();
    Acquired lock = take("key");
    time.advanceMs(300);

    LockInspection held = operator.inspect("key");
    assertThat(held.lock()).isEqualTo(locks.lookup("key")).isPresent();
    assertThat(held.remaining()).isEqualTo(TTL.plusMillis(1000 - 300));
    assertThat(held.counter()).isEqualTo(2);
    assertThat(held.refusal()).isPresent();

    expire(lock);
    LockInspection dead = operator.inspect("key");
    assertThat(dead.lock().orElseThrow().fence()).isEqualTo(lock.fence());
    assertThat(dead.remaining()).isZero();
    assertThat(dead.refusal()).isEmpty();
  }

  @Test
  @Guarantee("L46")
  void inspect_says_that_the_fences_are_used_up() {
    subject.setCounter("end", Fence.MAX);

    assertThat(operator.inspect("end").counter()).isEqualTo(Fence.MAX);
    assertThat(operator.inspect("end").refusal()).isPresent();
  }

  @Test
  @Guarantee("L74")
  void inspect_shows_waiters_in_order() {
    take("key");
    CancellationSource token = new CancellationSource();
    List<Future<LockException>> waiting = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      waiting.add(start(() -> waitInVain(token)));
      time.awaitParked(i);
    }

    List<LockAdmin.Ticket> tickets = operator.inspect("key").waiters();
    assertThat(tickets).hasSize(3).allMatch(LockAdmin.Ticket::fair);
    assertThat(tickets).extracting(LockAdmin.Ticket::number).isSorted().doesNotHaveDuplicates();
    assertThat(operator.stats().waiters()).isEqualTo(3);

    token.cancel();
    waiting.forEach(LockSuite::join);
    assertThat(operator.inspect("key").waiters()).isEmpty();
    assertThat(operator.stats().waiters()).isZero();
  }

  @Test
  @Guarantee("L99")
  void stats_count_live_locks_and_expired_rows() {
    assertThat(operator.stats().liveLocks()).isZero();
    take("one");
    take("two");
    granted(locks.acquire("brief", Duration.ofMillis(1)));
    time.advanceMs(1000);
    assertThat(operator.stats().liveLocks()).isEqualTo(3);
    time.advanceMs(1);

    LockAdmin.Stats stats = operator.stats();
    assertThat(stats.liveLocks()).isEqualTo(2);
    assertThat(stats.expiredRows()).isEqualTo(1);
    assertThat(stats.waiters()).isZero();
    assertThat(stats.counters()).isNotNegative();
    assertThat(stats.lockTableBytes()).isNotNegative();
    assertThat(stats.counterTableBytes()).isNotNegative();

    time.advanceMs(2000);
    operator.purge();
    assertThat(operator.stats().expiredRows()).isZero();
  }

  @Test
  @Guarantee("L87")
  void a_break_with_the_wrong_fence_does_nothing() {
    take("key").release();
    Acquired lock = take("key");

    assertThat(operator.breakLock("key", new Fence(1))).isFalse();
    assertThat(operator.breakLock("key", new Fence(3))).isFalse();
    assertThat(operator.breakLock("other", new Fence(2))).isFalse();

    assertThat(locks.owns(lock.lockId())).isTrue();
    assertThat(operator.inspect("other").counter()).isZero();
  }

  @Test
  @Guarantee("L87")
  void a_break_with_the_right_fence_frees_the_key() {
    Acquired lock = take("key");

    assertThat(operator.breakLock("key", lock.fence())).isTrue();

    assertThat(locks.isLocked("key")).isFalse();
    assertThat(operator.breakLock("key", lock.fence())).isFalse();
    assertThat(locks.extend(lock.lockId(), TTL)).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
    assertThat(take("key").fence()).isEqualTo(new Fence(2));
    assertThat(lock.release().ok()).isFalse();
    assertThat(locks.isLocked("key")).isTrue();
  }

  @Test
  @Guarantee("L87")
  void a_break_wakes_who_waits() {
    Acquired lock = take("key");
    Future<LockAttempt> waiting =
        start(() -> locks.acquire("key", TTL, Wait.upTo(Duration.ofHours(1))));
    time.awaitParked(1);

    assertThat(operator.breakLock("key", lock.fence())).isTrue();

    assertThat(granted(join(waiting)).fence()).isEqualTo(new Fence(2));
    assertThat(time.nanos()).isZero();
  }

  @Test
  @Guarantee("L87")
  void the_old_holder_learns_of_a_break_at_its_next_renewal() {
    Heard<LossReason> losses = new Heard<>();
    Acquired lock = take("key").keep(losses::add);

    operator.breakLock("key", lock.fence());
    time.advance(RENEWAL);

    assertThat(losses.next()).isEqualTo(LossReason.NOT_FOUND);
    assertThat(lock.isHeld()).isFalse();
    failing(ErrorCode.LEASE_LOST, lock::ensureHeld);
  }

  @Test
  @Guarantee("L10")
  void raised_fences_are_added_to_every_counter() {
    take("one").release();
    take("one").release();
    Acquired held = take("two");

    assertThat(operator.raiseFences(1000)).isEqualTo(2);

    assertThat(operator.inspect("one").counter()).isEqualTo(1002);
    assertThat(operator.inspect("two").counter()).isEqualTo(1001);
    assertThat(locks.lookup("two").orElseThrow().fence()).isEqualTo(held.fence());
    assertThat(take("one").fence()).isEqualTo(new Fence(1003));
    assertThat(take("fresh").fence()).isEqualTo(new Fence(1));
  }

  @Test
  @Guarantee({"L10", "L46"})
  void raised_fences_stop_at_the_highest_and_are_never_lowered() {
    subject.setCounter("near", Fence.MAX - 5);
    subject.setCounter("at", Fence.MAX);
    subject.setCounter("beyond", Fence.MAX + 7);

    operator.raiseFences(10);
    operator.raiseFences(Fence.MAX);

    assertThat(operator.inspect("near").counter()).isEqualTo(Fence.MAX);
    assertThat(operator.inspect("at").counter()).isEqualTo(Fence.MAX);
    assertThat(operator.inspect("beyond").counter()).isEqualTo(Fence.MAX + 7);
    failing(ErrorCode.INTERNAL, () -> locks.acquire("near", TTL));
  }

  private LockException waitInVain(CancellationSource token) {
    Wait fairly = Wait.upTo(Duration.ofHours(1)).fair();
    return failing(ErrorCode.ABORTED, () -> locks.cancelledBy(token).acquire("key", TTL, fairly));
  }

  private List<String> keys(String prefix, String after) {
    return operator.listRaw(prefix, after, 100).stream().map(LockInfoRaw::key).toList();
  }
}
