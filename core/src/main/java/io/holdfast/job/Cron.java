package io.holdfast.job;

import java.time.Instant;

/**
 * When a schedule fires: five fields of cron, or six with leading seconds, or {@code @hourly} to
 * {@code @yearly}, or {@code @every 30s}, by the clock of one zone. Immutable.
 *
 * <p>Fields know {@code * , - /}, the names of months and weekdays, Sunday as 0 and as 7, {@code ?}
 * for any day, {@code L} for the last day of the month and {@code n#k} for its k-th weekday n. When
 * both day fields are restricted, a day that satisfies one of them fires.
 *
 * <p>When the clock of the zone changes, an hour field that starts with {@code *} follows real
 * time: a repeated hour fires twice, a skipped one never. With any other hour field a skipped local
 * time fires at the instant of the change, and a repeated one the first time only.
 */
public final class Cron {
  private final String text;
  private final CronRule rule;

  private Cron(String text, CronRule rule) {
    this.text = text;
    this.rule = rule;
  }

  /** Reads an expression; fails with {@code INVALID_SCHEDULE}. */
  public static Cron parse(String expression, String zone) {
    return new Cron(expression, CronText.read(expression, zone));
  }

  /** The first slot after {@code instant}; {@code INVALID_SCHEDULE} if 5 years have none. */
  public Instant next(Instant instant) {
    long slot = rule.after(instant.getEpochSecond());
    if (slot == CronRule.NEVER) {
      throw CronText.invalid("'" + text + "' does not fire within 5 years", null);
    }
    return Instant.ofEpochSecond(slot);
  }

  /** The last slot before {@code end}, given one that is. */
  Instant lastBefore(Instant end, Instant slot) {
    long last = rule.lastUntil(slot.getEpochSecond(), end.minusNanos(1).getEpochSecond());
    return last == slot.getEpochSecond() ? slot : Instant.ofEpochSecond(last);
  }
}
