package io.holdfast.stream;

import java.time.Duration;

/**
 * How a producer works. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param maxMessages that may wait in its buffer
 * @param maxBytes that may wait in its buffer
 * @param maxBlock how long a send waits for room; zero: it fails at once
 * @param deliveryTimeout how long a message is tried, while its queue is full, paused or away
 */
public record ProducerOptions(
    int maxMessages, long maxBytes, Duration maxBlock, Duration deliveryTimeout) {
  /** Ten thousand messages or 16 MiB; a minute for room, two for delivery. */
  public static final ProducerOptions DEFAULTS =
      new ProducerOptions(10_000, 16L << 20, Duration.ofSeconds(60), Duration.ofSeconds(120));

  /** With another buffer. */
  public ProducerOptions withBuffer(int messages, long bytes) {
    return new ProducerOptions(messages, bytes, maxBlock, deliveryTimeout);
  }

  /** With another patience for room. */
  public ProducerOptions withMaxBlock(Duration value) {
    return new ProducerOptions(maxMessages, maxBytes, value, deliveryTimeout);
  }

  /** With another patience for delivery. */
  public ProducerOptions withDeliveryTimeout(Duration value) {
    return new ProducerOptions(maxMessages, maxBytes, maxBlock, value);
  }
}
