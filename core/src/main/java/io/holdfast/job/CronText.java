package io.holdfast.job;

import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesException;
import java.time.zone.ZoneRulesProvider;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads expressions of cron. */
final class CronText {
  private static final String EVERY = "@every ";
  private static final Map<String, String> NAMED =
      Map.of(
          "@hourly", "0 * * * *",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@weekly", "0 0 * * 0",
          "@monthly", "0 0 1 * *",
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *");

  private final String expression;
  private final String[] fields;

  private CronText(String expression, String[] fields) {
    this.expression = expression;
    this.fields = fields;
  }

  /** The rule of an expression; fails with {@code INVALID_SCHEDULE}. */
  static CronRule read(String expression, String zone) {
    ZoneRules rules = rules(zone);
    String text = expression.strip();
    if (text.startsWith(EVERY)) {
      return every(expression, text.substring(EVERY.length()).strip());
    }
    if (text.startsWith("@") && !NAMED.containsKey(text)) {
      throw invalid("'" + expression + "' is none of @every, " + names(), null);
    }
    String[] fields = NAMED.getOrDefault(text, text).split("\\s+");
    return switch (fields.length) {
      case 5 -> new CronText(expression, ("0 " + String.join(" ", fields)).split(" ")).clock(rules);
      case 6 -> new CronText(expression, fields).clock(rules);
      default -> throw invalid("'" + expression + "' does not have 5 or 6 fields", null);
    };
  }

  private static String names() {
    return String.join(", ", NAMED.keySet().stream().sorted().toList());
  }

  private static CronRule every(String expression, String duration) {
    try {
      return CronEvery.read(duration);
    } catch (IllegalArgumentException e) {
      throw invalid("in '" + expression + "' " + e.getMessage(), e);
    }
  }

  private static ZoneRules rules(String zone) {
    try {
      return ZoneRulesProvider.getRules(zone, false);
    } catch (ZoneRulesException e) {
      throw invalid("the zone '" + zone + "' is not known", e);
    }
  }

  private CronClock clock(ZoneRules rules) {
    CronTime time =
        new CronTime(plain(CronUnit.SECOND), plain(CronUnit.MINUTE), plain(CronUnit.HOUR));
    CronDays days =
        new CronDays(
            plain(CronUnit.MONTH),
            field(CronUnit.DAY, CronDays.DaysOfMonth::read),
            field(CronUnit.WEEKDAY, CronDays.DaysOfWeek::read));
    if (!days.isPossible()) {
      throw invalid("the day of month of '" + expression + "' is in none of its months", null);
    }
    return new CronClock(time, days, fields[CronUnit.HOUR.ordinal()].startsWith("*"), rules);
  }

  private CronField plain(CronUnit unit) {
    return field(unit, text -> CronField.read(unit, text));
  }

  private <T> T field(CronUnit unit, Function<String, T> reader) {
    try {
      return reader.apply(fields[unit.ordinal()]);
    } catch (IllegalArgumentException e) {
      throw invalid(
          "the field " + unit.label() + " of '" + expression + "' is wrong: " + e.getMessage(), e);
    }
  }

  static JobException invalid(String message, @Nullable Throwable cause) {
    return new JobException(JobError.INVALID_SCHEDULE, message, cause);
  }
}
