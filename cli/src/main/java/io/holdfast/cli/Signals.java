package io.holdfast.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * SIGTERM and SIGINT for a command that ends step by step: the first one asks, a later one ends the
 * process where it stands. At the same moment they count as one: some tools signal a process and
 * its group. By reflection, because the class is not part of the language and the compiler warns of
 * it; without it only the JVM's own hooks are left.
 */
final class Signals {
  private static final int INTERRUPTED = 130;
  private static final long SAME_MOMENT_MS = 100;

  private final CompletableFuture<Void> asked = new CompletableFuture<>();
  private final AtomicReference<@Nullable Long> askedAt = new AtomicReference<>();

  private Signals() {}

  /** Listens from now on. */
  static Signals listen() {
    Signals signals = new Signals();
    signals.handle("TERM");
    signals.handle("INT");
    return signals;
  }

  /** Completed by the first signal. */
  CompletableFuture<Void> asked() {
    return asked;
  }

  private void handle(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object received =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> received();
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "a handler of signals";
                  });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), received);
    } catch (ClassNotFoundException
        | NoSuchMethodException
        | IllegalAccessException
        | InstantiationException
        | InvocationTargetException e) {
      Problem.say("signals end this process at once: " + e.getMessage());
    }
  }

  private Object received() {
    long now = System.nanoTime();
    Long first = askedAt.get();
    if (first == null) {
      askedAt.set(now);
      asked.complete(null);
    } else if (now - first > TimeUnit.MILLISECONDS.toNanos(SAME_MOMENT_MS)) {
      Runtime.getRuntime().halt(INTERRUPTED);
    }
    return true;
  }
}
