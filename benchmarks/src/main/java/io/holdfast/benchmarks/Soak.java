package io.holdfast.benchmarks;

import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import java.time.Duration;

/** What the processes of the soak agree on: each item is a number, and what is to become of it. */
final class Soak {
  static final String QUEUE = "soak";
  static final String DEAD_QUEUE = "soak-dead";
  static final Duration LEASE = Duration.ofSeconds(1);
  static final int MAX_ATTEMPTS = 5;

  static final String COMPLETIONS =
      """
      CREATE TABLE soak_completions (
        number bigint NOT NULL, item text NOT NULL, attempts integer NOT NULL,
        consumer text NOT NULL, completed_at timestamptz NOT NULL DEFAULT clock_timestamp())
      """;

  static final String RECORD =
      "INSERT INTO soak_completions (number, item, attempts, consumer) VALUES (?, ?, ?, ?)";

  private static final int EXHAUSTED_EVERY = 50;
  private static final int DEAD_EVERY = 77;

  static final String WRONG_COMPLETIONS =
      "SELECT count(*) FROM soak_completions WHERE number %% %d = 0 OR number %% %d = 0"
          .formatted(EXHAUSTED_EVERY, DEAD_EVERY);

  private Soak() {}

  static NewQueue queue() {
    return NewQueue.named(QUEUE)
        .leaseFor(LEASE)
        .expireAfter(Duration.ofDays(1))
        .deadQueue(DEAD_QUEUE)
        .maxAttempts(MAX_ATTEMPTS);
  }

  static NewQueue deadQueue() {
    return NewQueue.named(DEAD_QUEUE).expireAfter(Duration.ofDays(1));
  }

  static NewItem item(long number) {
    return NewItem.text(Long.toString(number));
  }

  /** Whether every try of it fails. */
  static boolean isPoison(long number) {
    return number % EXHAUSTED_EVERY == 0;
  }

  /** Whether its first consumer gives it up at once. */
  static boolean isHopeless(long number) {
    return number % DEAD_EVERY == 0 && !isPoison(number);
  }
}
