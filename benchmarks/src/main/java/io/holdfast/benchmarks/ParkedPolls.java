package io.holdfast.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Many long polls that wait at once: what each costs the process, and how soon one is answered. */
final class ParkedPolls {
  private static final Pattern WAITING = Pattern.compile("\"lease_waiting\":\\s*(\\d+)");

  private final BenchQueue queue;
  private final URI server;
  private final int count;
  private final List<WireClient> clients = new ArrayList<>();
  private long bytesPerWaiter;
  private double wakeMillis;
  private int threads;

  ParkedPolls(BenchQueue queue, URI server, int count) {
    this.queue = queue;
    this.server = server;
    this.count = count;
  }

  void measure() throws IOException, InterruptedException {
    long before = used();
    try {
      for (int i = 0; i < count; i++) {
        WireClient client = new WireClient(server);
        clients.add(client);
        client.send(
            "POST",
            "/v1/queue.lease",
            "{\"queue_name\":\""
                + queue.queue().name()
                + "\",\"batch_size\":1,\"request_timeout\":\"10m\",\"client_id\":\"w"
                + i
                + "\"}");
      }
      awaitAll();
      bytesPerWaiter = (used() - before) / count;
      threads = Thread.activeCount();
      long start = System.nanoTime();
      queue.produce(1);
      awaitOne();
      wakeMillis = (System.nanoTime() - start) / 1e6;
    } finally {
      for (WireClient client : clients) {
        client.close();
      }
    }
  }

  /** Which of them gets the item is not ours to say. */
  private void awaitOne() throws IOException {
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (System.nanoTime() - until < 0) {
      for (WireClient client : clients) {
        if (client.hasAnswer()) {
          client.receive();
          return;
        }
      }
    }
    throw new IOException("nobody was answered");
  }

  /** Those who wait are counted by the process that holds them: the server. */
  private void awaitAll() throws IOException, InterruptedException {
    String stats = "{\"queue_name\":\"" + queue.queue().name() + "\"}";
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    try (WireClient client = new WireClient(server)) {
      while (System.nanoTime() - until < 0) {
        Matcher waiting = WAITING.matcher(client.post("/v1/queue.stats", stats));
        if (waiting.find() && Integer.parseInt(waiting.group(1)) >= count) {
          return;
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
      throw new IOException("not all of them wait");
    }
  }

  private static long used() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(100);
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  List<List<String>> rows() {
    return List.of(
        List.of("waiters", "heap per waiter, both ends", "threads of the process", "first answer"),
        List.of(
            Integer.toString(count),
            bytesPerWaiter + " bytes",
            Integer.toString(threads),
            Targets.text("%.1f ms", wakeMillis)));
  }

  long bytesPerWaiter() {
    return bytesPerWaiter;
  }
}
