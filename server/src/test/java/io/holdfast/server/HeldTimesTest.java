package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.client.HoldfastClient;
import io.holdfast.job.Held;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.lock.Acquired;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long things are held is measured from the lease to its settlement. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
class HeldTimesTest {
  private HoldfastServer server;
  private HoldfastClient client;

  @BeforeEach
  void start() throws IOException {
    server = HoldfastServer.start(Services.of(Holdfast.inMemory()), ServerOptions.DEFAULTS.port(0));
    client = HoldfastClient.connect(server.address().toString());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private String figures() throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(server.address() + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static String count(String kind, String name, int count) {
    return "holdfast_held_seconds_count{kind=\"%s\",name=\"%s\"} %d\n".formatted(kind, name, count);
  }

  private LeasedItems lease(Queue queue, int items) {
    return queue.lease(new LeaseRequest("me", items, Duration.ofSeconds(20)));
  }

  @Test
  void one_lease_of_each_answer_is_measured_when_it_is_completed() throws Exception {
    client.queues().create(NewQueue.named("mails"));
    Queue queue = client.queues().queue("mails");
    queue.produce(NewItem.text("a"), NewItem.text("b"), NewItem.text("c"));
    LeasedItems two = lease(queue, 2);
    lease(queue, 1);

    assertThat(figures()).contains(count("queue", "mails", 0));
    queue.complete(two);

    assertThat(figures()).contains(count("queue", "mails", 1));
  }

  @Test
  void messages_jobs_and_locks_are_measured_too() throws Exception {
    client.streams().push(List.of(NewMessage.to("orders", "\"x\"")));
    Popped popped = client.streams().pop(PopRequest.of("orders"));
    client.streams().ack(popped.ackAll(Verdict.COMPLETED));
    client.jobs().enqueue(NewJob.of("t").queue("reports"));
    client.jobs().ack(held("reports"));
    Acquired lock = (Acquired) client.locks().acquire("key", Duration.ofMinutes(1));
    lock.release();

    assertThat(figures())
        .contains(count("stream", "orders", 1), count("job", "reports", 1), count("lock", "", 1));
  }

  @Test
  void a_message_that_is_settled_in_a_transaction_is_measured() throws Exception {
    client.streams().push(List.of(NewMessage.to("orders", "\"x\"")));
    Popped popped = client.streams().pop(PopRequest.of("orders"));

    client.streams().transact(List.of(), popped.ackAll(Verdict.COMPLETED));

    assertThat(figures()).contains(count("stream", "orders", 1));
  }

  @Test
  void names_beyond_a_hundred_share_one_row() throws Exception {
    for (int i = 0; i <= 101; i++) {
      client.jobs().enqueue(NewJob.of("t").queue("queue-" + i));
      client.jobs().ack(held("queue-" + i));
    }

    assertThat(figures())
        .contains(count("job", "queue-99", 1), count("job", "other", 2))
        .doesNotContain("name=\"queue-100\"");
  }

  private Held held(String queue) {
    return client.jobs().reserve(ReserveRequest.of(queue, 1)).jobs().get(0).held();
  }
}
