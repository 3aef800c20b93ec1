package io.holdfast.testkit.net;

import static io.holdfast.testkit.net.PgWireTest.concat;
import static io.holdfast.testkit.net.PgWireTest.message;
import static io.holdfast.testkit.net.PgWireTest.query;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.net.TcpProxy.Fate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpProxyTest {
  private static final byte[] READY = message('Z', new byte[] {'I'});

  private final ByteArrayOutputStream tapped = new ByteArrayOutputStream();
  private EchoServer server;
  private TcpProxy proxy;

  @BeforeEach
  void open() throws IOException {
    server = new EchoServer();
    proxy = TcpProxy.to("127.0.0.1", server.port(), () -> tapped::writeBytes);
  }

  @AfterEach
  void close() {
    proxy.close();
    server.close();
  }

  @Test
  void forwards_both_ways() throws IOException {
    try (Socket client = connect()) {
      assertThat(echo(client, "hello")).isEqualTo("hello");
      assertThat(echo(client, "again")).isEqualTo("again");

      assertThat(tapped.toString(UTF_8)).isEqualTo("helloagain");
      assertThat(proxy.connections()).isEqualTo(1);
    }
  }

  @Test
  void forwards_much_at_once_unchanged() throws Exception {
    byte[] sent = new byte[3_000_000];
    new Random(7).nextBytes(sent);

    try (Socket client = connect()) {
      CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendAndEnd(client, sent));
      byte[] echoed = client.getInputStream().readAllBytes();

      sending.get(10, SECONDS);
      assertThat(Arrays.equals(echoed, sent)).isTrue();
    }
  }

  @Test
  void cut_resets_every_open_connection_but_no_later_one() throws IOException {
    try (Socket first = connect();
        Socket second = connect()) {
      echo(first, "1");
      echo(second, "2");

      proxy.cut();

      assertReset(first);
      assertReset(second);
      assertThat(proxy.connections()).isZero();
    }
    try (Socket third = connect()) {
      assertThat(echo(third, "3")).isEqualTo("3");
    }
  }

  @Test
  void cut_reaches_the_server_too() throws Exception {
    try (Socket client = connect()) {
      echo(client, "1");
      assertThat(server.received.poll(10, SECONDS)).isEqualTo(bytes("1"));

      proxy.cut();

      assertThat(server.received.poll(10, SECONDS)).isEmpty();
    }
  }

  @Test
  void refuse_turns_new_connections_away_and_keeps_the_old() throws IOException {
    try (Socket old = connect()) {
      echo(old, "1");

      proxy.refuse(true);
      assertThatThrownBy(this::connectAndRead).isInstanceOf(SocketException.class);
      assertThat(echo(old, "2")).isEqualTo("2");

      proxy.refuse(false);
      try (Socket later = connect()) {
        assertThat(echo(later, "3")).isEqualTo("3");
      }
    }
  }

  @Test
  void a_frozen_connection_stays_open_and_silent_until_the_thaw() throws IOException {
    try (Socket client = connect()) {
      echo(client, "1");
      server.received.clear();

      proxy.freeze();
      client.getOutputStream().write(bytes("2"));

      assertSilent(client);
      assertThat(server.received).isEmpty();

      proxy.thaw();
      assertThat(read(client, 1)).isEqualTo("2");
    }
  }

  @Test
  void a_freeze_hides_the_end_of_a_client() throws Exception {
    try (Socket client = connect()) {
      echo(client, "1");
      proxy.freeze();
      client.shutdownOutput();
      assertSilent(client);

      proxy.thaw();

      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void cut_works_while_frozen() throws IOException {
    try (Socket client = connect()) {
      echo(client, "1");
      proxy.freeze();
      client.getOutputStream().write(bytes("2"));

      proxy.cut();

      assertReset(client);
    }
  }

  @Test
  void delay_holds_each_way() throws IOException {
    try (Socket client = connect()) {
      echo(client, "1");

      proxy.delay(Duration.ofMillis(40));
      long start = System.nanoTime();
      echo(client, "2");

      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(80));
    }
  }

  @Test
  void a_swallowed_answer_was_given_but_never_arrives() throws Exception {
    try (Socket client = connect();
        Socket bystander = connect()) {
      echo(client, "before");
      byte[] request = concat(query("COMMIT"), READY);

      CompletableFuture<byte[]> lost = proxy.swallowNextAnswer("COMMIT");
      client.getOutputStream().write(request);

      assertReset(client);
      assertThat(lost.get(10, SECONDS)).isEqualTo(request);
      assertThat(tapped.toByteArray()).endsWith(request);
      assertThat(echo(bystander, "COMMIT")).isEqualTo("COMMIT");
    }
  }

  @Test
  void a_swallowed_answer_is_awaited_to_its_end() throws Exception {
    try (Socket client = connect()) {
      echo(client, "before");
      byte[] request = query("COMMIT");

      CompletableFuture<byte[]> lost = proxy.swallowNextAnswer("COMMIT");
      client.getOutputStream().write(request);
      assertSilent(client);
      assertThat(lost).isNotDone();
      client.getOutputStream().write(READY);

      assertReset(client);
      assertThat(lost.get(10, SECONDS)).isEqualTo(concat(request, READY));
    }
  }

  @Test
  void a_text_split_inside_a_letter_is_found() throws Exception {
    byte[] request = bytes("SELECT 'ü'");
    int insideTheLetter = request.length - 2;
    byte[] rest = Arrays.copyOfRange(request, insideTheLetter, request.length);

    try (Socket client = connect()) {
      CompletableFuture<byte[]> lost = proxy.cutWhenClientSends("'ü'");
      client.getOutputStream().write(request, 0, insideTheLetter);
      client.getInputStream().readNBytes(insideTheLetter);
      client.getOutputStream().write(rest);

      assertReset(client);
      assertThat(lost.get(10, SECONDS)).isEqualTo(rest);
    }
  }

  @Test
  void an_answer_that_never_ends_gives_the_swallowing_up_with_the_connection() throws Exception {
    try (Socket client = connect()) {
      CompletableFuture<byte[]> lost = proxy.swallowNextAnswer("COMMIT");
      client.getOutputStream().write(query("COMMIT"));
      server.received.poll(10, SECONDS);

      proxy.cut();

      assertReset(client);
      assertThatThrownBy(() -> lost.get(10, SECONDS)).isInstanceOf(CancellationException.class);
    }
  }

  @Test
  void a_text_sent_before_the_trap_was_set_is_not_found() throws IOException {
    try (Socket client = connect()) {
      echo(client, "COMMIT");

      CompletableFuture<byte[]> lost = proxy.swallowNextAnswer("COMMIT");

      assertThat(echo(client, "ROLLBACK")).isEqualTo("ROLLBACK");
      assertThat(lost).isNotDone();
    }
  }

  @Test
  void a_cut_request_never_reaches_the_server() throws Exception {
    try (Socket client = connect()) {
      echo(client, "BEGIN");
      server.received.clear();

      CompletableFuture<byte[]> lost = proxy.cutWhenClientSends("COMMIT");
      client.getOutputStream().write(bytes("COMMIT"));

      assertReset(client);
      assertThat(lost.get(10, SECONDS)).isEqualTo(bytes("COMMIT"));
      assertThat(server.received.poll(10, SECONDS)).isEmpty();
      assertThat(tapped.toString(UTF_8)).isEqualTo("BEGIN");
    }
  }

  @Test
  void a_hook_decides_about_every_chunk() throws IOException {
    proxy.onClientMessage(
        chunk -> new String(chunk, UTF_8).equals("bad") ? Fate.CUT : Fate.FORWARD);

    try (Socket client = connect()) {
      assertThat(echo(client, "good")).isEqualTo("good");
      client.getOutputStream().write(bytes("bad"));
      assertReset(client);
    }
  }

  @Test
  void an_unreachable_target_resets_the_client() throws IOException {
    try (Socket silent = new Socket()) {
      silent.bind(new InetSocketAddress("127.0.0.1", 0)); // holds the port, does not listen

      try (TcpProxy astray = TcpProxy.to("127.0.0.1", silent.getLocalPort());
          Socket client = connect(astray)) {
        assertReset(client);
        assertThat(astray.connections()).isZero();
      }
    }
  }

  @Test
  void close_resets_clients_gives_traps_up_and_ends_the_threads() throws IOException {
    try (Socket client = connect()) {
      echo(client, "1");
      proxy.freeze();
      client.getOutputStream().write(bytes("2"));
      CompletableFuture<byte[]> unsprung = proxy.swallowNextAnswer("COMMIT");

      proxy.close();

      assertReset(client);
      assertThat(unsprung).isCancelled();
      assertThat(Thread.getAllStackTraces().keySet())
          .noneMatch(thread -> thread.getName().equals("tcp-proxy-" + proxy.port()));
    }
  }

  private Socket connect() throws IOException {
    return connect(proxy);
  }

  private static Socket connect(TcpProxy proxy) throws IOException {
    Socket socket = new Socket(proxy.host(), proxy.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private int connectAndRead() throws IOException {
    try (Socket socket = connect()) {
      return socket.getInputStream().read();
    }
  }

  private static String echo(Socket client, String text) throws IOException {
    client.getOutputStream().write(bytes(text));
    return read(client, bytes(text).length);
  }

  private static String read(Socket client, int length) throws IOException {
    return new String(client.getInputStream().readNBytes(length), UTF_8);
  }

  private static void sendAndEnd(Socket client, byte[] bytes) {
    try {
      client.getOutputStream().write(bytes);
      client.shutdownOutput();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertReset(Socket client) {
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("reset");
  }

  private static void assertSilent(Socket client) throws IOException {
    client.setSoTimeout(100);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout(10_000);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
