package io.holdfast.server;

import io.holdfast.Holdfast;
import io.holdfast.Telemetry;
import io.holdfast.job.Jobs;
import io.holdfast.lock.Locks;
import io.holdfast.queue.Queues;
import io.holdfast.stream.Streams;

/**
 * What is served.
 *
 * @param resources what the four stand on; closed after them
 * @param telemetry what that counts about itself
 */
public record Services(
    Locks locks,
    Queues queues,
    Streams streams,
    Jobs jobs,
    AutoCloseable resources,
    Telemetry telemetry)
    implements AutoCloseable {
  /** On something that counts nothing. */
  public Services(Locks locks, Queues queues, Streams streams, Jobs jobs, AutoCloseable resources) {
    this(locks, queues, streams, jobs, resources, Telemetry.none());
  }

  /** Everything of one store. */
  public static Services of(Holdfast holdfast) {
    return new Services(
        holdfast.locks(), holdfast.queues(), holdfast.streams(), holdfast.jobs(), holdfast);
  }

  /** Answers whoever waits, and ends the duties. */
  void stop() {
    jobs.close();
    streams.close();
    queues.close();
    locks.close();
  }

  @Override
  public void close() {
    stop();
    try {
      resources.close();
    } catch (Exception e) {
      throw new IllegalStateException("the store did not close", e);
    }
  }
}
