package io.holdfast.lease;

/**
 * Says "look again" to whoever waits, in this process or another. A hint may be lost, late or
 * repeated: it saves waiting time and never decides anything. Safe for use by many threads.
 */
public interface Hints {
  /** Nobody is told anything: who waits looks again by itself. */
  static Hints none() {
    return Silence.INSTANCE;
  }

  /** Sends a hint about {@code topic} soon, without blocking and without ever failing. */
  void send(String topic);

  /** Hears hints until closed. */
  Subscription listen(Listener listener);

  /** Hears hints, on a thread of the sender's or of the store's; it must not block. */
  interface Listener {
    /** Somebody sent a hint about {@code topic}. */
    void hinted(String topic);

    /**
     * Nothing was heard for a while, from when listening was asked for or the connection was lost.
     */
    void mayHaveMissedSome();
  }

  /** Ends listening when closed. */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /** A store without hints. */
  enum Silence implements Hints {
    INSTANCE;

    @Override
    public void send(String topic) {}

    @Override
    public Subscription listen(Listener listener) {
      return () -> {};
    }
  }
}
