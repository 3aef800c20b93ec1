package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the holder of a lease says about his run of a job. */
public sealed interface Settlement {
  /** Which run it is about. */
  Held held();

  /**
   * {@code inflight → done}.
   *
   * @param output what the handler returned, up to 64 KiB
   */
  record Ack(Held held, byte @Nullable [] output) implements Settlement {
    /** Done, without an output. */
    public static Ack of(Held held) {
      return new Ack(held, null);
    }
  }

  /**
   * {@code inflight → ready}: a failure that is worth another try. Cancelled instead when that was
   * asked for.
   *
   * @param runAt not before then
   * @param delay or not before so much time has passed; without both, at once
   * @param attempts failures including this one; null: one more than before
   * @param failedAt when it failed; null: now
   */
  record Retry(
      Held held,
      @Nullable Instant runAt,
      @Nullable Duration delay,
      String error,
      @Nullable Integer attempts,
      @Nullable Instant failedAt)
      implements Settlement {
    /** Again after {@code delay}; null: at once. */
    public static Retry in(Held held, @Nullable Duration delay, String error) {
      return new Retry(held, null, delay, error, null, null);
    }
  }

  /**
   * {@code inflight → dlq}.
   *
   * @param reason why it is given up; blank: {@code failed}
   * @param error what went wrong; null: the reason
   * @param attempts failures including this one; null: one more than before
   */
  record Fail(
      Held held, @Nullable String reason, @Nullable String error, @Nullable Integer attempts)
      implements Settlement {
    /** Given up for this reason. */
    public static Fail of(Held held, @Nullable String reason) {
      return new Fail(held, reason, null, null);
    }
  }

  /**
   * {@code inflight → ready} without a failure.
   *
   * @param delay how long it waits; null: it returns to its old place
   */
  record Release(Held held, @Nullable Duration delay) implements Settlement {}

  /** Tells how far the run is; what is null stays as it was. The job stays inflight. */
  record Report(
      Held held, @Nullable Integer percent, @Nullable String note, byte @Nullable [] checkpoint)
      implements Settlement {}
}
