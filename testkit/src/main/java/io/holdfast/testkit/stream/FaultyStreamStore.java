package io.holdfast.testkit.stream;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import io.holdfast.stream.StreamCatalog;
import io.holdfast.stream.StreamDeadLetters;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamGroups;
import io.holdfast.stream.StreamHolds;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamReader;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.StreamUpkeep;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A stream store in front of another that counts calls, and fails or stops the next ones as told:
 * before they take effect, or after, so that an answer is lost. Its hints can be lost, and the
 * process can have a clock of its own. Safe for use by many threads.
 */
public final class FaultyStreamStore implements StreamStore {
  private static final long LIMIT_SECONDS = 20;

  private final StreamStore behind;
  private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> answers = new ConcurrentHashMap<>();
  private volatile Time time;
  private volatile boolean isSilent;

  /** In front of {@code behind}, without faults so far. */
  public FaultyStreamStore(StreamStore behind) {
    this.behind = behind;
    this.time = behind.time();
  }

  private record Fault(boolean isAfter, Runnable strike) {}

  /** The next call of the role's method of this name fails, and nothing happens. */
  public void failNext(String method) {
    plan(
        method,
        false,
        () -> {
          throw StreamException.unavailable("the store is not reachable", null);
        });
  }

  /** The next call of this name takes effect, and its answer is lost. */
  public void loseNext(String method) {
    plan(
        method,
        true,
        () -> {
          throw StreamException.unknown("the answer was lost", null);
        });
  }

  /** The next call of this name stops, before it takes effect or after, until it is let go. */
  public Halt haltNext(String method, boolean isAfter) {
    Halt halt = new Halt();
    plan(method, isAfter, halt::pass);
    return halt;
  }

  private void plan(String method, boolean isAfter, Runnable strike) {
    planned(method).add(new Fault(isAfter, strike));
  }

  private Queue<Fault> planned(String method) {
    return faults.computeIfAbsent(method, m -> new ConcurrentLinkedQueue<>());
  }

  /** How many calls of this name have begun. */
  public int calls(String method) {
    return counted(calls, method).get();
  }

  /** How many calls of this name have been answered. */
  public int answers(String method) {
    return counted(answers, method).get();
  }

  private static AtomicInteger counted(Map<String, AtomicInteger> counts, String method) {
    return counts.computeIfAbsent(method, m -> new AtomicInteger());
  }

  /** From now on no hint is sent or heard. */
  public void silence() {
    isSilent = true;
  }

  /** The process counts time on this clock; the store stays on its own. */
  public void ticking(Time clock) {
    this.time = clock;
  }

  private <T> T wrapped(Class<T> role, T target) {
    return role.cast(
        Proxy.newProxyInstance(
            role.getClassLoader(),
            new Class<?>[] {role},
            (proxy, method, arguments) -> call(target, method, arguments)));
  }

  private @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    counted(calls, method.getName()).incrementAndGet();
    Fault fault = planned(method.getName()).poll();
    if (fault != null && !fault.isAfter) {
      fault.strike.run();
    }
    Object answer;
    try {
      answer = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
    if (fault != null && fault.isAfter) {
      fault.strike.run();
    }
    counted(answers, method.getName()).incrementAndGet();
    return answer;
  }

  @Override
  public StreamCatalog catalog() {
    return wrapped(StreamCatalog.class, behind.catalog());
  }

  @Override
  public StreamHolds holds() {
    return wrapped(StreamHolds.class, behind.holds());
  }

  @Override
  public StreamLog log() {
    return wrapped(StreamLog.class, behind.log());
  }

  @Override
  public StreamLeases leases() {
    return wrapped(StreamLeases.class, behind.leases());
  }

  @Override
  public StreamGroups groups() {
    return wrapped(StreamGroups.class, behind.groups());
  }

  @Override
  public StreamDeadLetters deadLetters() {
    return wrapped(StreamDeadLetters.class, behind.deadLetters());
  }

  @Override
  public StreamReader reader() {
    return wrapped(StreamReader.class, behind.reader());
  }

  @Override
  public StreamMonitor monitor() {
    return wrapped(StreamMonitor.class, behind.monitor());
  }

  @Override
  public StreamUpkeep upkeep() {
    return wrapped(StreamUpkeep.class, behind.upkeep());
  }

  @Override
  public Hints hints() {
    return new LossyHints(behind.hints());
  }

  @Override
  public Time time() {
    return time;
  }

  /** Lets nothing through while the store is silent. */
  private final class LossyHints implements Hints {
    private final Hints real;

    LossyHints(Hints real) {
      this.real = real;
    }

    @Override
    public void send(String topic) {
      if (!isSilent) {
        real.send(topic);
      }
    }

    @Override
    public Subscription listen(Listener listener) {
      return real.listen(
          new Listener() {
            @Override
            public void hinted(String topic) {
              if (!isSilent) {
                listener.hinted(topic);
              }
            }

            @Override
            public void mayHaveMissedSome() {
              if (!isSilent) {
                listener.mayHaveMissedSome();
              }
            }
          });
    }
  }

  /** A call that stops half-way until it is let go; an interrupt ends it. */
  public static final class Halt {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    /** Waits, in real time, until a call has stopped here. */
    public void awaitReached() {
      if (!await(reached)) {
        throw new AssertionError("no call has come here");
      }
    }

    /** Lets the call go on. */
    public void open() {
      open.countDown();
    }

    private void pass() {
      reached.countDown();
      if (!await(open)) {
        throw new AssertionError("a halted call was forgotten");
      }
    }

    private static boolean await(CountDownLatch latch) {
      try {
        return latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StreamException(StreamError.ABORTED, "interrupted in the store", e);
      }
    }
  }
}
