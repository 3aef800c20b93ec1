package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a schedule is to do now.
 *
 * @param fire slots to fire, oldest first
 * @param next the first slot after now
 */
public record Slots(List<Instant> fire, Instant next) {
  private static final Duration ON_TIME = Duration.ofSeconds(10);

  /** Of the slots from {@code nextAt} to {@code now}, those that fire. */
  public static Slots due(Cron cron, Instant nextAt, Instant now, ScheduleSpec.Missed missed) {
    List<Instant> fire = new ArrayList<>();
    Instant slot = nextAt;
    Instant onTimeFrom = now.minus(ON_TIME);
    if (slot.isBefore(onTimeFrom)) {
      Instant newestMissed = cron.lastBefore(onTimeFrom, slot);
      if (missed == ScheduleSpec.Missed.RUN_ONCE) {
        fire.add(newestMissed);
      }
      slot = cron.next(newestMissed);
    }
    while (!slot.isAfter(now)) {
      fire.add(slot);
      slot = cron.next(slot);
    }
    return new Slots(List.copyOf(fire), slot);
  }

  /** The idempotency key of a slot's job. */
  public static String key(String schedule, Instant slot) {
    return "schedule:" + schedule + ":" + slot;
  }

  /** The slot that a job with this key was made for, if it was made by a schedule. */
  static Optional<Instant> of(@Nullable String key) {
    if (key == null || !key.startsWith("schedule:")) {
      return Optional.empty();
    }
    // An instant has colons of its own: it starts behind the last one before its date.
    int date = key.lastIndexOf(':', Math.max(0, key.lastIndexOf('T')));
    try {
      return Optional.of(Instant.parse(key.substring(date + 1)));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
