package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a job is to do, as it was enqueued.
 *
 * @param payload what its handler gets; empty when it was not asked for
 * @param runAt when it is due; null: at once. Of a gated job, when it will be
 * @param timeout how long a run may take; zero: no limit of its own
 * @param maxAttempts how often it may be run; zero: the policy decides
 * @param priority its head start in steps
 */
public record JobSpec(
    String type,
    String queue,
    byte[] payload,
    @Nullable Instant runAt,
    Duration timeout,
    int maxAttempts,
    int priority,
    Keys keys) {
  /** Under no key. */
  public static final Keys NO_KEYS = new Keys(null, null, null);

  /**
   * What a job is known by.
   *
   * @param idempotency what it may exist once for
   * @param limit whose limit it runs under
   * @param trace what it belongs to
   */
  public record Keys(
      @Nullable String idempotency, @Nullable String limit, @Nullable String trace) {}
}
