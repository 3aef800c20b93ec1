package io.holdfast.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Sends back whatever it gets and keeps a record of it. */
final class EchoServer implements AutoCloseable {
  /** What came in, chunk by chunk; an empty one says that a connection ended. */
  final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

  private final ServerSocket listener;

  EchoServer() throws IOException {
    listener = new ServerSocket(0, 0, InetAddress.getByName("127.0.0.1"));
    daemon(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket socket = listener.accept();
        daemon(() -> echo(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void echo(Socket socket) {
    try (socket) {
      byte[] buffer = new byte[65536];
      int read;
      while ((read = socket.getInputStream().read(buffer)) >= 0) {
        received.add(Arrays.copyOf(buffer, read));
        socket.getOutputStream().write(buffer, 0, read);
      }
    } catch (IOException e) {
      // reset
    } finally {
      received.add(new byte[0]);
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "echo-server");
    thread.setDaemon(true);
    thread.start();
  }
}
