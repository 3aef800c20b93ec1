package io.holdfast.lease;

import java.util.function.Consumer;

/**
 * Says "look again" to whoever waits, in this process or another. A hint may be lost, late or
 * repeated: it saves waiting time and never decides anything. Safe for use by many threads.
 */
public interface Hints {
  /** Sends a hint about {@code topic} soon, without blocking and without ever failing. */
  void send(String topic);

  /** Hears hints until closed; {@code topic} is what the sender named. */
  Subscription listen(Consumer<String> topic);

  /** Ends listening when closed. */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
