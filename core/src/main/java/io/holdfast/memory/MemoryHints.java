package io.holdfast.memory;

import io.holdfast.lease.Hints;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Hints between users of one memory store, delivered at once. */
final class MemoryHints implements Hints {
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

  @Override
  public void send(String topic) {
    listeners.forEach(listener -> listener.accept(topic));
  }

  @Override
  public Subscription listen(Consumer<String> topic) {
    listeners.add(topic);
    return () -> listeners.remove(topic);
  }
}
