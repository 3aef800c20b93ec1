package io.holdfast.testkit.job;

import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobReader;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A job store in front of another that remembers calls, and fails or stops the next ones as told:
 * before they take effect, or after, so that an answer is lost. It can be cut off for good, its
 * hints can be lost, and the process can have a clock of its own. Like a database, it refuses
 * threads that are interrupted. Safe for use by many threads.
 *
 * <p>Calls are named by the method of their role; {@code settleAndReserve} is both a {@code settle}
 * and a {@code reserve}.
 */
public final class FaultyJobStore implements JobBackend {
  private final JobBackend behind;
  private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
  private final Map<String, Queue<List<Object>>> calls = new ConcurrentHashMap<>();
  private volatile Time time;
  private volatile boolean isSilent;
  private volatile boolean isCutOff;

  /** In front of {@code behind}, without faults so far. */
  public FaultyJobStore(JobBackend behind) {
    this.behind = behind;
    this.time = behind.time();
  }

  private record Fault(boolean isAfter, Runnable strike) {}

  /** So many next calls of this kind fail, and nothing happens. */
  public void fail(String kind, int times) {
    for (int i = 0; i < times; i++) {
      breakNext(kind, JobException.unavailable("the store is not reachable", null));
    }
  }

  /** The next call of this kind fails in this way, and nothing happens. */
  public void breakNext(String kind, RuntimeException failure) {
    plan(kind, false, () -> raise(failure));
  }

  private static void raise(RuntimeException failure) {
    throw failure;
  }

  /** The next call of this kind takes effect, and its answer is lost. */
  public void loseNext(String kind) {
    plan(kind, true, () -> raise(JobException.unknown("the answer was lost", null)));
  }

  /** The next call of this kind stops, before it takes effect or after, until it is let go. */
  public Halt haltNext(String kind, boolean isAfter) {
    Halt halt = new Halt();
    plan(kind, isAfter, halt::pass);
    return halt;
  }

  /** From now on every call fails. */
  public void cutOff() {
    isCutOff = true;
  }

  /** Forgets what was to fail. */
  public void heal() {
    isCutOff = false;
    faults.clear();
  }

  /** From now on no hint is sent or heard. */
  public void silence() {
    isSilent = true;
  }

  /** The process counts time on this clock; the store stays on its own. */
  public void ticking(Time clock) {
    this.time = clock;
  }

  private void plan(String kind, boolean isAfter, Runnable strike) {
    planned(kind).add(new Fault(isAfter, strike));
  }

  private Queue<Fault> planned(String kind) {
    return faults.computeIfAbsent(kind, k -> new ConcurrentLinkedQueue<>());
  }

  /** How many calls of this kind have begun. */
  public int count(String kind) {
    return made(kind).size();
  }

  /** The arguments of the calls of this kind that have begun. */
  public List<List<Object>> calls(String kind) {
    return List.copyOf(made(kind));
  }

  private Queue<List<Object>> made(String kind) {
    return calls.computeIfAbsent(kind, k -> new ConcurrentLinkedQueue<>());
  }

  private static List<String> kinds(String method) {
    return method.equals("settleAndReserve") ? List.of("settle", "reserve") : List.of(method);
  }

  private <T> T wrapped(Class<T> role, T target) {
    return role.cast(
        Proxy.newProxyInstance(
            role.getClassLoader(),
            new Class<?>[] {role},
            (proxy, method, arguments) -> call(target, method, arguments)));
  }

  @SuppressWarnings("NullAway") // arguments may be null, and whoever looks at them knows
  private @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Fault fault = null;
    for (String kind : kinds(method.getName())) {
      made(kind).add(arguments == null ? List.of() : Arrays.asList(arguments));
      fault = fault == null ? planned(kind).poll() : fault;
    }
    if (isCutOff) {
      throw JobException.unavailable("the store is cut off", null);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new JobException(JobError.ABORTED, "the calling thread is interrupted", null);
    }
    if (fault != null && !fault.isAfter) {
      fault.strike.run();
    }
    Object answer = invoked(target, method, arguments);
    if (fault != null && fault.isAfter) {
      fault.strike.run();
    }
    return answer;
  }

  private static @Nullable Object invoked(
      Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      method.setAccessible(true);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  @Override
  public JobStore store() {
    return wrapped(JobStore.class, behind.store());
  }

  @Override
  public JobReader reader() {
    return wrapped(JobReader.class, behind.reader());
  }

  @Override
  public JobAdmin admin() {
    return wrapped(JobAdmin.class, behind.admin());
  }

  @Override
  public JobLimits limits() {
    return wrapped(JobLimits.class, behind.limits());
  }

  @Override
  public JobSchedules schedules() {
    return wrapped(JobSchedules.class, behind.schedules());
  }

  @Override
  public JobUpkeep upkeep() {
    return wrapped(JobUpkeep.class, behind.upkeep());
  }

  @Override
  public JobTransactions transactions() {
    return behind.transactions();
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
}
