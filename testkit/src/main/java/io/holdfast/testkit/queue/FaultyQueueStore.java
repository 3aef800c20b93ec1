package io.holdfast.testkit.queue;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemLifecycle;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.PartitionStore;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueCatalog;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A store in front of another that counts calls, and fails or stops the next ones as told. Whole
 * partitions can be cut off. Safe for use by many threads.
 */
public final class FaultyQueueStore {
  /** What a store can be asked for: the methods of its roles by name. */
  public enum Operation {
    PRODUCE,
    LEASE,
    EXTEND,
    HAND_BACK,
    COMPLETE,
    RETRY,
    LIST,
    LIST_SCHEDULED,
    STATS,
    COUNT_READY,
    ADD,
    DELETE,
    CLEAR,
    REDRIVE,
    SCAN_SCHEDULED,
    SCAN_ACTIONS,
    TAKE_ACTION,
    LIFECYCLE_INFO,
    PROBE,
    CATALOG_GET,
    CATALOG_ADD,
    CATALOG_UPDATE,
    CATALOG_LIST,
    CATALOG_DELETE,
    CATALOG_PAUSE,
    CATALOG_VERSIONS,
    CATALOG_FINISH_DELETES
  }

  /** Where in a call something goes wrong: before it takes effect, or after. */
  public enum Moment {
    BEFORE,
    AFTER
  }

  private record Fault(Moment moment, Runnable strike) {}

  /** A call by reflection, as far as it matters here. */
  private interface Transition {
    @Nullable Object run() throws Throwable;
  }

  private final QueueBackend behind;
  private final Map<Operation, Queue<Fault>> faults = new ConcurrentHashMap<>();
  private final Map<Operation, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final Map<Operation, AtomicInteger> rows = new ConcurrentHashMap<>();
  private final Set<Integer> cutOff = ConcurrentHashMap.newKeySet();

  /** In front of {@code behind}, without faults so far. */
  public FaultyQueueStore(QueueBackend behind) {
    this.behind = behind;
    for (Operation operation : Operation.values()) {
      faults.put(operation, new ConcurrentLinkedQueue<>());
      calls.put(operation, new AtomicInteger());
      rows.put(operation, new AtomicInteger());
    }
  }

  /** The backend with this in the place of its store. */
  public QueueBackend backend() {
    QueueCatalog catalog = wrap(QueueCatalog.class, behind.catalog(), "CATALOG_", () -> {});
    return new QueueBackend(catalog, new Partitions(), behind.hints(), behind.time());
  }

  /** The next call of {@code operation} that nothing else is planned for fails. */
  public void failNext(Operation operation, Moment moment, QueueException failure) {
    of(faults, operation)
        .add(
            new Fault(
                moment,
                () -> {
                  throw failure;
                }));
  }

  /** The next call of {@code operation} that nothing else is planned for stops until told. */
  public Halt haltNext(Operation operation, Moment moment) {
    Halt halt = new Halt();
    of(faults, operation).add(new Fault(moment, halt::pass));
    return halt;
  }

  /** From now on only questions for figures reach the partition of this number, of any queue. */
  public void cutOff(int partition) {
    cutOff.add(partition);
  }

  /** The partition can be reached again. */
  public void mend(int partition) {
    cutOff.remove(partition);
  }

  /** How many calls of {@code operation} have begun. */
  public int calls(Operation operation) {
    return of(calls, operation).get();
  }

  /** How many rows {@code operation} has answered with so far, where it answers with a list. */
  public int rows(Operation operation) {
    return of(rows, operation).get();
  }

  private void refuseCutOff(int partition) {
    if (cutOff.contains(partition)) {
      throw QueueException.retryable("storage is not reachable; partition " + partition, null);
    }
  }

  private <T> T wrap(Class<T> role, T target, String prefix, Runnable admission) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          Transition call = () -> invoke(target, method, args);
          Operation operation = operation(prefix, method);
          return operation == null ? call.run() : run(operation, admission, call);
        };
    return role.cast(Proxy.newProxyInstance(role.getClassLoader(), new Class<?>[] {role}, handler));
  }

  private static @Nullable Operation operation(String prefix, Method method) {
    String name = prefix + method.getName().replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
    for (Operation operation : Operation.values()) {
      if (operation.name().equals(name)) {
        return operation;
      }
    }
    return null;
  }

  private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private @Nullable Object run(Operation operation, Runnable admission, Transition transition)
      throws Throwable {
    of(calls, operation).incrementAndGet();
    if (operation != Operation.STATS) {
      admission.run();
    }
    Fault fault = of(faults, operation).poll();
    strike(fault, Moment.BEFORE);
    Object answer = transition.run();
    if (answer instanceof List<?> list) {
      of(rows, operation).addAndGet(list.size());
    }
    strike(fault, Moment.AFTER);
    return answer;
  }

  private static void strike(@Nullable Fault fault, Moment moment) {
    if (fault != null && fault.moment == moment) {
      fault.strike.run();
    }
  }

  private static <V> V of(Map<Operation, V> map, Operation operation) {
    V value = map.get(operation);
    if (value == null) {
      throw new AssertionError(operation);
    }
    return value;
  }

  /** Opens partitions that go through here; looking at many of them fails if one is cut off. */
  private final class Partitions implements PartitionStore {
    private final Map<Partition, Partition> originals = new ConcurrentHashMap<>();

    @Override
    public Partition open(QueueInfo queue, PartitionInfo info) {
      Partition original = behind.partitions().open(queue, info);
      Partition wrapped = wrap(Partition.class, original, "", () -> refuseCutOff(info.number()));
      originals.put(wrapped, original);
      return wrapped;
    }

    @Override
    public List<ItemLifecycle.Info> lifecycleInfo(List<Partition> partitions, StoreCall call) {
      return look(
          Operation.LIFECYCLE_INFO,
          partitions,
          () -> behind.partitions().lifecycleInfo(originals(partitions), call));
    }

    @Override
    public List<Boolean> probe(List<Partition> partitions, StoreCall call) {
      return look(
          Operation.PROBE,
          partitions,
          () -> behind.partitions().probe(originals(partitions), call));
    }

    @SuppressWarnings("unchecked")
    private <T> List<T> look(Operation operation, List<Partition> partitions, Transition question) {
      Runnable admission = () -> partitions.forEach(p -> refuseCutOff(p.info().number()));
      try {
        return (List<T>) FaultyQueueStore.this.run(operation, admission, question);
      } catch (RuntimeException e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError("stores announce no checked exception", e);
      }
    }

    private List<Partition> originals(List<Partition> partitions) {
      return partitions.stream().map(wrapped -> originals.getOrDefault(wrapped, wrapped)).toList();
    }
  }
}
