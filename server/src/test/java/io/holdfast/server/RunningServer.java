package io.holdfast.server;

import io.holdfast.Holdfast;
import io.holdfast.client.http.Channel;
import io.holdfast.job.Jobs;
import io.holdfast.lock.Locks;
import io.holdfast.queue.Queues;
import io.holdfast.stream.Streams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server whose services are exchanged while it runs, and a client's way to it. */
final class RunningServer {
  private static final Channel.Settings SETTINGS =
      new Channel.Settings(null, Duration.ofSeconds(5), Duration.ofSeconds(30));
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long LOOK_EVERY_NANOS = 100_000;

  /** What stands where nothing else was put; on the machine's clock. */
  private static final Holdfast REST = Holdfast.inMemory();

  final Exchanged<Locks> locks = new Exchanged<>(Locks.class, REST.locks());
  final Exchanged<Queues> queues = new Exchanged<>(Queues.class, REST.queues());
  final Exchanged<Streams> streams = new Exchanged<>(Streams.class, REST.streams());
  final Exchanged<Jobs> jobs = new Exchanged<>(Jobs.class, REST.jobs());
  final Channel channel;
  private final HoldfastServer server;

  RunningServer() {
    Services services =
        new Services(locks.front(), queues.front(), streams.front(), jobs.front(), () -> {});
    try {
      this.server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.channel = new Channel(server.address(), SETTINGS);
  }

  /** Takes away what was put behind it and says whether every call came to its end. */
  boolean clear() {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (server.calls() > 0 && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
    locks.putBack();
    queues.putBack();
    streams.putBack();
    jobs.putBack();
    return server.calls() == 0;
  }

  void stop() {
    channel.close();
    server.close();
  }
}
