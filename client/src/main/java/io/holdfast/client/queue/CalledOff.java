package io.holdfast.client.queue;

import io.holdfast.queue.QueueException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Leases that were called off here just now. The server hears of it when the connection closes, and
 * until then takes the next lease of the same client for a second one. Safe for use by many
 * threads.
 */
final class CalledOff {
  private static final long KNOWN_FOR_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<String, Long> clients = new ConcurrentHashMap<>();

  private static String key(String queue, String client) {
    return queue + '~' + client; // no queue has a tilde in its name
  }

  void add(String queue, String client) {
    long now = System.nanoTime();
    clients.values().removeIf(at -> now - at > KNOWN_FOR_NANOS);
    clients.put(key(queue, client), now);
  }

  /** Whether a refusal may be due to a lease that was called off, so that it is worth repeating. */
  boolean explains(QueueException refusal, String queue, String client) {
    Long at = clients.get(key(queue, client));
    return at != null
        && System.nanoTime() - at < KNOWN_FOR_NANOS
        && String.valueOf(refusal.getMessage()).startsWith("duplicate client id");
  }
}
