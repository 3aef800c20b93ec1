package io.holdfast.stream;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a producer sends to one queue: one call at a time, so that order holds; what gathers
 * meanwhile is the next call. A call that the queue has no room for, or that got no answer, is
 * repeated after a while, and a smaller one if it did not fit; the transaction ids stay, so nothing
 * is stored twice. Safe for use by many threads.
 */
final class SendLane {
  private static final int MOST = 1_000;
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 5_000;

  private final StreamWork work;
  private final Time time;
  private final Duration timeout;
  private final Deque<Sending> waiting = new ArrayDeque<>();
  private boolean isBusy;
  private int width = MOST;
  private long pauseMs = FIRST_PAUSE_MS;

  SendLane(StreamWork work, Duration timeout) {
    this.work = work;
    this.time = work.engine().time();
    this.timeout = timeout;
  }

  /** A message that waits for its answer. It is placed once: elsewhere it would be no duplicate. */
  private static final class Sending {
    final long untilNanos;
    final CompletableFuture<Pushed> future = new CompletableFuture<>();
    NewMessage message;

    Sending(NewMessage message, long untilNanos) {
      this.message = message;
      this.untilNanos = untilNanos;
    }
  }

  CompletableFuture<Pushed> add(NewMessage message) {
    long until = Time.after(time.nanos(), timeout.toMillis());
    Sending sending = new Sending(message, until);
    synchronized (this) {
      waiting.add(sending);
    }
    pump();
    return sending.future;
  }

  /** Sends what waits, unless a call or a pause is under way. */
  private void pump() {
    List<Sending> batch;
    synchronized (this) {
      if (isBusy || waiting.isEmpty()) {
        return;
      }
      isBusy = true;
      batch = new ArrayList<>(waiting.stream().limit(width).toList());
    }
    try {
      List<NewMessage> messages = work.placed(batch.stream().map(s -> s.message).toList());
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).message = messages.get(i);
      }
      work.push(messages).whenComplete((pushed, failure) -> answered(batch, pushed, failure));
    } catch (StreamException refused) {
      answered(batch, null, refused);
    }
  }

  private void answered(
      List<Sending> batch, @Nullable List<Pushed> pushed, @Nullable Throwable failure) {
    if (pushed != null) {
      finish(batch.size());
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).future.complete(pushed.get(i));
      }
      pump();
      return;
    }
    StreamException e = StreamEngine.asStreamException(failure);
    switch (e.error()) {
      case QUEUE_FULL, PAUSED, UNAVAILABLE, LOCK_TIMEOUT, ABORTED -> repeat(batch, e);
      default -> fail(batch, e);
    }
  }

  /** The first so many have their answer; the lane is free. */
  private synchronized void finish(int count) {
    for (int i = 0; i < count; i++) {
      waiting.remove();
    }
    width = Math.min(MOST, 2 * width);
    pauseMs = FIRST_PAUSE_MS;
    isBusy = false;
  }

  private void fail(List<Sending> batch, StreamException e) {
    finish(batch.size());
    batch.forEach(sending -> sending.future.completeExceptionally(e));
    pump();
  }

  /** Tries again later; messages whose time is over are given up. */
  private void repeat(List<Sending> batch, StreamException e) {
    long now = time.nanos();
    List<Sending> late = batch.stream().filter(s -> s.untilNanos - now <= 0).toList();
    long pause;
    synchronized (this) {
      waiting.removeAll(late);
      if (e.error() == StreamError.QUEUE_FULL) {
        width = Math.max(1, Math.min(width, batch.size()) / 2);
      }
      pause = pauseMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    }
    late.forEach(sending -> sending.future.completeExceptionally(e));
    work.engine().timers().at(Time.after(now, pause), this::again);
  }

  private void again() {
    synchronized (this) {
      isBusy = false;
    }
    work.engine().background("sending", this::pump);
  }
}
