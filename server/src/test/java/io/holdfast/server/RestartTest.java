package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.client.ClientOptions;
import io.holdfast.client.HoldfastClient;
import io.holdfast.queue.ConsumeOptions;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.NewMessage;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consumers of a server that ends, and is followed by another one at its address. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // made before each test
class RestartTest {
  private Holdfast behind;
  private HoldfastServer server;
  private HoldfastClient client;
  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws IOException {
    serve(LastingPort.free());
    client = HoldfastClient.connect(server.address().toString(), ClientOptions.DEFAULTS);
  }

  private void serve(int port) throws IOException {
    behind = Holdfast.inMemory();
    server = HoldfastServer.start(Services.of(behind), ServerOptions.DEFAULTS.port(port));
  }

  private void restart() throws IOException {
    int port = server.address().getPort();
    server.close();
    serve(port);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void a_queue_goes_on_being_consumed() throws Exception {
    behind.queues().create(NewQueue.named("mail"));
    client
        .queues()
        .queue("mail")
        .consume(delivery -> handled.add(delivery.item().text()), ConsumeOptions.DEFAULTS);
    behind.queues().queue("mail").produce(NewItem.text("a"));
    assertThat(handled.poll(30, TimeUnit.SECONDS)).isEqualTo("a");

    restart();
    behind.queues().create(NewQueue.named("mail"));
    behind.queues().queue("mail").produce(NewItem.text("b"));

    assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("b");
  }

  @Test
  void a_stream_goes_on_being_consumed() throws Exception {
    client
        .streams()
        .consume(
            "orders",
            "g",
            handling -> handled.add(handling.message().payload().text()),
            ConsumerOptions.DEFAULTS);
    behind.streams().push(List.of(NewMessage.to("orders", "1")));
    assertThat(handled.poll(30, TimeUnit.SECONDS)).isEqualTo("1");

    restart();
    behind.streams().push(List.of(NewMessage.to("orders", "2")));

    assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("2");
  }
}
