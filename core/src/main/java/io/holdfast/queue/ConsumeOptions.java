package io.holdfast.queue;

import java.time.Duration;

/**
 * How items are consumed. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param concurrency how many items are handled at once
 * @param prefetch how many more are leased ahead, so that no handler waits; they are handed back
 *     when the consumer stops
 * @param retry how long a failed item waits
 * @param stopGrace how long stopping waits for running handlers before it interrupts them
 */
public record ConsumeOptions(int concurrency, int prefetch, RetryPolicy retry, Duration stopGrace) {
  /** One at a time with ten ahead; failed items wait a second, then two, up to five minutes. */
  public static final ConsumeOptions DEFAULTS =
      new ConsumeOptions(
          1,
          10,
          RetryPolicy.doubling(Duration.ofSeconds(1), Duration.ofMinutes(5)),
          Duration.ofSeconds(30));

  public ConsumeOptions {
    if (concurrency < 1 || concurrency > 1000) {
      throw QueueException.invalid("concurrency is invalid; it must be from 1 to 1000");
    }
    if (prefetch < 0 || prefetch > 1000) {
      throw QueueException.invalid("prefetch is invalid; it must be from 0 to 1000");
    }
  }

  /** With so many handlers at once. */
  public ConsumeOptions withConcurrency(int value) {
    return new ConsumeOptions(value, prefetch, retry, stopGrace);
  }

  /** With so many items leased ahead. */
  public ConsumeOptions withPrefetch(int value) {
    return new ConsumeOptions(concurrency, value, retry, stopGrace);
  }

  /** With another wait after failures. */
  public ConsumeOptions withRetry(RetryPolicy value) {
    return new ConsumeOptions(concurrency, prefetch, value, stopGrace);
  }

  /** With another patience when stopping. */
  public ConsumeOptions withStopGrace(Duration value) {
    return new ConsumeOptions(concurrency, prefetch, retry, value);
  }
}
