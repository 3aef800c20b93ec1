package io.holdfast.testkit.stream;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A store as it is, that counts who looked for messages: so a test knows that a pop has found
 * nothing, and waits. Safe for use by many threads.
 */
final class WatchedStore implements StreamStore {
  private final StreamStore store;
  private final StreamLeases leases;
  private final Map<Seeker, AtomicInteger> looks = new ConcurrentHashMap<>();
  private volatile Runnable afterClaim = () -> {};

  WatchedStore(StreamStore store) {
    this.store = store;
    this.leases =
        (StreamLeases)
            Proxy.newProxyInstance(
                StreamLeases.class.getClassLoader(),
                new Class<?>[] {StreamLeases.class},
                (proxy, method, arguments) -> watched(method, arguments));
  }

  /** Who looks, and where. */
  private record Seeker(PopSource from, String group) {}

  /** How often somebody began to look for what {@code request} asks for. */
  int looks(PopRequest request) {
    return count(request).get();
  }

  /** Does this between every claim that brings something and its delivery. */
  void afterClaims(Runnable action) {
    afterClaim = action;
  }

  private AtomicInteger count(PopRequest request) {
    Seeker seeker = new Seeker(request.from(), request.group());
    return looks.computeIfAbsent(seeker, s -> new AtomicInteger());
  }

  private @Nullable Object watched(Method method, Object[] arguments) throws Throwable {
    boolean isPop = method.getName().equals("pop");
    if (isPop) {
      ((List<?>) arguments[0]).forEach(request -> count((PopRequest) request).incrementAndGet());
    }
    try {
      Object answer = method.invoke(store.leases(), arguments);
      if (isPop && ((List<?>) answer).stream().anyMatch(WatchedStore::isClaim)) {
        afterClaim.run();
      }
      return answer;
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static boolean isClaim(Object answer) {
    return !((StreamLeases.PopAnswer) answer).popped().isEmpty();
  }

  @Override
  public StreamLeases leases() {
    return leases;
  }

  @Override
  public StreamCatalog catalog() {
    return store.catalog();
  }

  @Override
  public StreamHolds holds() {
    return store.holds();
  }

  @Override
  public StreamLog log() {
    return store.log();
  }

  @Override
  public StreamGroups groups() {
    return store.groups();
  }

  @Override
  public StreamDeadLetters deadLetters() {
    return store.deadLetters();
  }

  @Override
  public StreamReader reader() {
    return store.reader();
  }

  @Override
  public StreamMonitor monitor() {
    return store.monitor();
  }

  @Override
  public StreamUpkeep upkeep() {
    return store.upkeep();
  }

  @Override
  public Hints hints() {
    return store.hints();
  }

  @Override
  public Time time() {
    return store.time();
  }
}
