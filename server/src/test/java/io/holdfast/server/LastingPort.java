package io.holdfast.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that end and come back: the system gives them to nobody else meanwhile. */
public final class LastingPort {
  private static final int FIRST = 10_000;
  private static final int LAST = 30_000; // systems give ports from 32768 on, or from 49152

  private LastingPort() {}

  /** One that is free now. */
  public static int free() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        continue;
      }
    }
  }
}
