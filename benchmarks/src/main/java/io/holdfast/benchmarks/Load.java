package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** Runs the same step again and again on several threads, for a time; the first error ends it. */
final class Load {
  private static final long MAX_TURNS = 100_000_000;
  private static final long PATIENCE_SECONDS = 90;

  private Load() {}

  /** Which thread, its how manieth turn, when all began and when all shall end. */
  record Turn(int caller, long number, long startNanos, long untilNanos) {}

  /** What is repeated. */
  @FunctionalInterface
  interface Step {
    /** Does it once and answers how long that took, in nanoseconds, or less than 0: not done. */
    long run(Turn turn) throws Exception;
  }

  /**
   * What was done.
   *
   * @param operations how many steps counted
   * @param seconds from the common start to the last thread's end
   * @param busySeconds inside steps that counted, over all threads
   * @param latency of steps that counted, in nanoseconds
   */
  record Outcome(long operations, double seconds, double busySeconds, Histogram latency) {}

  private record Share(long operations, long busyNanos, Histogram latency) {}

  static Outcome run(int callers, Duration time, Step step) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      CountDownLatch ready = new CountDownLatch(callers);
      CountDownLatch go = new CountDownLatch(1);
      long[] start = new long[1];
      List<Future<Share>> shares = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        int caller = i;
        shares.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  go.await();
                  return repeat(caller, start[0], time, step);
                }));
      }
      ready.await();
      start[0] = System.nanoTime();
      go.countDown();
      return sum(shares, start[0], time);
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private static Share repeat(int caller, long start, Duration time, Step step) throws Exception {
    long until = start + time.toNanos();
    Histogram latency = new Histogram(3);
    long operations = 0;
    long busy = 0;
    for (long n = 0; n < MAX_TURNS && until - System.nanoTime() > 0; n++) {
      long nanos = step.run(new Turn(caller, n, start, until));
      if (nanos >= 0) {
        operations++;
        busy += nanos;
        latency.recordValue(nanos);
      }
    }
    return new Share(operations, busy, latency);
  }

  private static Outcome sum(List<Future<Share>> shares, long start, Duration time)
      throws InterruptedException, TimeoutException, ExecutionException {
    long operations = 0;
    long busy = 0;
    Histogram latency = new Histogram(3);
    for (Future<Share> future : shares) {
      Share share = future.get(time.toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS);
      operations += share.operations;
      busy += share.busyNanos;
      latency.add(share.latency);
    }
    return new Outcome(operations, (System.nanoTime() - start) / 1e9, busy / 1e9, latency);
  }
}
