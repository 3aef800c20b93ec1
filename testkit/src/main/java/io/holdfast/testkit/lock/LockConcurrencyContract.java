package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockRetry;
import io.holdfast.lock.LockService;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Exclusion among many threads of several processes. */
public abstract class LockConcurrencyContract extends LockSuite {
  private final ReadWriteLock clock = new ReentrantReadWriteLock();
  private static final int WRITERS = 6;
  private static final int WRITES = 25;

  /** Holding a key, on the store's clock; {@code untilMs} is when it certainly still was. */
  private record Tenure(Fence fence, long fromMs, long untilMs) {}

  /** What a data race would spoil: neither volatile nor synchronised, on purpose. */
  private int unsafe;

  @Test
  @Guarantee({"L66", "LF6"})
  void one_winner_among_many_first_acquirers() {
    List<LockService> processes = List.of(locks, otherProcess());
    AtomicInteger caller = new AtomicInteger();
    for (int round = 1; round <= 20; round++) {
      List<LockAttempt> answers =
          together(8, () -> processes.get(caller.getAndIncrement() % 2).acquire("contended", TTL));

      List<LockAttempt> winners = answers.stream().filter(LockAttempt::ok).toList();
      assertThat(winners).hasSize(1);
      assertThat(granted(winners.get(0)).fence()).isEqualTo(new Fence(round));
      assertThat(winners.get(0).release().ok()).isTrue();
    }
  }

  @Test
  @Guarantee("L66")
  void one_winner_on_each_of_many_fresh_keys() {
    LockService other = otherProcess();
    for (int round = 0; round < 20; round++) {
      String key = "fresh-" + round;

      List<LockAttempt> answers = together(4, () -> other.acquire(key, TTL));

      assertThat(answers.stream().filter(LockAttempt::ok).map(a -> granted(a).fence()))
          .containsExactly(new Fence(1));
    }
  }

  @Test
  @Guarantee("L67")
  void no_lost_update_with_many_writers_on_one_key() {
    List<LockService> processes = List.of(locks, otherProcess(), otherProcess());
    WithLockOptions persistent =
        WithLockOptions.DEFAULTS
            .withTtl(Duration.ofDays(1))
            .withRetry(
                LockRetry.DEFAULTS
                    .withMaxRetries(Integer.MAX_VALUE)
                    .withDelay(Duration.ZERO)
                    .withTimeout(Duration.ofDays(1)));
    AtomicInteger writer = new AtomicInteger();
    List<Long> fences = new ArrayList<>();

    together(
        WRITERS,
        () -> {
          LockService mine = processes.get(writer.getAndIncrement() % processes.size());
          for (int i = 0; i < WRITES; i++) {
            mine.withLock(
                "counter",
                persistent,
                lock -> {
                  int read = unsafe;
                  Thread.yield();
                  unsafe = read + 1;
                  fences.add(lock.fence().value());
                  return null;
                });
          }
          return true;
        });

    assertThat(unsafe).isEqualTo(WRITERS * WRITES);
    assertThat(fences).hasSize(WRITERS * WRITES).doesNotHaveDuplicates().isSorted();
    assertThat(fences.get(fences.size() - 1)).isEqualTo((long) WRITERS * WRITES);
  }

  @Test
  @Guarantee("L68")
  void holders_intervals_on_the_stores_clock_never_overlap() {
    List<LockService> processes = List.of(locks, otherProcess());
    ConcurrentLinkedQueue<Tenure> tenures = new ConcurrentLinkedQueue<>();
    AtomicInteger worker = new AtomicInteger();

    together(
        WRITERS,
        () -> {
          LockService mine = processes.get(worker.getAndIncrement() % 2);
          for (int done = 0; done < 15; ) {
            LockAttempt attempt = atOneMoment(() -> mine.acquire("key", Duration.ofMillis(500)));
            if (attempt instanceof Acquired lock) {
              tenures.add(tenure(lock));
              done++;
            } else {
              advance(100);
            }
          }
          return true;
        });

    List<Tenure> ordered = tenures.stream().sorted(Comparator.comparing(Tenure::fence)).toList();
    assertThat(ordered).hasSize(WRITERS * 15);
    for (int i = 1; i < ordered.size(); i++) {
      assertThat(ordered.get(i).fence().value()).isEqualTo(i + 1);
      assertThat(ordered.get(i).fromMs()).isGreaterThanOrEqualTo(ordered.get(i - 1).untilMs());
    }
  }

  /** Holds {@code lock} for a while, past its end at times, and says for how long it was held. */
  private Tenure tenure(Acquired lock) {
    advance(900);
    Thread.yield();
    boolean releases = ThreadLocalRandom.current().nextInt(4) > 0;
    long untilMs =
        atOneMoment(
            () ->
                releases && lock.release().ok()
                    ? time.nowMs()
                    : lock.expiresAt().toEpochMilli() + 1000);
    return new Tenure(lock.fence(), lock.acquiredAt().toEpochMilli(), untilMs);
  }

  /**
   * A manual instant is sent along with a call, so it must not pass while the call is under way.
   */
  private <T> T atOneMoment(Supplier<T> call) {
    clock.readLock().lock();
    try {
      return call.get();
    } finally {
      clock.readLock().unlock();
    }
  }

  private void advance(int maxMs) {
    clock.writeLock().lock();
    try {
      time.advanceMs(ThreadLocalRandom.current().nextInt(maxMs));
    } finally {
      clock.writeLock().unlock();
    }
  }
}
