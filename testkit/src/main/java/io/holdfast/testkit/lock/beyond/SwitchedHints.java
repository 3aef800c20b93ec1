package io.holdfast.testkit.lock.beyond;

import io.holdfast.lease.Hints;
import java.util.concurrent.atomic.AtomicInteger;

/** The hints of the store under test, which a test may lose. Safe for use by many threads. */
final class SwitchedHints implements Hints {
  final AtomicInteger sent = new AtomicInteger();
  volatile boolean lost;
  private final Hints real;

  SwitchedHints(Hints real) {
    this.real = real;
  }

  @Override
  public void send(String topic) {
    sent.incrementAndGet();
    if (!lost) {
      real.send(topic);
    }
  }

  @Override
  public Subscription listen(Listener listener) {
    return real.listen(listener);
  }
}
