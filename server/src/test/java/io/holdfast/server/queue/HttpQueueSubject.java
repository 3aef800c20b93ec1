package io.holdfast.server.queue;

import io.holdfast.Holdfast;
import io.holdfast.client.ClientOptions;
import io.holdfast.client.HoldfastClient;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;
import io.holdfast.testkit.queue.SteppedQueues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A store behind servers: each process is one, with a client of its own. */
final class HttpQueueSubject implements QueueSubject {
  private final QueueSubject store;
  private final ManualTime time;

  HttpQueueSubject(QueueSubject store, ManualTime time) {
    this.store = store;
    this.time = time;
  }

  @Override
  public QueueBackend process() {
    return store.process();
  }

  @Override
  public SteppedQueues open(QueueBackend backend, QueueOptions options) {
    QueueService service = QueueService.over(backend, options);
    Holdfast others = Holdfast.inMemory();
    Services services =
        new Services(others.locks(), service, others.streams(), others.jobs(), others);
    HoldfastServer server;
    try {
      server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    HoldfastClient client =
        HoldfastClient.connect(server.address().toString(), ClientOptions.DEFAULTS.withTime(time));
    return new SteppedQueues(
        client.queues(),
        service::step,
        () -> {
          client.close();
          server.close();
        });
  }

  @Override
  public Duration pace() {
    return Duration.ofMillis(4);
  }

  @Override
  public boolean isInProcess() {
    return false;
  }

  @Override
  public void close() {
    store.close();
  }
}
