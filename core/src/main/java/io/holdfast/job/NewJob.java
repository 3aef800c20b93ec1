package io.holdfast.job;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job to enqueue. Immutable: each method answers another one. The payload is copied when it comes
 * in and when it goes out.
 */
public final class NewJob implements Cloneable {
  private final String type;
  private @Nullable String id;
  private @Nullable String queue;
  private byte[] payload = {};
  private @Nullable Instant runAt;
  private @Nullable Duration delay;
  private Duration timeout = Duration.ZERO;
  private int maxAttempts;
  private int priority;
  private @Nullable String idempotencyKey;
  private @Nullable String limitKey;
  private @Nullable String traceId;
  private @Nullable Import imported;

  private NewJob(String type) {
    this.type = type;
  }

  /**
   * What a job brings along from elsewhere.
   *
   * @param attempts failures so far
   * @param lastError the last of them
   * @param failedAt when that was
   * @param createdAt when the job was made; null: now
   */
  public record Import(
      int attempts, String lastError, @Nullable Instant failedAt, @Nullable Instant createdAt) {}

  /** A job of this type, for the default queue, to run at once. */
  public static NewJob of(String type) {
    return new NewJob(type);
  }

  private NewJob with(Consumer<NewJob> change) {
    try {
      NewJob copy = (NewJob) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Under an id of the caller's; else one is made. */
  public NewJob id(@Nullable String value) {
    return with(job -> job.id = value);
  }

  /** In this queue; null: the default one. */
  public NewJob queue(@Nullable String value) {
    return with(job -> job.queue = value);
  }

  /** With these bytes; null: none. */
  public NewJob payload(byte @Nullable [] value) {
    byte[] copy = value == null ? new byte[0] : value.clone();
    return with(job -> job.payload = copy);
  }

  /** With this text. */
  public NewJob payload(String value) {
    return payload(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Not before this instant; null: at once. */
  public NewJob runAt(@Nullable Instant value) {
    return with(job -> job.runAt = value);
  }

  /** Not before so much time has passed on the database's clock. */
  public NewJob runIn(@Nullable Duration value) {
    return with(job -> job.delay = value);
  }

  /** Each run may take so long; zero: as long as its handler's own limit. */
  public NewJob timeout(Duration value) {
    return with(job -> job.timeout = value);
  }

  /** It may be run so often in all; zero: as often as the worker's policy says. */
  public NewJob maxAttempts(int value) {
    return with(job -> job.maxAttempts = value);
  }

  /** From -100 to 100: each point is a head start of a minute over jobs of priority 0. */
  public NewJob priority(int value) {
    return with(job -> job.priority = value);
  }

  /** Once per queue: while a job with this key exists, enqueueing it again answers that job. */
  public NewJob once(@Nullable String key) {
    return with(job -> job.idempotencyKey = key);
  }

  /** Under the limit of this key. */
  public NewJob limitedBy(@Nullable String key) {
    return with(job -> job.limitKey = key);
  }

  /** As part of this trace. */
  public NewJob traced(@Nullable String value) {
    return with(job -> job.traceId = value);
  }

  /** With a past of its own. */
  public NewJob imported(@Nullable Import value) {
    return with(job -> job.imported = value);
  }

  /** What kind of work it is. */
  public String type() {
    return type;
  }

  /** Its id, if the caller chose one. */
  public @Nullable String id() {
    return id;
  }

  /** Its queue; null: the default one. */
  public @Nullable String queue() {
    return queue;
  }

  /** What its handler gets. */
  public byte[] payload() {
    return payload.clone();
  }

  /** How many bytes its handler gets. */
  public int payloadSize() {
    return payload.length;
  }

  /** When it is due; null: at once. */
  public @Nullable Instant runAt() {
    return runAt;
  }

  /** How long it waits from now, instead of {@link #runAt()}. */
  public @Nullable Duration delay() {
    return delay;
  }

  /** How long a run may take; zero: no limit of its own. */
  public Duration timeout() {
    return timeout;
  }

  /** How often it may be run; zero: the policy decides. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** Its head start in steps. */
  public int priority() {
    return priority;
  }

  /** What it may exist once for. */
  public @Nullable String idempotencyKey() {
    return idempotencyKey;
  }

  /** Whose limit it runs under. */
  public @Nullable String limitKey() {
    return limitKey;
  }

  /** What it belongs to. */
  public @Nullable String traceId() {
    return traceId;
  }

  /** Its past elsewhere. */
  public @Nullable Import imported() {
    return imported;
  }

  @Override
  public String toString() {
    return "NewJob[" + type + ", id=" + id + ", queue=" + queue + "]";
  }
}
