package io.holdfast.job;

/** The times of day that an expression lets through. Immutable. */
record CronTime(CronField seconds, CronField minutes, CronField hours) {
  private static final int DAY = 86_400;

  /** The first second of a day that matches. */
  int first() {
    return at(hours.first(), minutes.first(), seconds.first());
  }

  /** The first second of the day after this one that matches, or -1. */
  int after(int secondOfDay) {
    int from = secondOfDay + 1;
    if (from == DAY) {
      return -1;
    }
    int hour = from / 3600;
    if (hours.has(hour)) {
      int inHour = inHour(from % 3600);
      if (inHour >= 0) {
        return hour * 3600 + inHour;
      }
    }
    int later = hours.from(hour + 1);
    return later < 0 ? -1 : at(later, minutes.first(), seconds.first());
  }

  private int inHour(int from) {
    int minute = from / 60;
    if (minutes.has(minute)) {
      int second = seconds.from(from % 60);
      if (second >= 0) {
        return minute * 60 + second;
      }
    }
    int later = minutes.from(minute + 1);
    return later < 0 ? -1 : later * 60 + seconds.first();
  }

  private static int at(int hour, int minute, int second) {
    return hour * 3600 + minute * 60 + second;
  }
}
