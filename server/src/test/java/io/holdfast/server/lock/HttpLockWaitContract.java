package io.holdfast.server.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.ErrorCode;
import io.holdfast.client.ClientOptions;
import io.holdfast.client.HoldfastClient;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockRetry;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Wait;
import io.holdfast.lock.WithLockOptions;
import io.holdfast.server.GoldenServer;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client's wait is done by the server, which keeps the queue. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
abstract class HttpLockWaitContract {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final WithLockOptions PATIENT =
      WithLockOptions.DEFAULTS.withRetry(
          LockRetry.DEFAULTS.withTimeout(LONG).withMaxRetries(1).withDelay(LONG));

  private GoldenServer server;
  private HoldfastClient client;

  /** A server over a fresh store. */
  protected abstract GoldenServer server();

  /** Gives the store back. */
  protected void end() {}

  @BeforeEach
  void open() {
    server = server();
    client =
        HoldfastClient.connect(
            server.address().toString(), ClientOptions.DEFAULTS.withTime(server.time));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    end();
  }

  @Test
  void a_waiter_is_granted_on_release_without_polling_and_may_trust_its_lease() {
    Acquired held = (Acquired) server.holdfast.locks().acquire("key", TTL);
    CompletableFuture<LockAttempt> waiting = park(false);
    server.time.advanceMs(20_000);

    held.release();

    Acquired got = (Acquired) waiting.join();
    assertThat(got.fence().value()).isEqualTo(2);
    assertThat(got.isHeld()).isTrue();
    server.time.advanceMs(28_000);
    assertThat(got.isHeld()).isTrue();
    assertThat(got.release().ok()).isTrue();
  }

  @Test
  void fair_waiters_are_served_in_order() {
    Acquired held = (Acquired) client.locks().acquire("key", TTL);
    CompletableFuture<LockAttempt> first = park(true);
    CompletableFuture<LockAttempt> second = park(true);

    held.release();
    Acquired got = (Acquired) first.join();
    assertThat(second).isNotDone();
    got.release();

    assertThat(second.join().ok()).isTrue();
  }

  @Test
  void a_cancelled_wait_leaves_no_ticket_and_takes_nothing() {
    Acquired held = (Acquired) client.locks().acquire("key", TTL);
    CompletableFuture<LockAttempt> waiting = park(false);

    waiting.cancel(true);

    until(() -> waiters() == 0);
    held.release();
    assertThat(client.locks().isLocked("key")).isFalse();
  }

  @Test
  void a_blocked_thread_is_refused_when_its_time_is_over() {
    client.locks().acquire("key", TTL);
    CompletableFuture<LockAttempt> waiting =
        CompletableFuture.supplyAsync(
            () -> client.locks().acquire("key", TTL, Wait.upTo(Duration.ofSeconds(5))));
    until(() -> waiters() == 1);

    server.time.advanceMs(5_000);

    assertThat(waiting.join()).isInstanceOf(Locked.class);
  }

  @Test
  @Guarantee("L50")
  void with_lock_goes_on_when_anybody_frees_the_key_and_not_after_its_delay() {
    Acquired held = (Acquired) server.holdfast.locks().acquire("key", TTL);
    CompletableFuture<Long> waiting =
        CompletableFuture.supplyAsync(
            () -> client.locks().withLock("key", PATIENT, lock -> lock.fence().value()));
    until(() -> waiters() == 1);

    held.release();

    assertThat(waiting.join()).isEqualTo(2);
    assertThat(server.time.nanos()).isZero();
  }

  @Test
  @Guarantee("L87")
  void a_break_serves_who_waits() {
    Acquired held = (Acquired) client.locks().acquire("key", TTL);
    CompletableFuture<LockAttempt> waiting = park(false);

    assertThat(client.locks().operator().breakLock("key", held.fence())).isTrue();

    assertThat(((Acquired) waiting.join()).fence().value()).isEqualTo(2);
  }

  @Test
  void a_server_that_is_not_there_is_unavailable() {
    try (HoldfastClient nobody = HoldfastClient.connect("http://127.0.0.1:1")) {
      Throwable thrown = catchThrowable(() -> nobody.locks().acquire("key", TTL));
      assertThat(thrown)
          .isInstanceOfSatisfying(
              LockException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
                assertThat(e.isOutcomeUnknown()).isFalse();
              });
    }
  }

  private CompletableFuture<LockAttempt> park(boolean fair) {
    int before = waiters();
    CompletableFuture<LockAttempt> waiting =
        client.locks().acquireAsync("key", TTL, new Wait(LONG, fair));
    until(() -> waiters() == before + 1);
    return waiting;
  }

  private int waiters() {
    return server.holdfast.locks().operator().inspect("key").waiters().size();
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }
}
