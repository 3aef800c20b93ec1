package io.holdfast.cli;

import java.time.DateTimeException;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;

/** Moments as they are typed. */
final class Moments {
  private static final long MILLIS_FROM = 1_000_000_000_000L;

  private Moments() {}

  /** RFC 3339, seconds since 1970, or milliseconds from 10^12 on. */
  static Instant parse(CommandSpec spec, String option, String text) {
    try {
      if (text.matches("\\d{1,18}")) {
        long number = Long.parseLong(text);
        return number >= MILLIS_FROM ? Instant.ofEpochMilli(number) : Instant.ofEpochSecond(number);
      }
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw Work.mistake(spec, option + ": a moment such as 2026-01-31T12:00:00Z");
    }
  }
}
