package io.holdfast.lease;

import static io.holdfast.lease.HandClock.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DutyRunnerTest {
  private static final long EVERY_NANOS = 100_000_000;

  private final HandClock clock = new HandClock();
  private final AtomicInteger steps = new AtomicInteger();
  private final AtomicReference<Thread> thread = new AtomicReference<>();
  private volatile IntUnaryOperator onStep = step -> 0;
  private final DutyRunner runner = new DutyRunner("test-duty", new Counting(), clock);

  /** Due every 100 ms. */
  private final class Counting implements Duty {
    @Override
    public int work() {
      thread.set(Thread.currentThread());
      return onStep.applyAsInt(steps.incrementAndGet());
    }

    @Override
    public long dueNanos() {
      return clock.nanos() + EVERY_NANOS;
    }
  }

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void it_has_no_thread_until_it_is_woken() {
    clock.to(1000);
    assertThat(thread).hasValue(null);

    runner.wake();

    eventually(() -> thread.get() != null);
    assertThat(thread.get().isDaemon()).isTrue();
    assertThat(thread.get().getName()).isEqualTo("test-duty");
  }

  @Test
  void it_steps_when_the_duty_is_due_and_not_before() {
    startIdle();
    int before = steps.get();

    clock.to(99);
    clock.awaitParked(1);
    assertThat(steps).hasValue(before);
    clock.to(100);

    eventually(() -> steps.get() == before + 1);
  }

  @Test
  void it_steps_when_woken() {
    startIdle();
    int before = steps.get();

    runner.wake();

    eventually(() -> steps.get() == before + 1);
    assertThat(clock.nanos()).isZero();
  }

  @Test
  void it_goes_on_at_once_while_there_is_work() {
    onStep = step -> step < 1000 ? 1 : 0;

    runner.wake();

    eventually(() -> steps.get() >= 1000);
    assertThat(clock.nanos()).isZero();
  }

  @Test
  void an_error_pauses_it_for_a_second_and_does_not_end_it() {
    onStep =
        step -> {
          throw new IllegalStateException("a duty that fails");
        };
    startIdle();
    int failed = steps.get();

    clock.to(999);
    clock.awaitParked(1);
    assertThat(steps).hasValue(failed);
    clock.to(1000);

    eventually(() -> steps.get() == failed + 1);
    assertThat(thread.get().isAlive()).isTrue();
  }

  @Test
  void an_interrupt_neither_ends_it_nor_makes_it_spin() {
    startIdle();
    int before = steps.get();

    thread.get().interrupt();
    eventually(() -> steps.get() == before + 1);
    clock.awaitParked(1);
    assertThat(steps).hasValue(before + 1);
    clock.to(1000);

    eventually(() -> steps.get() == before + 2);
  }

  @Test
  void closing_ends_the_thread_before_it_returns() {
    startIdle();

    runner.close();

    assertThat(thread.get().isAlive()).isFalse();
  }

  @Test
  void closing_waits_for_the_last_step() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch inStep = new CountDownLatch(1);
    AtomicReference<String> seen = new AtomicReference<>("");
    onStep =
        step -> {
          inStep.countDown();
          LeaseKeeperTest.await(gate);
          seen.set("finished");
          return 0;
        };
    runner.wake();
    inStep.await();
    Thread closing = Thread.currentThread();
    Runnable openWhenWaitedFor =
        () -> {
          eventually(() -> closing.getState() == Thread.State.TIMED_WAITING);
          gate.countDown();
        };
    Background.daemon("opener", openWhenWaitedFor).start();

    runner.close();

    assertThat(seen).hasValue("finished");
  }

  @Test
  void closing_gives_up_on_a_step_that_hangs() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch inStep = new CountDownLatch(1);
    onStep =
        step -> {
          inStep.countDown();
          LeaseKeeperTest.await(gate);
          return 0;
        };
    runner.wake();
    inStep.await();

    runner.close();

    assertThat(thread.get().isAlive()).isTrue();
    gate.countDown();
    eventually(() -> !thread.get().isAlive());
  }

  @Test
  void a_duty_may_close_its_own_runner() {
    onStep =
        step -> {
          runner.close();
          return 1;
        };

    runner.wake();

    eventually(() -> thread.get() != null && !thread.get().isAlive());
    assertThat(steps).hasValue(1);
  }

  @Test
  void a_closed_runner_does_not_start() {
    runner.close();

    runner.wake();
    runner.close();

    assertThat(steps).hasValue(0);
    assertThat(thread).hasValue(null);
  }

  /** Starts it and waits for the two steps of that: one to begin with, one for the wake-up. */
  private void startIdle() {
    runner.wake();
    eventually(() -> steps.get() == 2);
    clock.awaitParked(1);
  }
}
