package io.holdfast.job;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** What a worker is called: {@code <host>-<pid>-<8 hex>}. */
final class WorkerId {
  private static final int MAX_HOST = 200;

  private WorkerId() {}

  static String make() {
    int number = ThreadLocalRandom.current().nextInt();
    return "%s-%d-%08x".formatted(host(), ProcessHandle.current().pid(), number);
  }

  static String host() {
    String host = System.getenv("HOSTNAME");
    if (host == null || host.isBlank()) {
      try {
        host = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        host = "localhost";
      }
    }
    return host.length() > MAX_HOST ? host.substring(0, MAX_HOST) : host;
  }
}
