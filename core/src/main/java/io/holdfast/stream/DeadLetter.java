package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that its group gave up, with everything about it: retention does not touch it.
 *
 * @param isEncrypted whether the store keeps its payload encrypted
 */
public record DeadLetter(
    UUID id, String group, Message message, boolean isEncrypted, Failure failure) {

  /**
   * How it came here.
   *
   * @param error what the consumer said last; null if nothing
   * @param retryCount charged failures
   * @param attempt deliveries without progress
   */
  public record Failure(
      Reason reason, @Nullable String error, int retryCount, int attempt, Instant at) {}

  /** Why a message was given up. */
  public enum Reason {
    /** Its consumer said so. */
    VERDICT("verdict"),
    /** It failed once more than its budget. */
    RETRY_LIMIT("retry_limit"),
    /** It was delivered too often without progress. */
    DELIVERY_LIMIT("delivery_limit"),
    /** It waited longer than its queue allows. */
    MAX_WAIT("max_wait"),
    /** An operator skipped it. */
    SKIPPED("skipped");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    /** As stored and shown. */
    public String text() {
      return text;
    }
  }

  /** Its place among others. */
  public PageKey key() {
    return new PageKey(failure.at(), id);
  }

  /** The same with another payload. */
  DeadLetter with(Payload payload) {
    return new DeadLetter(id, group, message.with(payload), isEncrypted, failure);
  }
}
