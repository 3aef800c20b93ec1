package io.holdfast.server;

import io.holdfast.client.http.Channel;
import io.holdfast.job.Jobs;
import io.holdfast.lock.Locks;
import io.holdfast.queue.Queues;
import io.holdfast.stream.Streams;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running server in front of what a test gives it, and a way to it. To start one takes longer
 * than most tests, so one serves test after test.
 */
public final class SpareServer implements AutoCloseable {
  private static final Deque<RunningServer> FREE = new ConcurrentLinkedDeque<>();

  private final RunningServer server;
  private final AutoCloseable served;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  private SpareServer(AutoCloseable served) {
    RunningServer free = FREE.poll();
    this.server = free == null ? new RunningServer() : free;
    this.served = served;
  }

  public static SpareServer of(Locks served) {
    SpareServer spare = new SpareServer(served);
    spare.server.locks.put(served);
    return spare;
  }

  public static SpareServer of(Queues served) {
    SpareServer spare = new SpareServer(served);
    spare.server.queues.put(served);
    served.start();
    return spare;
  }

  public static SpareServer of(Streams served) {
    SpareServer spare = new SpareServer(served);
    spare.server.streams.put(served);
    served.start();
    return spare;
  }

  public static SpareServer of(Jobs served) {
    SpareServer spare = new SpareServer(served);
    spare.server.jobs.put(served);
    served.start();
    return spare;
  }

  /** The way to it, which stays open. */
  public Channel channel() {
    return server.channel;
  }

  /** Closes what it served; when every call is answered, the server is free for the next test. */
  @Override
  public void close() {
    if (isClosed.getAndSet(true)) {
      return;
    }
    try {
      served.close();
    } catch (Exception e) {
      throw new IllegalStateException("what was served did not close", e);
    }
    if (server.clear()) {
      FREE.push(server);
    } else {
      server.stop();
    }
  }
}
