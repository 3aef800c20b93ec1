package io.holdfast.benchmarks;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Produce, lease and complete of one item each, by many callers: through a server, or directly. */
final class ServedQueue implements Contender {
  static final int CALLERS = 64;

  private static final Pattern ID = Pattern.compile("\"id\":\\s*\"([^\"]+)\"");
  private static final String PAYLOAD = Base64.getEncoder().encodeToString(BenchQueue.PAYLOAD);

  private final BenchQueue queue;
  private final List<WireClient> clients = new ArrayList<>();

  ServedQueue(BenchQueue queue, @Nullable URI server) throws IOException {
    this.queue = queue;
    if (server != null) {
      for (int i = 0; i < CALLERS; i++) {
        clients.add(new WireClient(server));
      }
    }
  }

  @Override
  public String title() {
    return clients.isEmpty() ? "the library, in process" : "the server, over HTTP";
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Run.of(
        Load.run(
            CALLERS,
            time,
            turn -> {
              long start = System.nanoTime();
              if (clients.isEmpty()) {
                direct(turn.caller());
              } else {
                served(clients.get(turn.caller()), turn.caller());
              }
              return System.nanoTime() - start;
            }));
  }

  private void direct(int caller) {
    queue.produce(1);
    LeasedItems leased = queue.queue().lease(new LeaseRequest("c" + caller, 1, BenchQueue.TIMEOUT));
    queue.queue().complete(leased);
  }

  private void served(WireClient client, int caller) throws IOException {
    String name = queue.queue().name();
    client.post(
        "/v1/queue.produce",
        "{\"queue_name\":\""
            + name
            + "\",\"request_timeout\":\"30s\",\"items\":[{\"bytes\":\""
            + PAYLOAD
            + "\"}]}");
    String leased =
        client.post(
            "/v1/queue.lease",
            "{\"queue_name\":\""
                + name
                + "\",\"batch_size\":1,\"request_timeout\":\"30s\",\"client_id\":\"c"
                + caller
                + "\"}");
    Matcher id = ID.matcher(leased);
    if (!id.find()) {
      throw new IOException("no item: " + leased);
    }
    client.post(
        "/v1/queue.complete",
        "{\"queue_name\":\""
            + name
            + "\",\"partition\":0,\"request_timeout\":\"30s\",\"ids\":[\""
            + id.group(1)
            + "\"]}");
  }

  @Override
  public void close() {
    for (WireClient client : clients) {
      try {
        client.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
