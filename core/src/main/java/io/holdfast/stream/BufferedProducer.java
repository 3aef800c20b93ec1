package io.holdfast.stream;

import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A buffer that is shared by all queues, and a {@link SendLane} for each of them: a queue that is
 * full holds up nobody else, except by what of it waits in the buffer. Safe for use by many
 * threads.
 */
final class BufferedProducer implements StreamProducer {
  private final StreamWork work;
  private final Time time;
  private final ProducerOptions options;
  private final Consumer<AutoCloseable> ended;
  private final Map<String, SendLane> lanes = new ConcurrentHashMap<>();
  private final Set<Signal> blocked = new HashSet<>();
  private int messages;
  private long bytes;
  private boolean closed;

  /** {@code ended} hears of it when it is closed. */
  BufferedProducer(StreamWork work, ProducerOptions options, Consumer<AutoCloseable> ended) {
    this.work = work;
    this.time = work.engine().time();
    this.options = options;
    this.ended = ended;
  }

  @Override
  public CompletableFuture<Pushed> send(NewMessage message) {
    StreamRules.checkPush(List.of(message));
    work.start();
    String id = message.transactionId();
    NewMessage repeatable =
        id == null || id.isEmpty() ? message.once(UUID.randomUUID().toString()) : message;
    enter(repeatable.payload().size());
    SendLane lane =
        lanes.computeIfAbsent(
            message.queue(), queue -> new SendLane(work, options.deliveryTimeout()));
    CompletableFuture<Pushed> sent = lane.add(repeatable);
    sent.whenComplete((pushed, failure) -> leave(repeatable.payload().size()));
    return sent;
  }

  /** Takes room in the buffer, and waits for it if need be. */
  private void enter(int size) {
    long untilNanos = Time.after(time.nanos(), options.maxBlock().toMillis());
    Signal signal = new Signal();
    try {
      while (!tryEnter(size, signal)) {
        Signal.Woken woken = signal.await(time, untilNanos);
        if (woken == Signal.Woken.TIMED_OUT) {
          throw StreamException.unavailable("the producer's buffer is full", null);
        }
        if (woken == Signal.Woken.INTERRUPTED) {
          throw new StreamException(
              StreamError.ABORTED, "interrupted while waiting for room", null);
        }
      }
    } finally {
      synchronized (this) {
        blocked.remove(signal);
      }
    }
  }

  private synchronized boolean tryEnter(int size, Signal signal) {
    if (closed) {
      throw StreamException.closed();
    }
    boolean hasRoom =
        messages == 0 || (messages < options.maxMessages() && bytes + size <= options.maxBytes());
    if (hasRoom) {
      messages++;
      bytes += size;
    } else {
      blocked.add(signal);
    }
    return hasRoom;
  }

  private synchronized void leave(int size) {
    messages--;
    bytes -= size;
    blocked.forEach(Signal::raise);
    notifyAll();
  }

  @Override
  public synchronized void flush() {
    try {
      while (messages > 0) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StreamException(StreamError.ABORTED, "interrupted while flushing", e);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      blocked.forEach(Signal::raise);
    }
    flush();
    ended.accept(this);
  }
}
