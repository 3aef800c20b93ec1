package io.holdfast.job;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is stored.
 *
 * @param lease who runs it, while it is inflight
 * @param isCancelRequested whether its run was asked to end
 */
public record Job(
    String id,
    JobSpec spec,
    JobState state,
    Instant createdAt,
    History history,
    Progress progress,
    @Nullable Lease lease,
    boolean isCancelRequested) {
  /**
   * What happened to it so far.
   *
   * @param attempts recorded failures
   * @param lastError the last of them, or empty
   * @param deliveries leases handed out: the fence
   * @param excused deliveries that are not held against it
   * @param end how it ended, once it has
   * @param dead what is known of its time among the dead letters
   */
  public record History(
      int attempts,
      String lastError,
      @Nullable Instant failedAt,
      int deliveries,
      int excused,
      @Nullable End end,
      Dead dead) {}

  /**
   * How it ended.
   *
   * @param outcome null when a worker of another kind finished it, which means success
   * @param finishedAt null when nobody has noted it yet
   * @param output what its handler returned
   */
  public record End(
      @Nullable Outcome outcome, @Nullable Instant finishedAt, byte @Nullable [] output) {}

  /** The ways to end. */
  public enum Outcome {
    SUCCEEDED,
    CANCELLED,
    FAILED;

    /** The spelling used in the table and on the wire. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Its time among the dead letters.
   *
   * @param reason why it is one now
   * @param failedAt since when
   * @param attempts its failures when it last became one
   * @param count how often it became one
   */
  public record Dead(
      @Nullable String reason, @Nullable Instant failedAt, @Nullable Integer attempts, int count) {
    /** Never was one. */
    public static final Dead NEVER = new Dead(null, null, null, 0);
  }

  /**
   * What its handler told about itself; it survives retries.
   *
   * @param percent from 0 to 100
   */
  public record Progress(
      @Nullable Integer percent, @Nullable String note, byte @Nullable [] checkpoint) {
    /** Nothing told. */
    public static final Progress NONE = new Progress(null, null, null);
  }

  /**
   * Who runs it, and until when he may.
   *
   * @param owner null when a worker that says nothing about itself holds it
   */
  public record Lease(Instant expiresAt, @Nullable String owner) {}

  /** What kind of work it is. */
  public String type() {
    return spec.type();
  }

  /** Where it waits. */
  public String queue() {
    return spec.queue();
  }
}
