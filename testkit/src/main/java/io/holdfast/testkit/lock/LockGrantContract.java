package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.DisplayHash;
import io.holdfast.lock.LockEvent;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locked;
import io.holdfast.lock.NotHeld;
import io.holdfast.lock.Released;
import io.holdfast.testkit.Guarantee;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Who gets a key, and under which fence. */
public abstract class LockGrantContract extends LockSuite {
  @Test
  @Guarantee("L1")
  void a_free_key_is_granted_with_fence_1() {
    Acquired lock = take("free");

    assertThat(lock.ok()).isTrue();
    assertThat(lock.fence()).isEqualTo(new Fence(1));
    assertThat(lock.lockId()).matches("[A-Za-z0-9_-]{22}");
    assertThat(lock.acquiredAt().toEpochMilli()).isEqualTo(time.nowMs());
  }

  @Test
  @Guarantee("L2")
  void a_second_acquire_of_a_held_key_is_refused() {
    Acquired lock = take("held");

    Locked refused = refused(otherProcess().acquire("held", TTL));

    assertThat(refused.ok()).isFalse();
    assertThat(locks.lookupRaw("held").orElseThrow().lockId()).isEqualTo(lock.lockId());
  }

  @Test
  @Guarantee("L2")
  void a_refusal_says_when_the_lease_stops_being_live() {
    Acquired lock = take("held");

    assertThat(refused(locks.acquire("held", TTL)).retryAfter()).isEqualTo(TTL.plusMillis(1000));

    time.advanceMs(TTL.toMillis() + 999);

    assertThat(refused(locks.acquire("held", TTL)).retryAfter()).hasMillis(1);
    assertThat(refused(locks.acquire("held", TTL)).toString()).doesNotContain(lock.lockId());
  }

  @Test
  @Guarantee("L3")
  void a_refused_acquire_consumes_no_fence() {
    Acquired lock = take("held");

    for (int i = 0; i < 5; i++) {
      refused(otherProcess().acquire("held", TTL));
    }
    assertThat(locks.operator().inspect("held").counter()).isEqualTo(1);
    lock.release();

    assertThat(take("held").fence()).isEqualTo(new Fence(2));
  }

  @Test
  @Guarantee("L4")
  void different_keys_do_not_disturb_each_other() {
    Acquired one = take("one");
    Acquired two = take("two");

    assertThat(one.release()).isEqualTo(new Released());

    assertThat(locks.isLocked("one")).isFalse();
    assertThat(locks.isLocked("two")).isTrue();
    assertThat(two.release()).isEqualTo(new Released());
  }

  @Test
  @Guarantee("L5")
  void a_released_key_is_granted_again_with_a_higher_fence() {
    Acquired first = take("again");
    first.release();

    Acquired second = granted(otherProcess().acquire("again", TTL));

    assertThat(second.fence()).isGreaterThan(first.fence());
    assertThat(second.lockId()).isNotEqualTo(first.lockId());
  }

  @Test
  @Guarantee("L6")
  void fences_of_one_key_rise_by_exactly_one_per_grant() {
    LockService other = otherProcess();

    for (int i = 1; i <= 12; i++) {
      Acquired lock = granted((i % 2 == 0 ? locks : other).acquire("steps", TTL));

      assertThat(lock.fence()).isEqualTo(new Fence(i));
      if (i % 3 == 0) {
        expire(lock);
      } else {
        lock.release();
      }
    }
  }

  @Test
  @Guarantee("L7")
  void fences_of_different_keys_are_independent() {
    for (int i = 0; i < 5; i++) {
      take("busy").release();
    }

    assertThat(take("quiet").fence()).isEqualTo(new Fence(1));
    assertThat(take("busy").fence()).isEqualTo(new Fence(6));
  }

