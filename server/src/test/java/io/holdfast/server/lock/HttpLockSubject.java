package io.holdfast.server.lock;

import io.holdfast.Store;
import io.holdfast.client.lock.HttpLocks;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.memory.MemoryCounters;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.ServedPostgres;
import io.holdfast.server.SpareServer;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import java.util.function.ObjLongConsumer;

/** A store under test behind a server; what a test gets is the client's side. */
final class HttpLockSubject implements LockSubject {
  private final SpareServer server;
  private final LockBackend backend;
  private final ObjLongConsumer<String> counters;
  private final Runnable end;

  private HttpLockSubject(
      LockBackend behind, ManualTime time, ObjLongConsumer<String> counters, Runnable end) {
    this.server =
        SpareServer.of(LockService.over(behind, LockOptions.DEFAULTS.withPurgeEvery(null)));
    this.backend = HttpLocks.backend(server.channel(), time);
    this.counters = counters;
    this.end = end;
  }

  static HttpLockSubject memory(ManualTime time) {
    MemoryStore store = new MemoryStore(time);
    return new HttpLockSubject(
        store.locks(), time, (key, fence) -> MemoryCounters.set(store, key, fence), store::close);
  }

  static HttpLockSubject postgres(ManualTime time) {
    ServedPostgres served = new ServedPostgres(time);
    Store store = served.process();
    store.locks().store().setup(LockCall.plain());
    return new HttpLockSubject(store.locks(), time, served::setCounter, served::close);
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
    server.close();
    end.run();
  }
}
