package io.holdfast.queue;

import java.util.concurrent.atomic.LongAdder;

/** Counts items of one queue as they pass. Safe for use by many threads. */
final class FlowCounter {
  final LongAdder produced = new LongAdder();
  final LongAdder leased = new LongAdder();
  final LongAdder completed = new LongAdder();
  final LongAdder retried = new LongAdder();

  QueueFlow now() {
    return new QueueFlow(produced.sum(), leased.sum(), completed.sum(), retried.sum());
  }
}