  @Test
  @Guarantee("L8")
  void the_fence_text_has_15_digits() {
    assertThat(take("text").fence().text()).isEqualTo("000000000000001");
    assertThat(new Fence(999_999_999_999_999L).text()).isEqualTo("999999999999999");
    assertThat(Fence.parse("000000000000042")).isEqualTo(new Fence(42));
    for (String text : List.of("", "1", "00000000000001", "0000000000000001", "-00000000000001")) {
      Throwable thrown = Assertions.catchThrowable(() -> Fence.parse(text));
      assertThat(thrown).as(text).isInstanceOf(HoldfastException.class);
      assertThat(((HoldfastException) thrown).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }

  @Test
  @Guarantee("L9")
  void fence_order_is_numeric() {
    subject.setCounter("order", 8);
    Acquired nine = take("order");
    nine.release();
    Acquired ten = take("order");

    assertThat(nine.fence()).isEqualTo(new Fence(9)).isLessThan(ten.fence());
    assertThat(ten.fence().text()).isGreaterThan(nine.fence().text());
  }

  @Test
  @Guarantee("L10")
  void fences_survive_release_expiry_and_purge() {
    take("lasting").release();

    expire(take("lasting"));
    expire(take("lasting"));
    time.advanceMs(1001);
    assertThat(locks.operator().purge()).isEqualTo(1);

    assertThat(take("lasting").fence()).isEqualTo(new Fence(4));
  }

  @Test
  @Guarantee("L10")
  void fences_survive_cleanup() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));

    expire(take("lasting"));
    time.advanceMs(1001);
    cleaning.isLocked("lasting");
    store.awaitEnded(FaultyLockStore.Operation.REMOVE_STALE, 1);

