package io.holdfast.cli;

import io.holdfast.lease.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Callers that make turns of a load until they are stopped. */
final class LoadRun implements Load.Timed {
  private static final int DIGITS = 3;
  private static final long PATIENCE_MS = 20_000;

  private final Load load;
  private final int callers;
  private final Map<String, Histogram> latencies = new ConcurrentHashMap<>();
  private final LongAdder operations = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final List<Long> perSecond = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final long startedAt = System.nanoTime();
  private long seen;
  private long elapsedSeconds;
  private volatile String lastFailure = "";
  private volatile boolean isOver;

  LoadRun(Load load, int callers) {
    this.load = load;
    this.callers = callers;
  }

  void start() {
    for (int i = 0; i < callers; i++) {
      int caller = i;
      Thread thread = Background.daemon("holdfast-bench-" + i, () -> work(caller));
      threads.add(thread);
      thread.start();
    }
  }

  private void work(int caller) {
    while (!isOver) {
      try {
        load.turn(caller, this);
      } catch (RuntimeException e) {
        failures.increment();
        lastFailure = Problem.of(e);
        breathe();
      }
    }
  }

  private static void breathe() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public <T> T run(String operation, Supplier<T> call) {
    long from = System.nanoTime();
    T answer = call.get();
    latencies
        .computeIfAbsent(operation, name -> new ConcurrentHistogram(DIGITS))
        .recordValue(System.nanoTime() - from);
    operations.increment();
    return answer;
  }

  /** How many operations there were since the last tick. */
  long tick() {
    long all = operations.sum();
    long since = all - seen;
    seen = all;
    perSecond.add(since);
    return since;
  }

  void stop() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      thread.join(PATIENCE_MS);
    }
    elapsedSeconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedAt);
  }

  long elapsedSeconds() {
    return elapsedSeconds;
  }

  List<Long> perSecond() {
    return List.copyOf(perSecond);
  }

  Map<String, Histogram> latencies() {
    return new TreeMap<>(latencies);
  }

  long failures() {
    return failures.sum();
  }

  String lastFailure() {
    return lastFailure;
  }
}
