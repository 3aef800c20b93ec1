package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.DisplayHash;
import io.holdfast.lock.LockCapabilities;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockInfoRaw;
import io.holdfast.lock.LockService;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import org.junit.jupiter.api.Test;

/** What can be seen of locks, and what seeing and upkeep may change. */
public abstract class LockLookupContract extends LockSuite {
  @Test
  @Guarantee("L34")
  void lookups_by_key_and_id_agree() {
    take("other");
    Acquired lock = take("key");

    assertThat(locks.lookup("key")).isPresent().isEqualTo(locks.lookupById(lock.lockId()));
    assertThat(locks.lookupRaw("key")).isPresent().isEqualTo(locks.lookupRawById(lock.lockId()));
    assertThat(locks.lookupRaw("key").map(LockInfoRaw::info)).isEqualTo(locks.lookup("key"));
    assertThat(locks.owns(lock.lockId())).isTrue();
  }

  @Test
  @Guarantee("L35")
  void lookup_shows_hashes_and_never_raw_values() {
    Acquired lock = take("secret-key");

    LockInfo info = locks.lookup("secret-key").orElseThrow();

    assertThat(info.keyHash()).isEqualTo(DisplayHash.of("secret-key"));
    assertThat(info.lockIdHash()).isEqualTo(DisplayHash.of(lock.lockId()));
    assertThat(info.fence()).isEqualTo(lock.fence());
    assertThat(info.expiresAt()).isEqualTo(lock.expiresAt());
    assertThat(info.acquiredAt()).isEqualTo(lock.acquiredAt());
    assertThat(info.toString()).doesNotContain("secret-key", lock.lockId());
    assertThat(lock.toString()).doesNotContain("secret-key", lock.lockId());
  }

  @Test
  @Guarantee("L36")
  void raw_lookup_shows_key_and_id() {
    Acquired lock = take("key");

    LockInfoRaw byKey = locks.lookupRaw("key").orElseThrow();

    assertThat(byKey.key()).isEqualTo("key");
    assertThat(byKey.lockId()).isEqualTo(lock.lockId());
    assertThat(locks.lookupRawById(lock.lockId()).orElseThrow().key()).isEqualTo("key");
  }

  @Test
  @Guarantee("L37")
  void lookup_of_an_expired_or_unknown_lock_is_empty() {
    Acquired lock = take("key");
    expire(lock);

    assertThat(locks.lookup("key")).isEmpty();
    assertThat(locks.lookupRaw("key")).isEmpty();
    assertThat(locks.lookupById(lock.lockId())).isEmpty();
    assertThat(locks.lookupRawById(lock.lockId())).isEmpty();
    assertThat(locks.owns(lock.lockId())).isFalse();
    assertThat(locks.lookup("unknown")).isEmpty();
    assertThat(locks.lookupById("A".repeat(22))).isEmpty();
    assertThat(locks.isLocked("unknown")).isFalse();
  }

  @Test
  @Guarantee("L37")
  void lookup_by_the_id_of_a_former_holder_is_empty() {
    Acquired old = take("key");
    expire(old);
    take("key");

    assertThat(locks.lookupById(old.lockId())).isEmpty();
    assertThat(locks.owns(old.lockId())).isFalse();
  }

  @Test
  @Guarantee("L38")
  void isLocked_is_a_pure_read_by_default() {
    expire(take("key"));
    time.advanceMs(10_000);

    assertThat(locks.isLocked("key")).isFalse();
    locks.close();

    assertThat(hasRow("key")).isTrue();
    assertThat(store.calls()).isEqualTo(2);
    assertThat(store.calls(Operation.FIND)).isEqualTo(1);
  }

