package io.holdfast.testkit.stream;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import io.holdfast.stream.StreamCatalog;
import io.holdfast.stream.StreamDeadLetters;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A store in front of another that counts calls by the name of their method, and does what a test
 * planned before or after the next of them. Safe for use by many threads.
 */
final class UnreliableStreamStore implements StreamStore {
  private final StreamStore behind;
  private final Map<String, Queue<Plan>> plans = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private volatile boolean isDeaf;

  UnreliableStreamStore(StreamStore behind) {
    this.behind = behind;
  }

  /** Passes on what is heard, unless deaf. */
  private final class Ear implements Hints.Listener {
    private final Hints.Listener listener;

    Ear(Hints.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void hinted(String topic) {
      if (!isDeaf) {
        listener.hinted(topic);
      }
    }

    @Override
    public void mayHaveMissedSome() {
      if (!isDeaf) {
        listener.mayHaveMissedSome();
      }
    }
  }

  private record Plan(boolean isBefore, Runnable action) {}

  /** Runs {@code action} before the next call of {@code method} that nothing is planned for. */
  void beforeNext(String method, Runnable action) {
    planned(method).add(new Plan(true, action));
  }

  /** The same once the call has taken effect, in the place of its answer if it fails. */
  void afterNext(String method, Runnable action) {
    planned(method).add(new Plan(false, action));
  }

  /** From now on it hears nothing of what other processes do. */
  void deafen() {
    isDeaf = true;
  }

  /** How many calls of {@code method} have begun. */
  int calls(String method) {
    AtomicInteger count = calls.get(method);
    return count == null ? 0 : count.get();
  }

  private Queue<Plan> planned(String method) {
    return plans.computeIfAbsent(method, name -> new ConcurrentLinkedQueue<>());
  }

  private <T> T role(Class<T> role, T target) {
    Object proxy =
        Proxy.newProxyInstance(
            role.getClassLoader(),
            new Class<?>[] {role},
            (self, method, args) -> run(target, method, args));
    return role.cast(proxy);
  }

  private @Nullable Object run(Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    calls.computeIfAbsent(method.getName(), name -> new AtomicInteger()).incrementAndGet();
    Plan plan = planned(method.getName()).poll();
    if (plan != null && plan.isBefore) {
      plan.action.run();
    }
    Object answer;
    try {
      answer = method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
    if (plan != null && !plan.isBefore) {
      plan.action.run();
    }
    return answer;
  }

  @Override
  public StreamCatalog catalog() {
    return role(StreamCatalog.class, behind.catalog());
  }

  @Override
  public StreamHolds holds() {
    return role(StreamHolds.class, behind.holds());
  }

  @Override
  public StreamLog log() {
    return role(StreamLog.class, behind.log());
  }

  @Override
  public StreamLeases leases() {
    return role(StreamLeases.class, behind.leases());
  }

  @Override
  public StreamGroups groups() {
    return role(StreamGroups.class, behind.groups());
  }

  @Override
  public StreamDeadLetters deadLetters() {
    return role(StreamDeadLetters.class, behind.deadLetters());
  }

  @Override
  public StreamReader reader() {
    return role(StreamReader.class, behind.reader());
  }

  @Override
  public StreamMonitor monitor() {
    return role(StreamMonitor.class, behind.monitor());
  }

  @Override
  public StreamUpkeep upkeep() {
    return role(StreamUpkeep.class, behind.upkeep());
  }

  @Override
  public Hints hints() {
    Hints hints = behind.hints();
    return new Hints() {
      @Override
      public void send(String topic) {
        hints.send(topic);
      }

      @Override
      public Subscription listen(Listener listener) {
        return hints.listen(new Ear(listener));
      }
    };
  }

  @Override
  public Time time() {
    return behind.time();
  }
}
