package io.holdfast.testkit.net;

import io.holdfast.testkit.net.TcpProxy.Fate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection and its twin to the target.
 *
 * <p>Two threads, one per direction: each reads a chunk, waits at the gate and writes it. Either
 * may end the whole by {@link #reset()}, and so may any other thread: that closes both sockets
 * under the feet of the pumps, which then fail in read or write or are turned away at the gate. A
 * plain end of stream is passed on as such, so a half-closed connection stays half-closed.
 *
 * <p>An answer is swallowed from the moment its request is judged, and a request is judged before
 * it is forwarded: not one byte of the answer can slip through.
 */
final class Relay {
  /** What becomes of a request; the future gets the bytes kept back, after the reset. */
  record Verdict(Fate fate, CompletableFuture<byte[]> withheld) {}

  private static final int CHUNK = 16 * 1024;

  private final TcpProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final Consumer<byte[]> tap;
  private final AtomicInteger directions = new AtomicInteger(2);

  /** The client's last bytes; only its own thread looks at them. */
  private byte[] earlier = {};

  private volatile boolean over;
  private volatile @Nullable CompletableFuture<byte[]> swallowed;

  /** The answer so far, while it is swallowed; only the server's thread looks at it. */
  private final ByteArrayOutputStream answer = new ByteArrayOutputStream();

  Relay(TcpProxy proxy, Socket client, Consumer<byte[]> tap) {
    this.proxy = proxy;
    this.client = client;
    this.tap = tap;
  }

  /** Connects and pumps the client's direction until it ends; another thread pumps the server's. */
  void run(SocketAddress target) {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(target);
    } catch (IOException e) {
      reset();
      return;
    }
    proxy.start(() -> pump(server, client, this::fromServer));
    pump(client, server, this::fromClient);
  }

  /** Ends both connections with a TCP reset, at once; what was being swallowed is given up. */
  void reset() {
    over = true;
    proxy.ended(this); // first: whoever sees the reset no longer finds the connection counted
    abort(client);
    abort(server);
    CompletableFuture<byte[]> unfinished = swallowed;
    if (unfinished != null) {
      unfinished.cancel(false);
    }
  }

  boolean isOver() {
    return over;
  }

  /** Closing without lingering sends a reset in place of an orderly end. */
  static void abort(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // closed already: nothing is left to reset
    }
    close(socket);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // the descriptor is released either way
    }
  }

  /** What a direction does with a chunk that has passed the gate. */
  private interface Step {
    void take(byte[] chunk) throws IOException;
  }

  private void pump(Socket from, Socket to, Step step) {
    try {
      byte[] buffer = new byte[CHUNK];
      int read = 0;
      while (read >= 0) {
        read = from.getInputStream().read(buffer);
        if (!proxy.gate().pass(this::isOver)) {
          return;
        }
        if (read > 0) {
          step.take(Arrays.copyOf(buffer, read));
        }
      }
      endOfStream(to);
    } catch (IOException e) {
      reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    } catch (RuntimeException | Error e) {
      reset(); // a hook or a tap failed: its client must not hang
      throw e;
    }
  }

  private void fromClient(byte[] chunk) throws IOException {
    Verdict verdict = proxy.judge(earlier, chunk);
    if (verdict.fate() == Fate.CUT) {
      reset();
      verdict.withheld().complete(chunk);
      return;
    }
    if (verdict.fate() == Fate.SWALLOW_ANSWER) {
      swallowed = verdict.withheld();
    }
    remember(chunk);
    tap.accept(chunk);
    server.getOutputStream().write(chunk);
  }

  private void remember(byte[] chunk) {
    byte[] all = Arrays.copyOf(earlier, earlier.length + chunk.length);
    System.arraycopy(chunk, 0, all, earlier.length, chunk.length);
    earlier = Arrays.copyOfRange(all, Math.max(0, all.length - Trap.MAX_BYTES), all.length);
  }

  private void fromServer(byte[] chunk) throws IOException {
    CompletableFuture<byte[]> withheld = swallowed;
    if (withheld == null) {
      client.getOutputStream().write(chunk);
      return;
    }
    answer.writeBytes(chunk);
    if (PgWire.isAnswered(answer.toByteArray())) {
      swallowed = null; // finished: the reset must not cancel it
      reset();
      withheld.complete(answer.toByteArray());
    }
  }

  private void endOfStream(Socket to) throws IOException {
    if (swallowed != null && to == client) {
      reset(); // the server went away without a full answer
    } else if (directions.decrementAndGet() > 0) {
      to.shutdownOutput();
    } else {
      over = true;
      proxy.ended(this);
      close(client);
      close(server);
    }
  }
}
