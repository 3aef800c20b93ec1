package io.holdfast.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A service that stays while what is behind it is exchanged, and so do the parts that it gives out.
 * It is never closed; what is behind it may be. Safe for use by many threads.
 */
final class Exchanged<T extends AutoCloseable> {
  private final T first;
  private final T front;
  private volatile T behind;

  Exchanged(Class<T> type, T first) {
    this.first = first;
    this.behind = first;
    this.front = front(type, () -> behind);
  }

  T front() {
    return front;
  }

  void put(T next) {
    behind = next;
  }

  /** What was there at first is there again. */
  void putBack() {
    behind = first;
  }

  private static <P> P front(Class<P> type, Supplier<?> behind) {
    Map<String, Object> parts = new ConcurrentHashMap<>();
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              return isPart(method)
                  ? parts.computeIfAbsent(method.getName(), name -> part(method, behind))
                  : call(method, behind.get(), arguments);
            }));
  }

  private static boolean isPart(Method method) {
    Class<?> type = method.getReturnType();
    return method.getParameterCount() == 0
        && type.isInterface()
        && type.getName().startsWith("io.holdfast.");
  }

  private static Object part(Method method, Supplier<?> behind) {
    return front(
        method.getReturnType(),
        () -> {
          try {
            return method.invoke(behind.get());
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(method + " gave nothing out", e);
          }
        });
  }

  private static @Nullable Object call(Method method, Object target, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
