package io.holdfast.memory;

import io.holdfast.lease.Hints;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hints between users of one memory store, delivered at once. */
final class MemoryHints implements Hints {
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  @Override
  public void send(String topic) {
    listeners.forEach(listener -> listener.hinted(topic));
  }

  @Override
  public Subscription listen(Listener listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }
}
