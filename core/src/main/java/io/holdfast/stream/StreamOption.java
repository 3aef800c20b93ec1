package io.holdfast.stream;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What can be configured about a queue. A value is a {@code Long}, a {@code Boolean} or a {@code
 * String}; {@link #check} says which and in what range.
 */
public enum StreamOption {
  /** Seconds that a lease lasts; a pop may override it. */
  LEASE_TIME("leaseTime", "lease_time", 300L, 1, 86_400),
  /** Charged failures that are tolerated; one more exhausts the message. */
  RETRY_LIMIT("retryLimit", "retry_limit", 3L, 0, 1000),
  /** Milliseconds before redelivery after a charged failure. */
  RETRY_DELAY("retryDelay", "retry_delay_ms", 1000L, 0, 86_400_000),
  /** Deliveries of one head without progress before it counts as exhausted. */
  DELIVERY_LIMIT("deliveryLimit", "delivery_limit", 100L, 1, 10_000),
  /** What becomes of an exhausted message. */
  ON_EXHAUSTED("onExhausted", "on_exhausted", "deadLetter", List.of("deadLetter", "park")),
  /** Capacity in messages; 0 is unlimited. */
  MAX_SIZE("maxSize", "max_queue_size", 0L, 0, 1_000_000_000_000L),
  /** Seconds for which a new message is invisible. */
  DELAYED_PROCESSING("delayedProcessing", "delayed_processing", 0L, 0, 31_536_000),
  /** Seconds of quiet before a partition is delivered; five times that at most. */
  WINDOW_BUFFER("windowBuffer", "window_buffer", 0L, 0, 86_400),
  /** Messages older than so many seconds are passed over; 0 is off. */
  MAX_WAIT_TIME("maxWaitTimeSeconds", "max_wait_time_seconds", 0L, 0, 3_153_600_000L),
  /** What becomes of those. */
  MAX_WAIT_ACTION("maxWaitAction", "max_wait_action", "discard", List.of("discard", "deadLetter")),
  /** Messages older than so many seconds are dropped, read or not; 0 is off. */
  RETENTION("retentionSeconds", "retention_seconds", 0L, 0, 3_153_600_000L),
  /** Messages older than so many seconds that every group has passed are dropped; 0 is off. */
  COMPLETED_RETENTION(
      "completedRetentionSeconds", "completed_retention_seconds", 0L, 0, 3_153_600_000L),
  /** Whether anything is dropped at all. */
  RETENTION_ENABLED("retentionEnabled", "retention_enabled", false),
  /** A group that is silent for so many seconds holds back nothing; 0 is never. */
  ABANDONED_GROUP("abandonedGroupSeconds", "abandoned_group_seconds", 0L, 0, 3_153_600_000L),
  /** A repeated id is a duplicate if the first is younger; null: as long as that is retained. */
  DEDUP_WINDOW("dedupWindowSeconds", "dedup_window_seconds", null, 0, 3_153_600_000L),
  /** Whether payloads are stored encrypted. */
  ENCRYPTION_ENABLED("encryptionEnabled", "encryption_enabled", false),
  /** Where a message without a partition goes. */
  UNPARTITIONED("unpartitioned", "unpartitioned", "default", List.of("default", "spread")),
  /** Kept for other clients, without effect. */
  TTL("ttl", null, 3600L, Long.MIN_VALUE, Long.MAX_VALUE),
  /** Kept for other clients, without effect. */
  PRIORITY("priority", null, 0L, Long.MIN_VALUE, Long.MAX_VALUE),
  /** Kept for other clients, without effect: dead-lettering is always on. */
  DEAD_LETTER_QUEUE("deadLetterQueue", null, false),
  /** Kept for other clients, without effect: dead-lettering is always on. */
  DLQ_AFTER_MAX_RETRIES("dlqAfterMaxRetries", null, false);

  private final String text;
  private final @Nullable String column;
  private final @Nullable Object byDefault;
  private final long least;
  private final long most;
  private final List<String> words;

  StreamOption(
      String text, @Nullable String column, @Nullable Long byDefault, long least, long most) {
    this.text = text;
    this.column = column;
    this.byDefault = byDefault;
    this.least = least;
    this.most = most;
    this.words = List.of();
  }

  StreamOption(String text, @Nullable String column, boolean byDefault) {
    this.text = text;
    this.column = column;
    this.byDefault = byDefault;
    this.least = 0;
    this.most = 0;
    this.words = List.of();
  }

  StreamOption(String text, @Nullable String column, String byDefault, List<String> words) {
    this.text = text;
    this.column = column;
    this.byDefault = byDefault;
    this.least = 0;
    this.most = 0;
    this.words = words;
  }

  /** The name on the wire and in documents. */
  public String text() {
    return text;
  }

  /** The column that holds it; null for those without effect, which are kept together. */
  public @Nullable String column() {
    return column;
  }

  /** What holds when nothing is configured. */
  public @Nullable Object byDefault() {
    return byDefault;
  }

  /** The option of this name. */
  public static Optional<StreamOption> named(String text) {
    return Arrays.stream(values()).filter(option -> option.text.equals(text)).findFirst();
  }

  /** Fails with a message that names the option, unless {@code value} is one of its values. */
  public void check(@Nullable Object value) {
    if (value == null) {
      return; // the default
    }
    if (!words.isEmpty()) {
      require(value instanceof String word && words.contains(word), "one of " + words);
    } else if (byDefault instanceof Boolean) {
      require(value instanceof Boolean, "true or false");
    } else {
      require(
          value instanceof Long number && number >= least && number <= most,
          "a whole number from " + least + " to " + most);
    }
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw StreamException.invalid("option " + text + " must be " + what);
    }
  }
}
