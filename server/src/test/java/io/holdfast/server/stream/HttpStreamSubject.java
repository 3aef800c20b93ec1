package io.holdfast.server.stream;

import io.holdfast.client.stream.HttpStreams;
import io.holdfast.memory.ServedMemory;
import io.holdfast.postgres.ServedPostgres;
import io.holdfast.server.SpareServer;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Streams;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamSubject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** A store behind servers: each process is one, with a client of its own. */
final class HttpStreamSubject implements StreamSubject {
  private final Supplier<StreamStore> processes;
  private final ManualTime time;
  private final Deque<Runnable> ends = new ArrayDeque<>();

  private HttpStreamSubject(Supplier<StreamStore> processes, ManualTime time, Runnable end) {
    this.processes = processes;
    this.time = time;
    ends.push(end);
  }

  static HttpStreamSubject memory(ManualTime time) {
    ServedMemory served = new ServedMemory(time);
    return new HttpStreamSubject(served::streams, time, served::close);
  }

  static HttpStreamSubject postgres(ManualTime time) {
    ServedPostgres served = new ServedPostgres(time);
    return new HttpStreamSubject(() -> served.process().streams(), time, served::close);
  }

  @Override
  public StreamStore process() {
    return processes.get();
  }

  @Override
  public synchronized Streams seen(StreamService service) {
    SpareServer server = SpareServer.of(service);
    HttpStreams client = new HttpStreams(server.channel(), time);
    ends.push(server::close);
    ends.push(client::close);
    return client;
  }

  @Override
  public boolean isInProcess() {
    return false;
  }

  @Override
  public synchronized void close() {
    ends.forEach(Runnable::run);
  }
}
