package io.holdfast.testkit.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Renewal;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockRef;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in front of another that counts calls, and fails or stops the next ones as told. Like any
 * real store it refuses a call whose token is cancelled or whose thread is interrupted, even when
 * the store behind it is too quick to care. Safe for use by many threads.
 */
public final class FaultyLockStore implements LockStore {
  /** What a store can be asked for. */
  public enum Operation {
    SETUP,
    ACQUIRE,
    RELEASE,
    EXTEND,
    EXTEND_MANY,
    FIND,
    REMOVE_STALE,
    LEAVE
  }

  /** Where in a call something goes wrong: before it takes effect, or after. */
  public enum Moment {
    BEFORE,
    AFTER
  }

  private record Fault(Moment moment, Runnable strike) {}

  private final LockStore delegate;
  private final Map<Operation, ConcurrentLinkedQueue<Fault>> faults =
      new EnumMap<>(Operation.class);
  private final Map<Operation, Cancellation> tokens = new ConcurrentHashMap<>();
  private final int[] begun = new int[Operation.values().length];
  private final int[] ended = new int[Operation.values().length];

  /** In front of {@code delegate}, without faults so far. */
  public FaultyLockStore(LockStore delegate) {
    this.delegate = delegate;
    for (Operation operation : Operation.values()) {
      faults.put(operation, new ConcurrentLinkedQueue<>());
    }
  }

  /** The same backend with this store in the place of its own. */
  public LockBackend in(LockBackend backend) {
    return new LockBackend(
        this,
        backend.admin(),
        backend.hints(),
        backend.reserve(),
        backend.time(),
        backend.capabilities());
  }

  /** The next call of {@code operation} that nothing else is planned for fails. */
  public void failNext(Operation operation, Moment moment, Throwable failure) {
    plan(operation, new Fault(moment, () -> sneak(failure)));
  }

  /** The next call of {@code operation} that nothing else is planned for stops until told. */
  public Pause pauseNext(Operation operation, Moment moment) {
    Pause pause = new Pause();
    plan(operation, new Fault(moment, pause::pass));
    return pause;
  }

  /** How many calls of {@code operation} have begun. */
  public int calls(Operation operation) {
    synchronized (begun) {
      return begun[operation.ordinal()];
    }
  }

  /** How many calls of any kind have begun. */
  public int calls() {
    int sum = 0;
    for (Operation operation : Operation.values()) {
      sum += calls(operation);
    }
    return sum;
  }

  /** Waits, in real time, until so many calls of {@code operation} have ended. */
  public void awaitEnded(Operation operation, int times) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Pause.LIMIT_SECONDS);
    synchronized (begun) {
      while (ended[operation.ordinal()] < times) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        if (leftMs <= 0) {
          throw new AssertionError(ended[operation.ordinal()] + " of " + times + " " + operation);
        }
        waitFor(leftMs);
      }
    }
  }

  /** The token of the latest call of {@code operation}. */
  public Cancellation tokenOf(Operation operation) {
    Cancellation token = tokens.get(operation);
    if (token == null) {
      throw new AssertionError("no call of " + operation);
    }
    return token;
  }

  @Override
  public void setup(LockCall call) {
    this.<@Nullable Void>run(
        Operation.SETUP,
        call,
        () -> {
          delegate.setup(call);
          return null;
        });
  }

  @Override
  public Grant acquire(Request request, LockCall call) {
    return run(Operation.ACQUIRE, call, () -> delegate.acquire(request, call));
  }

  @Override
  public Freed release(LockId id, boolean durably, LockCall call) {
    return run(Operation.RELEASE, call, () -> delegate.release(id, durably, call));
  }

  @Override
  public Renewal extend(LockId id, LockTtl ttl, LockCall call) {
    return run(Operation.EXTEND, call, () -> delegate.extend(id, ttl, call));
  }

  @Override
  public List<Renewal> extendMany(List<Extend> extensions, LockCall call) {
    return run(Operation.EXTEND_MANY, call, () -> delegate.extendMany(extensions, call));
  }

  @Override
  public Optional<Sighting> find(LockRef ref, LockCall call) {
    return run(Operation.FIND, call, () -> delegate.find(ref, call));
  }

  @Override
  public boolean removeStale(LockKey key, LockCall call) {
    return run(Operation.REMOVE_STALE, call, () -> delegate.removeStale(key, call));
  }

  @Override
  public boolean leave(LockKey key, String waiterId, LockCall call) {
    return run(Operation.LEAVE, call, () -> delegate.leave(key, waiterId, call));
  }

  private <T extends @Nullable Object> T run(
      Operation operation, LockCall call, Supplier<T> transition) {
    count(begun, operation);
    tokens.put(operation, call.cancellation());
    try {
      refuseAborted(call);
      Fault fault = faultsOf(operation).poll();
      strike(fault, Moment.BEFORE);
      T answer = transition.get();
      strike(fault, Moment.AFTER);
      return answer;
    } finally {
      count(ended, operation);
    }
  }

  private static void refuseAborted(LockCall call) {
    if (call.cancellation().isCancelled() || Thread.currentThread().isInterrupted()) {
      throw new LockException(ErrorCode.ABORTED, "the store was asked by an aborted caller");
    }
  }

  private static void strike(@Nullable Fault fault, Moment moment) {
    if (fault != null && fault.moment == moment) {
      fault.strike.run();
    }
  }

  private void plan(Operation operation, Fault fault) {
    faultsOf(operation).add(fault);
  }

  private ConcurrentLinkedQueue<Fault> faultsOf(Operation operation) {
    return faults.getOrDefault(operation, new ConcurrentLinkedQueue<>());
  }

  private void count(int[] counter, Operation operation) {
    synchronized (begun) {
      counter[operation.ordinal()]++;
      begun.notifyAll();
    }
  }

  private void waitFor(long ms) {
    try {
      begun.wait(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the store", e);
    }
  }

  /** Throws what no signature announces, as a foreign store may. */
  @SuppressWarnings("unchecked")
  private static <X extends Throwable> void sneak(Throwable failure) throws X {
    throw (X) failure;
  }
}
