package io.holdfast.job;

import java.util.Locale;

/**
 * A recurring job.
 *
 * @param job what each slot enqueues: type, queue, payload, priority, maximum of attempts, timeout
 *     and limit key count
 * @param cron when, as {@link Cron} reads it
 * @param zone whose clock it follows
 * @param missed what becomes of slots that nobody was there for
 * @param overlap whether a slot fires while the job of the last one is not finished
 */
public record ScheduleSpec(
    String name, NewJob job, String cron, String zone, Missed missed, Overlap overlap) {
  /** What becomes of slots that are more than 10 s late. */
  public enum Missed {
    /** The newest one fires. */
    RUN_ONCE,
    /** None fires. */
    SKIP;

    /** The spelling used in the table and on the wire. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether slots may overlap. */
  public enum Overlap {
    ALLOW,
    /** A slot does not fire while the last job is not finished. */
    SKIP;

    /** The spelling used in the table and on the wire. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Fires by UTC; of missed slots the newest. */
  public static ScheduleSpec of(String name, String cron, NewJob job) {
    return new ScheduleSpec(name, job, cron, "UTC", Missed.RUN_ONCE, Overlap.ALLOW);
  }

  /** By the clock of this zone. */
  public ScheduleSpec zone(String value) {
    return new ScheduleSpec(name, job, cron, value, missed, overlap);
  }

  /** With another way to treat missed slots. */
  public ScheduleSpec missed(Missed value) {
    return new ScheduleSpec(name, job, cron, zone, value, overlap);
  }

  /** With another way to treat overlapping slots. */
  public ScheduleSpec overlap(Overlap value) {
    return new ScheduleSpec(name, job, cron, zone, missed, value);
  }
}
