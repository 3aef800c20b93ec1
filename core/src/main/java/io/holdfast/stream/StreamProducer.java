package io.holdfast.stream;

import java.util.concurrent.CompletableFuture;

/**
 * Sends messages in the background, many in one call, each partition in order. Safe for use by many
 * threads; the order of one partition's messages is that of their sends.
 */
public interface StreamProducer extends AutoCloseable {
  /**
   * Takes a message; it is sent as soon as the one before it has been answered. Blocks while the
   * buffer is full. A message without a transaction id gets one, so that repeating it after a lost
   * answer does not store it twice.
   */
  CompletableFuture<Pushed> send(NewMessage message);

  /** Waits until everything that was taken has been answered. */
  void flush();

  /** Flushes, and takes nothing more. */
  @Override
  void close();
}
