package io.holdfast.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.ServedMemory;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Queues;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.queue.QueueServer.Heard;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.FaultyQueueStore;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import io.holdfast.testkit.queue.Halt;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases that wait: for items, for a server that ends, for a client that has gone. */
class QueueWaitingTest {
  private static final String LEASE =
      "{\"queue_name\":\"orders\",\"batch_size\":1,\"client_id\":\"%s\","
          + "\"request_timeout\":\"10m\"}";

  private QueueServer server = new QueueServer();

  @AfterEach
  void close() {
    server.close();
  }

  private Socket leasing(String client) throws Exception {
    Socket socket = new Socket("127.0.0.1", server.server.address().getPort());
    String body = LEASE.formatted(client);
    socket
        .getOutputStream()
        .write(
            ("POST /v1/queue.lease HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body)
                .getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  @Test
  void a_waiting_lease_is_served_when_an_item_comes() throws Exception {
    server.create("orders");
    CompletableFuture<Heard> heard = server.posting("queue.lease", LEASE.formatted("me"));
    server.awaitLeases("orders", 1);

    server.holdfast.queues().queue("orders").produce(NewItem.text("a"));

    assertThat(heard.get().text()).contains("\"attempts\":1", "\"bytes\":\"YQ==\"");
  }

  @Test
  void a_client_that_leaves_takes_no_lease() throws Exception {
    server.create("orders");
    Queue queue = server.holdfast.queues().queue("orders");
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      clients.add(leasing("client" + i));
    }
    server.awaitLeases("orders", 50);

    for (Socket client : clients) {
      client.close();
    }
    server.awaitLeases("orders", 0);

    queue.produce(NewItem.text("a"));
    assertThat(server.post("queue.lease", LEASE.formatted("me")).text()).contains("\"attempts\":1");
  }

  @Test
  @Guarantee("QF20")
  void what_was_leased_for_a_client_that_left_goes_to_the_next_as_if_it_had_not_been()
      throws Exception {
    server.close();
    ManualTime time = new ManualTime();
    ServedMemory memory = new ServedMemory(time);
    FaultyQueueStore store = new FaultyQueueStore(memory.process());
    server = new QueueServer(store.backend(), time);
    server.create("orders");
    String id = server.queues.queue("orders").produce(NewItem.text("a")).ids().get(0);
    Halt halt = store.haltNext(Operation.LEASE, Moment.AFTER);
    Socket leaver = leasing("me");
    halt.awaitReached();

    leaver.close();
    // The name of the client is free again as soon as the server has noticed.
    CompletableFuture<Heard> next =
        server
            .posting("queue.lease", LEASE.formatted("me"))
            .thenCompose(this::unlessTheNameIsTaken);
    server.awaitLeases("orders", 1);
    halt.open();

    assertThat(next.get().text()).contains("\"id\":\"" + id + "\",\"attempts\":1");
    memory.close();
  }

  @Test
  void the_timeout_also_ends_the_search_for_the_queue() throws Exception {
    server.close();
    ManualTime time = new ManualTime();
    ServedMemory memory = new ServedMemory(time);
    try (Queues elsewhere = QueueService.over(memory.process(), QueueOptions.DEFAULTS)) {
      elsewhere.create(NewQueue.named("orders"));
    }
    FaultyQueueStore store = new FaultyQueueStore(memory.process());
    Halt watch = store.haltNext(Operation.CATALOG_VERSIONS, Moment.BEFORE); // would find it too
    Halt halt = store.haltNext(Operation.CATALOG_GET, Moment.BEFORE);
    server = new QueueServer(store.backend(), time);
    CompletableFuture<Heard> lease = server.posting("queue.lease", LEASE.formatted("me"));
    halt.awaitReached();

    time.advance(Duration.ofMinutes(10));

    Heard heard = lease.get(20, TimeUnit.SECONDS);
    assertThat(heard.status()).isEqualTo(454);
    assertThat(heard.text()).contains("request timeout; nothing was done");
    watch.open();
    halt.open();
    memory.close();
  }

  private CompletableFuture<Heard> unlessTheNameIsTaken(Heard heard) {
    return heard.text().contains("duplicate client id")
        ? server
            .posting("queue.lease", LEASE.formatted("me"))
            .thenCompose(this::unlessTheNameIsTaken)
        : CompletableFuture.completedFuture(heard);
  }

  @Test
  void a_waiting_lease_is_ended_by_its_client_in_json_and_in_protobuf() throws Exception {
    server.create("orders");
    CompletableFuture<Heard> first = server.posting("queue.lease", LEASE.formatted("me"));
    server.awaitLeases("orders", 1);

    assertThat(
            server.post("queue.leave", "{\"queue_name\":\"orders\",\"client_id\":\"me\"}").text())
        .isEqualTo("{\"code\":200}");
    assertThat(first.get().status()).isEqualTo(454);

    CompletableFuture<Heard> second = server.posting("queue.lease", LEASE.formatted("me"));
    server.awaitLeases("orders", 1);
    byte[] leave = ProtoBytes.message().text(1, "orders").text(2, "me").bytes();
    assertThat(server.post("queue.leave", leave, "Content-Type", QueueServer.PROTOBUF).status())
        .isEqualTo(200);
    assertThat(second.get().text())
        .contains("request timeout; no items are in the queue, try again");
  }

  @Test
  void a_server_that_ends_says_so() throws Exception {
    server.create("orders");
    CompletableFuture<Heard> heard = server.posting("queue.lease", LEASE.formatted("me"));
    server.awaitLeases("orders", 1);

    server.close();

    assertThat(heard.get().status()).isEqualTo(453);
    assertThat(heard.get().text())
        .isEqualTo(
            "{\"code\":453,\"code_text\":\"Request Failed\",\"message\":\"service is shutting"
                + " down\"}");
  }

  @Test
  void a_queue_that_is_deleted_says_so() throws Exception {
    server.create("orders");
    CompletableFuture<Heard> heard = server.posting("queue.lease", LEASE.formatted("me"));
    server.awaitLeases("orders", 1);

    server.post("queues.delete", "{\"queue_name\":\"orders\"}");

    assertThat(heard.get().text())
        .isEqualTo(
            "{\"code\":453,\"code_text\":\"Request Failed\",\"message\":\"queue is shutting"
                + " down\"}");
  }

  @Test
  void too_much_at_once_is_refused_at_once() throws Exception {
    server.close();
    server = new QueueServer(ServerOptions.DEFAULTS, QueueOptions.DEFAULTS.withMaxWaiting(0));
    server.create("orders");

    Heard heard = server.post("queue.lease", LEASE.formatted("me"));

    assertThat(heard.status()).isEqualTo(454);
    assertThat(heard.text())
        .isEqualTo(
            "{\"code\":454,\"code_text\":\"Retry Request\",\"message\":\"queue is overloaded; try"
                + " again later\"}");
  }
}