  @Test
  @Guarantee({"L39", "L99"})
  void cleanup_removes_only_rows_expired_for_more_than_2000_ms() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));
    LockService later = locks(OPTIONS.withCleanupInIsLocked(true));
    Acquired lock = take("key");
    time.advanceMs(TTL.toMillis() + 2000);

    assertThat(cleaning.isLocked("key")).isFalse();
    cleaning.close();
    assertThat(hasRow("key")).isTrue();

    time.advanceMs(1);
    assertThat(later.isLocked("key")).isFalse();
    later.close();
    assertThat(hasRow("key")).isFalse();
    assertThat(counter("key")).isEqualTo(lock.fence().value());
  }

  @Test
  @Guarantee("L39")
  void cleanup_spares_a_lock_taken_meanwhile() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));
    stale("key");
    Pause pause = store.pauseNext(Operation.REMOVE_STALE, Moment.BEFORE);

    assertThat(cleaning.isLocked("key")).isFalse();
    pause.awaitReached();
    Acquired next = granted(otherProcess().acquire("key", TTL));
    pause.open();
    cleaning.close();

    assertThat(locks.owns(next.lockId())).isTrue();
  }

  @Test
  @Guarantee("L39")
  void errors_of_cleanup_and_the_callers_token_are_ignored() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));
    CancellationSource token = new CancellationSource();
    stale("failing");
    stale("cancelled");
    store.failNext(Operation.REMOVE_STALE, Moment.BEFORE, new IllegalStateException("planned"));
    Pause pause = store.pauseNext(Operation.REMOVE_STALE, Moment.BEFORE);

    assertThat(cleaning.isLocked("failing")).isFalse();
    store.awaitEnded(Operation.REMOVE_STALE, 1);
    LockService second = locks(OPTIONS.withCleanupInIsLocked(true));
    assertThat(second.cancelledBy(token).isLocked("cancelled")).isFalse();
    pause.awaitReached();
    token.cancel();

    assertThat(store.tokenOf(Operation.REMOVE_STALE).isCancelled()).isFalse();
    pause.open();
    second.close();
    assertThat(hasRow("cancelled")).isFalse();
    assertThat(hasRow("failing")).isTrue();
  }

  @Test
  @Guarantee("L39")
  void at_most_one_cleanup_is_under_way() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));
    stale("one");
    stale("two");
    Pause pause = store.pauseNext(Operation.REMOVE_STALE, Moment.BEFORE);

    cleaning.isLocked("one");
    pause.awaitReached();
    cleaning.isLocked("two");
    pause.open();
    cleaning.close();

    assertThat(store.calls(Operation.REMOVE_STALE)).isEqualTo(1);
    assertThat(hasRow("two")).isTrue();
  }

  @Test
  @Guarantee("L39")
  void a_key_is_cleaned_up_at_most_once_per_second() {
    LockService cleaning = locks(OPTIONS.withCleanupInIsLocked(true));
    stale("key");
    store.failNext(Operation.REMOVE_STALE, Moment.BEFORE, failure(ErrorCode.NETWORK_TIMEOUT));

    cleaning.isLocked("key");
    store.awaitEnded(Operation.REMOVE_STALE, 1);
    for (int i = 0; i < 500; i++) {
      cleaning.isLocked("key");
      Thread.yield();
    }
    cleaning.close();

    assertThat(store.calls(Operation.REMOVE_STALE)).isEqualTo(1);
  }

  @Test
  @Guarantee("L40")
  void purge_never_touches_counters() {
    for (int i = 0; i < 3; i++) {
      expire(take("key"));
    }
    time.advanceMs(60_000);

    assertThat(locks.operator().purge()).isEqualTo(1);
    assertThat(locks.operator().purge()).isZero();

    assertThat(hasRow("key")).isFalse();
    assertThat(counter("key")).isEqualTo(3);
    assertThat(take("key").fence().value()).isEqualTo(4);
  }

  @Test
  @Guarantee({"L40", "L99"})
  void purge_removes_only_rows_expired_for_more_than_2000_ms() {
    take("early");
    time.advanceMs(1);
    take("late");
    granted(locks.acquire("live", TTL.multipliedBy(2)));
    time.advanceMs(TTL.toMillis() + 1999);

    assertThat(locks.operator().purge()).isZero();
    time.advanceMs(1);
    assertThat(locks.operator().purge()).isEqualTo(1);

    assertThat(hasRow("early")).isFalse();
    assertThat(hasRow("late")).isTrue();
    assertThat(locks.isLocked("live")).isTrue();
  }

  @Test
  @Guarantee("L11")
  void the_store_fences_and_decides_by_its_own_clock() {
    LockCapabilities capabilities = locks.capabilities();

    assertThat(capabilities.supportsFencing()).isTrue();
    assertThat(capabilities.timeAuthority()).isEqualTo("server");
    assertThat(capabilities.backend()).isNotEmpty();
  }

  private void stale(String key) {
    expire(take(key));
    time.advanceMs(1001);
  }

  private boolean hasRow(String key) {
    return otherProcess().operator().inspect(key).lock().isPresent();
  }

  private long counter(String key) {
    return otherProcess().operator().inspect(key).counter();
  }
}
