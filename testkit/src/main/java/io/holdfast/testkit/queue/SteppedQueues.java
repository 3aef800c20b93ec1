package io.holdfast.testkit.queue;

import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Queues;
import java.util.List;
import java.util.function.IntSupplier;

/** Queues as one process has them, here or behind a server; a test steps their duties. */
public final class SteppedQueues implements Queues {
  private final Queues queues;
  private final IntSupplier step;
  private final Runnable end;

  /** Whose duties {@code step} steps once, saying how much was done, and {@code end} ends. */
  public SteppedQueues(Queues queues, IntSupplier step, Runnable end) {
    this.queues = queues;
    this.step = step;
    this.end = end;
  }

  /** Steps each duty once and says how much was done. */
  public int step() {
    return step.getAsInt();
  }

  @Override
  public Queue queue(String name) {
    return queues.queue(name);
  }

  @Override
  public QueueInfo create(NewQueue queue) {
    return queues.create(queue);
  }

  @Override
  public QueueInfo get(String name) {
    return queues.get(name);
  }

  @Override
  public QueueInfo update(String name, QueueUpdate update) {
    return queues.update(name, update);
  }

  @Override
  public List<QueueInfo> list(QueuePage page) {
    return queues.list(page);
  }

  @Override
  public void delete(String name, boolean force) {
    queues.delete(name, force);
  }

  @Override
  public void start() {
    queues.start();
  }

  @Override
  public void ping() {
    queues.ping();
  }

  @Override
  public void close() {
    end.run();
  }
}
