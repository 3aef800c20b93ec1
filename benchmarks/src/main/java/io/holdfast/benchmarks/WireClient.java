package io.holdfast.benchmarks;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One connection to a server that is used again and again: as little of a client as HTTP allows, so
 * that the server is measured and not a library.
 */
final class WireClient implements AutoCloseable {
  private static final String LENGTH = "content-length:";

  /** Small, because it counts where thousands of clients wait in one process. */
  private static final int BUFFER = 1_024;

  private final Socket socket;
  private final InputStream in;

  WireClient(URI server) throws IOException {
    socket = new Socket(server.getHost(), server.getPort());
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), BUFFER);
  }

  /** Sends a request without waiting for its answer. */
  void send(String method, String path, String body) throws IOException {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    byte[] head =
        (method
                + " "
                + path
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + content.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[head.length + content.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(content, 0, all, head.length, content.length);
    socket.getOutputStream().write(all);
  }

  /** The body of the next answer; fails unless it is a success. */
  String receive() throws IOException {
    String status = line();
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith(LENGTH)) {
        length = Integer.parseInt(lower.substring(LENGTH.length()).strip());
      }
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    if (!status.startsWith("HTTP/1.1 2")) {
      throw new IOException(status + " " + body);
    }
    return body;
  }

  /** Whether an answer has begun to come. */
  boolean hasAnswer() throws IOException {
    return in.available() > 0;
  }

  String post(String path, String body) throws IOException {
    send("POST", path, body);
    return receive();
  }

  String get(String path) throws IOException {
    send("GET", path, "");
    return receive();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
