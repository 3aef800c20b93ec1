package io.holdfast.server.lock;

import io.holdfast.Holdfast;
import io.holdfast.Store;
import io.holdfast.client.http.Channel;
import io.holdfast.client.lock.HttpLocks;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.memory.MemoryCounters;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.ServedStores;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.server.TestServer;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.ObjLongConsumer;

/** A store under test behind a server of its own; what a test gets is the client's side. */
final class HttpLockSubject implements LockSubject {
  private static final Channel.Settings SETTINGS =
      new Channel.Settings(null, Duration.ofSeconds(5), Duration.ofSeconds(30));

  private final HoldfastServer server;
  private final Channel channel;
  private final LockBackend backend;
  private final ObjLongConsumer<String> counters;

  HttpLockSubject(
      LockBackend behind,
      ManualTime time,
      ObjLongConsumer<String> counters,
      AutoCloseable resources) {
    Holdfast rest = Holdfast.inMemory(); // on the machine's clock: nobody else waits on the other
    Locks locks = LockService.over(behind, LockOptions.DEFAULTS.withPurgeEvery(null));
    Services services = new Services(locks, rest.queues(), rest.streams(), rest.jobs(), resources);
    try {
      this.server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.channel = new Channel(server.address(), SETTINGS);
    this.backend = HttpLocks.backend(channel, time);
    this.counters = counters;
  }

  static HttpLockSubject memory(ManualTime time) {
    MemoryStore store = new MemoryStore(time);
    return new HttpLockSubject(
        store.locks(), time, (key, fence) -> MemoryCounters.set(store, key, fence), store);
  }

  static HttpLockSubject postgres(ManualTime time) {
    String url = TestServer.url();
    Store store = ServedStores.empty(url, time);
    return new HttpLockSubject(
        store.locks(), time, (key, fence) -> ServedStores.setCounter(url, key, fence), store);
  }

  @Override
  public LockBackend backend() {
    return backend;
  }

  @Override
  public void setCounter(String key, long fence) {
    counters.accept(key, fence);
  }

  @Override
  public void close() {
    channel.close();
    server.close();
  }
}
