package io.holdfast.server.queue;

import io.holdfast.client.queue.HttpQueues;
import io.holdfast.memory.ServedMemory;
import io.holdfast.postgres.ServedPostgres;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.server.SpareServer;
import io.holdfast.testkit.Listening;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;
import io.holdfast.testkit.queue.SteppedQueues;
import java.time.Duration;
import java.util.function.Supplier;

/** A store behind servers: each process is one, with a client of its own. */
final class HttpQueueSubject implements QueueSubject {
  private final Supplier<QueueBackend> processes;
  private final ManualTime time;
  private final Runnable end;

  private HttpQueueSubject(Supplier<QueueBackend> processes, ManualTime time, Runnable end) {
    this.processes = processes;
    this.time = time;
    this.end = end;
  }

  static HttpQueueSubject memory(ManualTime time) {
    ServedMemory served = new ServedMemory(time);
    return new HttpQueueSubject(served::process, time, served::close);
  }

  static HttpQueueSubject postgres(ManualTime time) {
    ServedPostgres served = new ServedPostgres(time);
    return new HttpQueueSubject(() -> served.process().queues(), time, served::close);
  }

  /** The same, hearing hints from the start, so that a test knows who looks when. */
  static HttpQueueSubject listeningPostgres(ManualTime time) {
    ServedPostgres served = new ServedPostgres(time);
    return new HttpQueueSubject(() -> listening(served.process().queues()), time, served::close);
  }

  private static QueueBackend listening(QueueBackend queues) {
    Listening.await(queues.hints());
    return queues;
  }

  @Override
  public QueueBackend process() {
    return processes.get();
  }

  @Override
  public SteppedQueues open(QueueBackend backend, QueueOptions options) {
    QueueService service = QueueService.over(backend, options);
    SpareServer server = SpareServer.of(service);
    HttpQueues client = new HttpQueues(server.channel(), time);
    return new SteppedQueues(
        client,
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
    end.run();
  }
}
