package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.lease.Fence;
import io.holdfast.lock.LockKey;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Reads arguments as our types; what they refuse is a mistake in usage. */
final class Arguments {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)|0");
  private static final Pattern FENCE = Pattern.compile("\\d{1,15}");
  private static final char REPLACEMENT = '\uFFFD';

  private Arguments() {}

  static void register(CommandLine line) {
    line.registerConverter(Duration.class, Arguments::duration);
    line.registerConverter(LockKey.class, Arguments::key);
    line.registerConverter(Fence.class, Arguments::fence);
  }

  /** 500ms, 30s, 5m, 1h, or 0. */
  static Duration duration(String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration such as 500ms, 30s, 5m or 1h");
    }
    if (parts.group(1) == null) {
      return Duration.ZERO;
    }
    long number = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  private static LockKey key(String text) {
    requireReadable(text);
    return valid(() -> LockKey.of(text));
  }

  /** With or without its leading zeros. */
  private static Fence fence(String text) {
    if (!FENCE.matcher(text).matches()) {
      throw new TypeConversionException("'" + text + "' is not a fence, a number of 15 digits");
    }
    return valid(() -> new Fence(Long.parseLong(text)));
  }

  /**
   * Refuses what the JVM could not decode: it would be another key, or another argument, than the
   * one typed.
   */
  static void requireReadable(String text) {
    if (text.indexOf(REPLACEMENT) >= 0) {
      throw new TypeConversionException(
          "it is not UTF-8, or the locale is not (set LC_ALL=C.UTF-8)");
    }
  }

  private static <T> T valid(Supplier<T> value) {
    try {
      return value.get();
    } catch (HoldfastException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
