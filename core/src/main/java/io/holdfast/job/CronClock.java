package io.holdfast.job;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * Slots by the clock on a wall.
 *
 * <p>Matching is done on local seconds (seconds since the epoch as if the wall showed UTC), where
 * no clock ever changes; what is hard is the way there and back. Two meanings are wanted. An hour
 * field that starts with a star speaks of the passing of time: an instant fires when the wall shows
 * a matching time at that instant, so a repeated hour counts twice and a skipped one never. Any
 * other hour field speaks of appointments: each local time is kept exactly once, a skipped one at
 * the instant of the change, a repeated one at its first showing. That mapping of local times to
 * instants never decreases, hence the next slot is that of the next matching local time.
 */
record CronClock(CronTime time, CronDays days, boolean isRealTime, ZoneRules rules)
    implements CronRule {
  private static final int DAY = 86_400;
  private static final int YEARS = 5;
  private static final long FIRST_LOOK_BACK = 60;

  @Override
  public long after(long second) {
    return isRealTime ? nextShown(second) : nextKept(second);
  }

  private long nextShown(long second) {
    long from = second;
    ZoneOffset offset = rules.getOffset(Instant.ofEpochSecond(from));
    ZoneOffsetTransition change = rules.nextTransition(Instant.ofEpochSecond(from));
    while (true) {
      long local = nextLocal(from + offset.getTotalSeconds());
      if (local == NEVER) {
        return NEVER;
      }
      long slot = local - offset.getTotalSeconds();
      if (change == null || slot < change.toEpochSecond()) {
        return slot;
      }
      from = change.toEpochSecond() - 1;
      offset = change.getOffsetAfter();
      change = rules.nextTransition(change.getInstant());
    }
  }

  private long nextKept(long second) {
    ZoneOffset offset = rules.getOffset(Instant.ofEpochSecond(second));
    long local = second + offset.getTotalSeconds();
    ZoneOffsetTransition change = rules.getTransition(wall(local));
    if (change != null && change.isOverlap() && offset.equals(change.getOffsetAfter())) {
      // Shown for the second time: what the wall repeats has been kept.
      local = change.getDateTimeBefore().toEpochSecond(ZoneOffset.UTC) - 1;
    }
    long next = nextLocal(local);
    return next == NEVER ? NEVER : kept(next);
  }

  private long kept(long local) {
    LocalDateTime wall = wall(local);
    ZoneOffsetTransition change = rules.getTransition(wall);
    if (change == null) {
      return local - rules.getOffset(wall).getTotalSeconds();
    }
    return change.isGap()
        ? change.toEpochSecond()
        : local - change.getOffsetBefore().getTotalSeconds();
  }

  private long nextLocal(long local) {
    long day = Math.floorDiv(local, (long) DAY);
    if (days.has(day)) {
      int today = time.after((int) Math.floorMod(local, (long) DAY));
      if (today >= 0) {
        return day * DAY + today;
      }
    }
    long last = LocalDate.ofEpochDay(day).plusYears(YEARS).toEpochDay();
    long next = days.first(day + 1, last);
    return next == CronDays.NONE ? NEVER : next * DAY + time.first();
  }

  private static LocalDateTime wall(long local) {
    return LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC);
  }

  /** Looks back in growing steps: a long absence must not cost a search for each missed slot. */
  @Override
  public long lastUntil(long from, long to) {
    long start = to;
    for (long back = FIRST_LOOK_BACK; start > from && after(start) > to; back *= 2) {
      start = Math.max(from, to - back);
    }
    long last = from;
    for (long slot = after(start); slot <= to; slot = after(slot)) {
      last = slot;
    }
    return last;
  }
}
