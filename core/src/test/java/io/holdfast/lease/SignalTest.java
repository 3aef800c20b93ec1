package io.holdfast.lease;

import static io.holdfast.lease.HandClock.eventually;
import static io.holdfast.lease.Signal.Woken.CANCELLED;
import static io.holdfast.lease.Signal.Woken.INTERRUPTED;
import static io.holdfast.lease.Signal.Woken.RAISED;
import static io.holdfast.lease.Signal.Woken.TIMED_OUT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SignalTest {
  private static final long FAR = 1_000_000_000_000L;

  private final HandClock clock = new HandClock();
  private final Signal signal = new Signal();
  private final AtomicReference<Signal.Woken> woken = new AtomicReference<>();

  @AfterEach
  void leaveNoInterrupt() {
    Thread.interrupted();
  }

  @Test
  void a_raise_before_the_wait_ends_it() {
    signal.raise();

    assertThat(signal.await(clock, FAR)).isEqualTo(RAISED);
  }

  @Test
  void a_raise_ends_one_wait_only() {
    signal.raise();
    signal.raise();

    assertThat(signal.await(clock, 0)).isEqualTo(RAISED);
    assertThat(signal.await(clock, 0)).isEqualTo(TIMED_OUT);
  }

  @Test
  void a_raise_during_the_wait_ends_it() {
    start(() -> signal.await(clock, FAR));
    clock.awaitParked(1);

    signal.raise();

    eventually(() -> woken.get() == RAISED);
  }

  @Test
  void a_wait_ends_at_its_moment_and_not_before() {
    start(() -> signal.await(clock, 5_000_000));
    clock.awaitParked(1);

    clock.to(4);
    clock.awaitParked(1);
    assertThat(woken).hasValue(null);
    clock.to(5);

    eventually(() -> woken.get() == TIMED_OUT);
  }

  @Test
  void a_cancellation_ends_the_wait() {
    CancellationSource source = new CancellationSource();
    start(() -> signal.await(clock, FAR, source));
    clock.awaitParked(1);

    source.cancel();

    eventually(() -> woken.get() == CANCELLED);
  }

  @Test
  void a_cancellation_before_the_wait_ends_it() {
    CancellationSource source = new CancellationSource();
    source.cancel();

    assertThat(signal.await(clock, FAR, source)).isEqualTo(CANCELLED);
  }

  @Test
  void an_interrupt_ends_the_wait_and_stays_set() {
    AtomicReference<Boolean> flag = new AtomicReference<>();
    Thread waiter =
        start(
            () -> {
              Signal.Woken reason = signal.await(clock, FAR);
              flag.set(Thread.currentThread().isInterrupted());
              return reason;
            });
    clock.awaitParked(1);

    waiter.interrupt();

    eventually(() -> woken.get() == INTERRUPTED);
    assertThat(flag).hasValue(true);
  }

  @Test
  void a_raised_signal_wins_over_everything_else() {
    CancellationSource source = new CancellationSource();
    source.cancel();
    Thread.currentThread().interrupt();
    signal.raise();

    assertThat(signal.await(clock, 0, source)).isEqualTo(RAISED);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void a_wait_that_ended_otherwise_leaves_the_raise_to_the_next() {
    assertThat(signal.await(clock, 0)).isEqualTo(TIMED_OUT);

    signal.raise();

    assertThat(signal.await(clock, FAR)).isEqualTo(RAISED);
  }

  @Test
  void no_raise_is_lost_between_two_threads() {
    int rounds = 20_000;
    Signal answer = new Signal();
    start(
        () -> {
          for (int i = 0; i < rounds; i++) {
            signal.await(clock, FAR);
            answer.raise();
          }
          return RAISED;
        });

    for (int i = 0; i < rounds; i++) {
      signal.raise();
      assertThat(answer.await(clock, FAR)).isEqualTo(RAISED);
    }

    eventually(() -> woken.get() == RAISED);
  }

  private Thread start(Supplier<Signal.Woken> wait) {
    Thread thread = Background.daemon("waiter", () -> woken.set(wait.get()));
    thread.start();
    return thread;
  }
}
