package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;

/**
 * One consumer process of the soak of streams: a thread for each group. It ends when its standard
 * input does.
 */
@Command(name = "stream-soak-consumer", hidden = true)
final class StreamSoakConsumer implements Callable<Integer> {
  private final AtomicBoolean isKnown = new AtomicBoolean();
  private volatile boolean isEnding;

  @Override
  public Integer call() throws Exception {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = orders.readLine();
    Path directory = Path.of(orders.readLine());
    String name = orders.readLine();
    Thread watcher = new Thread(() -> awaitEnd(orders), "soak-orders");
    watcher.setDaemon(true);
    watcher.start();
    ExecutorService threads = Executors.newFixedThreadPool(StreamSoakPlan.GROUPS.size());
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url)) {
      List<Future<?>> running = new ArrayList<>();
      for (String group : StreamSoakPlan.GROUPS) {
        running.add(
            threads.submit(
                () -> {
                  consume(holdfast, directory.resolve(name + "-" + group), group);
                  return true;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return 0;
  }

  private void consume(PostgresHoldfast holdfast, Path file, String group) throws Exception {
    try (StreamNotes notes = new StreamNotes(file, group)) {
      StreamSoakReader reader = new StreamSoakReader(holdfast.streams(), group, notes);
      while (!isEnding) {
        if (reader.work() && isKnown.compareAndSet(false, true)) {
          System.out.println("working");
        }
      }
    } catch (Exception e) {
      isEnding = true;
      throw e;
    }
  }

  private void awaitEnd(BufferedReader orders) {
    try {
      while (orders.readLine() != null) {
        // Nothing more is ordered; only the end counts.
      }
    } catch (IOException e) {
      System.err.println("the orders ended with " + e.getMessage());
    }
    isEnding = true;
  }
}
