package io.holdfast.job;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * The days that an expression lets through. When neither the day of the month nor the day of the
 * week stands for all days, one of them is enough. Immutable.
 */
final class CronDays {
  /** No day matches before this one. */
  static final long NONE = Long.MIN_VALUE;

  private static final int[] LONGEST = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  private final CronField months;
  private final DaysOfMonth daysOfMonth;
  private final DaysOfWeek daysOfWeek;

  CronDays(CronField months, DaysOfMonth daysOfMonth, DaysOfWeek daysOfWeek) {
    this.months = months;
    this.daysOfMonth = daysOfMonth;
    this.daysOfWeek = daysOfWeek;
  }

  /** The first matching day from one to the other, as days since the epoch, or {@link #NONE}. */
  long first(long from, long to) {
    LocalDate date = LocalDate.ofEpochDay(from);
    while (date.toEpochDay() <= to) {
      if (!months.has(date.getMonthValue())) {
        date = date.withDayOfMonth(1).plusMonths(1);
      } else if (hasDay(date)) {
        return date.toEpochDay();
      } else {
        date = date.plusDays(1);
      }
    }
    return NONE;
  }

  /** Whether this day matches, in days since the epoch. */
  boolean has(long day) {
    LocalDate date = LocalDate.ofEpochDay(day);
    return months.has(date.getMonthValue()) && hasDay(date);
  }

  private boolean hasDay(LocalDate date) {
    if (daysOfMonth.isAny() || daysOfWeek.isAny()) {
      return daysOfMonth.has(date) && daysOfWeek.has(date);
    }
    return daysOfMonth.has(date) || daysOfWeek.has(date);
  }

  /** False for the 30th of February and its like. */
  boolean isPossible() {
    if (daysOfMonth.isLast() || !daysOfWeek.isAny()) {
      return true;
    }
    int earliest = daysOfMonth.days().first();
    for (int month = months.first(); month > 0; month = months.from(month + 1)) {
      if (earliest <= LONGEST[month - 1]) {
        return true;
      }
    }
    return false;
  }

  /** The field of the days of the month: numbers, and {@code L} for the last. */
  record DaysOfMonth(CronField days, boolean isLast, boolean isAny) {
    static DaysOfMonth read(String text) {
      if (text.equals("?")) {
        return read("*");
      }
      List<String> numbers = new ArrayList<>(List.of(text.split(",", -1)));
      boolean isLast = numbers.removeIf(item -> item.equalsIgnoreCase("L"));
      CronField days = plain(CronUnit.DAY, numbers);
      return new DaysOfMonth(days, isLast, coversAll(CronUnit.DAY, text, days));
    }

    boolean has(LocalDate date) {
      int day = date.getDayOfMonth();
      return days.has(day) || isLast && day == date.lengthOfMonth();
    }
  }

  /** The field of the days of the week: numbers, names, and {@code n#k} for the k-th n. */
  record DaysOfWeek(CronField days, long kths, boolean isAny) {
    private static final int WEEKS = 5;

    static DaysOfWeek read(String text) {
      if (text.equals("?")) {
        return read("*");
      }
      List<String> plain = new ArrayList<>();
      long kths = 0;
      for (String item : text.split(",", -1)) {
        if (item.indexOf('#') < 0) {
          plain.add(item);
        } else {
          kths |= kth(item);
        }
      }
      CronField days = plain(CronUnit.WEEKDAY, plain);
      return new DaysOfWeek(days, kths, coversAll(CronUnit.WEEKDAY, text, days));
    }

    private static long kth(String item) {
      int hash = item.indexOf('#');
      int weekday = CronUnit.WEEKDAY.value(item.substring(0, hash)) % 7;
      int week = CronUnit.number(item.substring(hash + 1));
      if (week < 1 || week > WEEKS) {
        throw new IllegalArgumentException("'" + item + "' asks for a week outside 1 to " + WEEKS);
      }
      return bit(weekday, week);
    }

    private static long bit(int weekday, int week) {
      return 1L << (week * 7 + weekday);
    }

    boolean has(LocalDate date) {
      int weekday = date.getDayOfWeek().getValue() % 7;
      int week = (date.getDayOfMonth() + 6) / 7;
      return days.has(weekday) || (kths & bit(weekday, week)) != 0;
    }
  }

  private static CronField plain(CronUnit unit, List<String> items) {
    return items.isEmpty() ? new CronField(0) : CronField.read(unit, String.join(",", items));
  }

  /** A field that starts with a star and leaves nothing out restricts nothing. */
  private static boolean coversAll(CronUnit unit, String text, CronField days) {
    return text.startsWith("*") && days.equals(CronField.read(unit, "*"));
  }
}
