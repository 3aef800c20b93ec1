package io.holdfast.testkit.queue;

import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import java.time.Duration;

/** A fresh, empty store under test, on a manual clock. */
public interface QueueSubject extends AutoCloseable {
  /** The store as one process sees it; a new view each time, sharing nothing but the data. */
  QueueBackend process();

  /** Queues over such a view, or over one that a test has put something before. */
  default SteppedQueues open(QueueBackend backend, QueueOptions options) {
    QueueService service = QueueService.over(backend, options);
    return new SteppedQueues(service, service::step, service::close);
  }

  /**
   * About how long a call takes in real time: a clock that moves under running calls moves no
   * faster.
   */
  default Duration pace() {
    return Duration.ofMillis(1);
  }

  /**
   * Whether queues are in this process. If not, nobody here can tell a call that was not sent from
   * one that was, and a request has a largest size.
   */
  default boolean isInProcess() {
    return true;
  }

  @Override
  void close();
}
