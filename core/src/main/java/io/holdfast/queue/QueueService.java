package io.holdfast.queue;

import java.util.List;
import java.util.function.Function;

/** The {@link Queues} over a store: checks arguments, makes the call, and hands out handles. */
public final class QueueService implements Queues {
  private final QueueEngine engine;

  private QueueService(QueueEngine engine) {
    this.engine = engine;
  }

  /** Queues over {@code backend}; close them to end their duties. */
  public static QueueService over(QueueBackend backend, QueueOptions options) {
    return new QueueService(new QueueEngine(backend, options));
  }

  @Override
  public Queue queue(String name) {
    return new QueueHandle(engine, name);
  }

  @Override
  public QueueInfo create(NewQueue queue) {
    engine.start();
    QueueRules.checkName(queue.name());
    QueueInfo made = catalog(c -> c.add(queue, engine.storeCall()));
    engine.take(made);
    return made;
  }

  @Override
  public QueueInfo get(String name) {
    engine.start();
    QueueRules.checkName(name);
    return engine.read(name).info();
  }

  @Override
  public QueueInfo update(String name, QueueUpdate update) {
    engine.start();
    QueueRules.checkName(name);
    QueueInfo changed = catalog(c -> c.update(name, update, engine.storeCall()));
    engine.take(changed);
    return changed;
  }

  @Override
  public List<QueueInfo> list(QueuePage page) {
    engine.start();
    ItemRules.checkQueuePage(page);
    QueuePage checked =
        new QueuePage(page.pivot().strip(), ItemRules.limit(page.limit()), page.namespace());
    return catalog(c -> c.list(checked, engine.storeCall()));
  }

  @Override
  public void delete(String name, boolean force) {
    engine.start();
    QueueRules.checkName(name);
    LiveQueue queue = engine.read(name);
    engine.call(
        () -> {
          engine.backend.catalog().delete(name, force, engine.storeCall());
          return true;
        });
    engine.vanished(queue);
  }

  private <T> T catalog(Function<QueueCatalog, T> call) {
    return engine.call(() -> call.apply(engine.backend.catalog()));
  }

  @Override
  public void start() {
    engine.start();
  }

  @Override
  public void ping() {
    engine.requireOpen();
    engine.call(() -> engine.backend.catalog().versions(engine.storeCall()));
  }

  /** Steps each duty once and says how much was done; for tests of stepped services. */
  public int step() {
    return engine.step();
  }

  @Override
  public void close() {
    engine.close();
  }
}
