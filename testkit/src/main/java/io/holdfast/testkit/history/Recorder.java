package io.holdfast.testkit.history;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes down what many threads do. The clock is a counter that all of them share: a call that
 * ended before another began has smaller numbers, which real clocks do not promise. Safe for use by
 * many threads.
 */
public final class Recorder<A> {
  private final AtomicLong clock = new AtomicLong();
  private final Queue<Operation<A>> operations = new ConcurrentLinkedQueue<>();

  /** A call is about to be made; answers what to pass on when it is over. */
  public long begin() {
    return clock.incrementAndGet();
  }

  /** The call that began then was answered; {@code action} is both, call and answer. */
  public void end(long begun, A action) {
    operations.add(new Operation<>(action, begun, clock.incrementAndGet()));
  }

  /** The call that began then was sent, and its answer lost. */
  public void lost(long begun, A action) {
    operations.add(new Operation<>(action, begun, Operation.NEVER));
  }

  /** Everything so far. */
  public List<Operation<A>> operations() {
    return List.copyOf(operations);
  }
}
