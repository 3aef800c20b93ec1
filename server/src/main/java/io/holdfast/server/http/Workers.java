package io.holdfast.server.http;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Threads for calls that block, with a bounded line in front of them. */
final class Workers implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final ThreadPoolExecutor threads;

  Workers(int threads, int waiting) {
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waiting),
            Workers::thread);
    this.threads.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "holdfast-server-" + NUMBER.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /** Cancelling the answer interrupts the work. */
  <T> CompletableFuture<T> call(Callable<T> work) {
    return call(work, late -> {});
  }

  /** The same; what nobody waits for any more is undone. */
  <T> CompletableFuture<T> call(Callable<T> work, Consumer<T> undo) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      Future<?> running = threads.submit(() -> run(work, answer, undo));
      answer.whenComplete(
          (done, failure) -> {
            if (answer.isCancelled()) {
              running.cancel(true);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(
          new Refusal(Refusal.Kind.OVERLOADED, "the server has too much to do; try again later"));
    }
    return answer;
  }

  private <T> void run(Callable<T> work, CompletableFuture<T> answer, Consumer<T> undo) {
    if (answer.isDone()) {
      return;
    }
    try {
      T done = work.call();
      if (!answer.complete(done)) {
        undone(() -> undo.accept(done));
      }
    } catch (Throwable e) {
      answer.completeExceptionally(e);
    } finally {
      Thread.interrupted(); // a late cancellation is not for the next call
    }
  }

  /** On a thread that no late cancellation interrupts, if there is one. */
  private void undone(Runnable undo) {
    try {
      threads.execute(undo);
    } catch (RejectedExecutionException e) {
      Thread.interrupted();
      undo.run();
    }
  }

  int waiting() {
    return threads.getQueue().size();
  }

  int active() {
    return threads.getActiveCount();
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
