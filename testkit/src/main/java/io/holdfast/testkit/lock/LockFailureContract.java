package io.holdfast.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockOperator;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Released;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.lock.FaultyLockStore.Moment;
import io.holdfast.testkit.lock.FaultyLockStore.Operation;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What callers see when a store fails. */
public abstract class LockFailureContract extends LockSuite {
  private static final String KEY = "secret-key";

  private record Call(String name, Operation operation, ThrowingCallable run) {}

  @Test
  @Guarantee("L44")
  void a_foreign_exception_of_a_store_is_internal_with_its_cause() {
    assertInternal(new IllegalStateException("planned"));
  }

  @Test
  @Guarantee("L44")
  void any_foreign_throwable_of_a_store_is_internal_with_its_cause() {
    assertInternal(new IOException("planned"));
    assertInternal(new AssertionError("planned"));
    assertInternal(new StackOverflowError("planned"));
  }

  @Test
  @Guarantee("L44")
  void a_lock_exception_of_a_store_keeps_its_code_and_is_not_wrapped() {
    RuntimeException cause = new IllegalStateException("deeper");
    for (ErrorCode code : ErrorCode.values()) {
      for (Call call : calls(LockId.random().text())) {
        LockException planned = new LockException(code, "planned", cause);
        store.failNext(call.operation(), Moment.BEFORE, planned);

        LockException seen = failing(code, call.name(), call.run());

        assertThat(seen).hasMessage("planned").hasCause(cause);
        assertThat(seen).isInstanceOf(HoldfastException.class);
      }
    }
  }

  @Test
  @Guarantee("L44")
  void a_failure_names_its_object_but_not_in_its_message() {
    String id = LockId.random().text();
    for (Call call : calls(id)) {
      store.failNext(call.operation(), Moment.BEFORE, new IllegalStateException(KEY + id));

      LockException seen = failing(ErrorCode.INTERNAL, call.name(), call.run());

      assertThat(seen.getMessage()).as(call.name()).isNotBlank().doesNotContain(KEY, id);
    }
    store.failNext(Operation.ACQUIRE, Moment.BEFORE, failure(ErrorCode.RATE_LIMITED));
    LockException acquiring = failing(ErrorCode.RATE_LIMITED, () -> locks.acquire(KEY, TTL, id));
    store.failNext(Operation.RELEASE, Moment.BEFORE, failure(ErrorCode.RATE_LIMITED));
    LockException releasing = failing(ErrorCode.RATE_LIMITED, () -> locks.release(id));

    assertThat(acquiring.key()).isEqualTo(KEY);
    assertThat(acquiring.lockId()).isEqualTo(id);
    assertThat(releasing.lockId()).isEqualTo(id);
  }

  @Test
  @Guarantee("L44")
  void an_invalid_argument_is_not_repeated_in_its_message() {
    String id = "not-an-id-but-a-secret";
    LockException badKey =
        failing(ErrorCode.INVALID_ARGUMENT, () -> locks.acquire(KEY + "\0", TTL));
    LockException badId = failing(ErrorCode.INVALID_ARGUMENT, () -> locks.release(id + "!"));

    assertThat(badKey.getMessage()).doesNotContain(KEY);
    assertThat(badId.getMessage()).doesNotContain(id);
  }

  @Test
  @Guarantee("L44")
  void the_message_of_a_failure_defaults_to_its_code() {
    assertThat(new LockException(ErrorCode.STALE_FENCE, null)).hasMessage("StaleFence");
    assertThat(ErrorCode.values())
        .extracting(ErrorCode::text)
        .contains(
            "InvalidArgument",
            "ServiceUnavailable",
            "RateLimited",
            "AuthFailed",
            "NetworkTimeout",
            "Aborted",
            "AcquisitionTimeout",
            "StaleFence",
            "LeaseLost",
            "Internal");
  }

