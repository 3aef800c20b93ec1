package io.holdfast.benchmarks;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Push, pop and ack of a hundred messages each, by a few callers: through a server, or directly.
 */
final class ServedStream implements Contender {
  static final int CALLERS = 8;
  static final int BATCH = 100;

  private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(240) + "\"}";
  private static final Pattern TRANSACTION = Pattern.compile("\"transactionId\":\\s*\"([^\"]+)\"");
  private static final Pattern PARTITION = Pattern.compile("\"partitionId\":\\s*\"([^\"]+)\"");
  private static final Pattern LEASE = Pattern.compile("\"leaseId\":\\s*\"([^\"]+)\"");

  private final Streams streams;
  private final String name;
  private final List<WireClient> clients = new ArrayList<>();

  ServedStream(Streams streams, String name, @Nullable URI server) throws IOException {
    this.streams = streams;
    this.name = name;
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
    Load.Outcome outcome =
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
            });
    return new Run(BATCH * outcome.operations() / outcome.seconds(), 0, outcome);
  }

  private void direct(int caller) {
    String partition = "p" + caller;
    streams.push(Collections.nCopies(BATCH, NewMessage.to(name, PAYLOAD).in(partition)));
    Popped popped = streams.pop(PopRequest.of(name).partition(partition).batch(BATCH));
    streams.ack(popped.ackAll(Verdict.COMPLETED));
  }

  private void served(WireClient client, int caller) throws IOException {
    String item =
        "{\"queue\":\""
            + name
            + "\",\"partition\":\"p"
            + caller
            + "\",\"payload\":"
            + PAYLOAD
            + "}";
    client.post(
        "/api/v1/push", "{\"items\":[" + String.join(",", Collections.nCopies(BATCH, item)) + "]}");
    String popped =
        client.get("/api/v1/pop/queue/" + name + "/partition/p" + caller + "?batch=" + BATCH);
    client.post("/api/v1/ack/batch", acks(popped));
  }

  private static String acks(String popped) throws IOException {
    Matcher partition = PARTITION.matcher(popped);
    Matcher lease = LEASE.matcher(popped);
    if (!partition.find() || !lease.find()) {
      throw new IOException("nothing was popped");
    }
    List<String> acks = new ArrayList<>();
    Matcher transaction = TRANSACTION.matcher(popped);
    while (transaction.find()) {
      acks.add(
          "{\"transactionId\":\""
              + transaction.group(1)
              + "\",\"partitionId\":\""
              + partition.group(1)
              + "\",\"leaseId\":\""
              + lease.group(1)
              + "\",\"status\":\"completed\"}");
    }
    return "{\"acknowledgments\":[" + String.join(",", acks) + "]}";
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