    assertThat(take("lasting").fence()).isEqualTo(new Fence(2));
  }

  @Test
  @Guarantee("L25")
  void acquire_is_not_re_entrant() {
    Acquired lock = take("mine");

    refused(locks.acquire("mine", TTL));

    assertThat(lock.release()).isEqualTo(new Released());
  }

  @Test
  @Guarantee("L26")
  void acquire_repeated_with_the_same_id_returns_the_same_grant() {
    String id = LockId.random().text();
    Acquired first = granted(locks.acquire("replay", TTL, id));
    time.advanceMs(2000);

    Acquired again = granted(otherProcess().acquire("replay", TTL.multipliedBy(2), id));

    assertThat(again.lockId()).isEqualTo(id);
    assertThat(again.fence()).isEqualTo(first.fence());
    assertThat(again.expiresAt()).isEqualTo(first.expiresAt());
    assertThat(again.acquiredAt()).isEqualTo(first.acquiredAt());
    assertThat(locks.operator().inspect("replay").counter()).isEqualTo(1);
  }

  @Test
  @Guarantee("L26")
  void acquire_repeated_with_the_id_of_an_ended_lease_is_a_new_grant() {
    String id = LockId.random().text();
    granted(locks.acquire("replay", TTL, id)).release();
    Acquired second = granted(locks.acquire("replay", TTL, id));
    expire(second);

    Acquired third = granted(locks.acquire("replay", TTL, id));

    assertThat(second.fence()).isEqualTo(new Fence(2));
    assertThat(third.fence()).isEqualTo(new Fence(3));
    assertThat(third.acquiredAt().toEpochMilli()).isEqualTo(time.nowMs());
  }

  @Test
  @Guarantee("L26")
  void a_repeated_grant_is_trusted_no_longer_than_its_lease() {
    String id = LockId.random().text();
    granted(locks.acquire("replay", TTL, id));
    time.advanceMs(TTL.toMillis() - 1000);

    Acquired again = granted(locks.acquire("replay", TTL, id));
    time.advanceMs(1000);

    assertThat(again.expiresAt().toEpochMilli()).isEqualTo(time.nowMs());
    assertThat(again.isHeld()).isFalse();
  }

  @Test
  @Guarantee("L24")
  void an_id_works_only_for_its_own_key() {
    Acquired one = take("one");
    take("two").release();

    failing(ErrorCode.INVALID_ARGUMENT, () -> locks.acquire("two", TTL, one.lockId()));
    assertThat(locks.operator().inspect("two").counter()).isEqualTo(1);
    assertThat(locks.isLocked("two")).isFalse();

    take("two");
    one.release();

    assertThat(locks.isLocked("two")).isTrue();
    assertThat(locks.release(one.lockId())).isEqualTo(new NotHeld(NotHeld.Reason.NOT_FOUND));
  }

  @Test
  @Guarantee("L27")
  void composed_and_decomposed_spellings_are_one_key() {
    String composed = "caf\u00e9";
    String decomposed = "cafe\u0301";
    Acquired lock = take(decomposed);

    refused(locks.acquire(composed, TTL));

    assertThat(lock.key()).isEqualTo(composed);
    assertThat(locks.isLocked(composed)).isTrue();
    assertThat(locks.lookup(composed)).isEqualTo(locks.lookup(decomposed)).isPresent();
    lock.release();
    assertThat(take(composed).fence()).isEqualTo(new Fence(2));
  }

  @Test
  @Guarantee("L28")
  void keys_are_neither_trimmed_nor_case_folded() {
    for (String key :
        List.of("key", "Key", " key", "key ", "key\t", "key\n", "\uff4bey", "'", "%")) {
      assertThat(take(key).fence()).as("[%s]", key).isEqualTo(new Fence(1));
    }
    assertThat(locks.lookupRaw("key ").orElseThrow().key()).isEqualTo("key ");
  }

  @Test
  @Guarantee({"L46", "LF8"})
  void the_highest_fence_is_granted_and_the_next_refused_as_internal() {
    subject.setCounter("end", Fence.MAX - 1);

    Acquired last = take("end");
    assertThat(last.fence()).isEqualTo(new Fence(Fence.MAX));
    expire(last);

    failing(ErrorCode.INTERNAL, () -> locks.acquire("end", TTL));
    assertThat(locks.operator().inspect("end").counter()).isEqualTo(Fence.MAX);
    assertThat(locks.operator().inspect("end").lock().orElseThrow().fence())
        .isEqualTo(last.fence());
    assertThat(locks.isLocked("end")).isFalse();
  }

  @Test
  @Guarantee({"L46", "LF8"})
  void a_counter_beyond_the_highest_fence_is_kept_and_refused_as_internal() {
    for (long counter : new long[] {Fence.MAX, Fence.MAX + 1, 1_000_000_000_000_000L}) {
      String key = "end-" + counter;
      subject.setCounter(key, counter);

      failing(ErrorCode.INTERNAL, () -> locks.acquire(key, TTL));
      assertThat(locks.operator().inspect(key).counter()).isEqualTo(counter);
      assertThat(locks.operator().inspect(key).lock()).isEmpty();
    }
  }

  @Test
  @Guarantee("L47")
  void grants_above_the_warning_level_go_on_and_warn() {
    Heard<LockEvent> warnings = new Heard<>();
    LockService observed =
        locks.observed(
            event -> {
              if (event.type() == LockEvent.Type.FENCE_WARNING) {
                warnings.add(event);
              }
            });
    subject.setCounter("high", Fence.WARN - 1);

    assertThat(granted(observed.acquire("high", TTL))).satisfies(l -> expire(l));
    assertThat(warnings.all()).isEmpty();
    Acquired above = granted(observed.acquire("high", TTL));

    assertThat(above.fence()).isEqualTo(new Fence(Fence.WARN + 1));
    assertThat(warnings.all())
        .singleElement()
        .satisfies(e -> assertThat(e.keyHash()).isEqualTo(DisplayHash.of("high")));

    expire(above);
    time.advanceMs(60_000);
    assertThat(granted(observed.acquire("high", TTL)).fence().value()).isEqualTo(Fence.WARN + 2);
    assertThat(warnings.all()).hasSize(1);
  }
}