  @Test
  @Guarantee("L44")
  void an_operators_failures_are_lock_exceptions_too() {
    LockBackend backend = subject.backend();
    LockAdmin broken =
        (LockAdmin)
            Proxy.newProxyInstance(
                LockAdmin.class.getClassLoader(),
                new Class<?>[] {LockAdmin.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("planned");
                });
    LockOperator operator =
        over(
                new LockBackend(
                    backend.store(),
                    broken,
                    backend.hints(),
                    backend.reserve(),
                    backend.time(),
                    backend.capabilities()),
                OPTIONS)
            .operator();

    failing(ErrorCode.INTERNAL, "list", () -> operator.list("", null, 1));
    failing(ErrorCode.INTERNAL, "inspect", () -> operator.inspect(KEY));
    failing(ErrorCode.INTERNAL, "stats", operator::stats);
    failing(ErrorCode.INTERNAL, "break", () -> operator.breakLock(KEY, new Fence(1)));
    failing(ErrorCode.INTERNAL, "raise", () -> operator.raiseFences(1));
    failing(ErrorCode.INTERNAL, "purge", operator::purge);
  }

  @Test
  @Guarantee("L44")
  void calls_after_closing_are_lock_exceptions() {
    String id = LockId.random().text();
    locks.close();

    for (Call call : calls(id)) {
      failing(ErrorCode.SERVICE_UNAVAILABLE, call.name(), call.run());
    }
  }

  @Test
  @Guarantee("L45")
  void an_error_storm_leaves_the_object_usable() {
    Acquired held = take(KEY);
    for (int i = 0; i < 40; i++) {
      for (Call call : calls(held.lockId())) {
        Moment moment = call.operation() == Operation.RELEASE ? Moment.BEFORE : Moment.AFTER;
        store.failNext(call.operation(), moment, failure(ErrorCode.SERVICE_UNAVAILABLE));
        failing(ErrorCode.SERVICE_UNAVAILABLE, call.name(), call.run());
      }
    }

    assertThat(locks.isLocked(KEY)).isTrue();
    assertThat(locks.lookupById(held.lockId())).isPresent();
    assertThat(locks.extend(held.lockId(), TTL).ok()).isTrue();
    assertThat(locks.release(held.lockId())).isEqualTo(new Released());
    LockService other = otherProcess();
    assertThat(granted(other.acquire(KEY, TTL)).fence()).isEqualTo(new Fence(2));
    assertThat(locks.<String, RuntimeException>withLock("other", lock -> "fine")).isEqualTo("fine");
  }

  @Test
  @Guarantee("L45")
  void a_storm_from_many_threads_leaves_the_object_usable() {
    for (int i = 0; i < 200; i++) {
      store.failNext(Operation.ACQUIRE, Moment.BEFORE, new IllegalStateException("planned"));
    }

    together(
        8,
        () -> {
          for (int i = 0; i < 25; i++) {
            failing(ErrorCode.INTERNAL, () -> locks.withLock(KEY, lock -> 1));
          }
          return true;
        });

    assertThat(take(KEY).fence()).isEqualTo(new Fence(1));
  }

  private void assertInternal(Throwable planned) {
    for (Call call : calls(LockId.random().text())) {
      store.failNext(call.operation(), Moment.BEFORE, planned);

      LockException seen = failing(ErrorCode.INTERNAL, call.name(), call.run());

      assertThat(seen).as(call.name()).hasCause(planned);
    }
  }

  private List<Call> calls(String id) {
    return List.of(
        new Call("acquire", Operation.ACQUIRE, () -> locks.acquire(KEY, TTL)),
        new Call("acquire with id", Operation.ACQUIRE, () -> locks.acquire(KEY, TTL, id)),
        new Call("withLock", Operation.ACQUIRE, () -> locks.withLock(KEY, lock -> 1)),
        new Call("release", Operation.RELEASE, () -> locks.release(id)),
        new Call("extend", Operation.EXTEND, () -> locks.extend(id, TTL)),
        new Call("lookup", Operation.FIND, () -> locks.lookup(KEY)),
        new Call("lookupById", Operation.FIND, () -> locks.lookupById(id)),
        new Call("lookupRaw", Operation.FIND, () -> locks.lookupRaw(KEY)),
        new Call("lookupRawById", Operation.FIND, () -> locks.lookupRawById(id)),
        new Call("owns", Operation.FIND, () -> locks.owns(id)),
        new Call("isLocked", Operation.FIND, () -> locks.isLocked(KEY)),
        new Call("setup", Operation.SETUP, locks::setup));
  }
}
