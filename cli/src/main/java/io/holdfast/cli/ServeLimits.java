package io.holdfast.cli;

import io.holdfast.server.http.Limits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** Limits of a server as {@code name=value}, under the names that {@link Limits} gives them. */
final class ServeLimits {
  private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,8})([km]?)");
  private static final int SMALLEST = 1024;
  private static final long LARGEST = 1L << 30;

  private final Map<String, String> values = new HashMap<>();

  private ServeLimits(List<String> given) {
    for (String one : given) {
      int middle = one.indexOf('=');
      if (middle < 0) {
        throw new TypeConversionException("'" + one + "' is not NAME=VALUE");
      }
      values.put(one.substring(0, middle), one.substring(middle + 1));
    }
  }

  /** The default ones, but for those that are given. */
  static Limits of(List<String> given) {
    ServeLimits asked = new ServeLimits(given);
    Limits usual = Limits.DEFAULTS;
    Limits limits =
        new Limits(
            asked.count("connections", usual.connections()),
            asked.count("threads", usual.threads()),
            asked.count("waiting", usual.waiting()),
            asked.size("headers", usual.headers()),
            asked.size("body", usual.body()),
            asked.time("idle", usual.idle()),
            asked.time("receive", usual.receive()),
            asked.time("answer", usual.answer()));
    asked.values.keySet().stream().findFirst().ifPresent(ServeLimits::unknown);
    return limits;
  }

  private static void unknown(String name) {
    throw new TypeConversionException(
        "'"
            + name
            + "' is not connections, threads, waiting, headers, body, idle, receive or answer");
  }

  private int count(String name, int usual) {
    String text = values.remove(name);
    if (text == null) {
      return usual;
    }
    if (!text.matches("[1-9]\\d{0,8}")) {
      throw new TypeConversionException("'" + text + "' is not a number from 1");
    }
    return Integer.parseInt(text);
  }

  /** In bytes, or with a k or m behind. */
  private int size(String name, int usual) {
    String text = values.remove(name);
    if (text == null) {
      return usual;
    }
    Matcher parts = SIZE.matcher(text);
    long size = parts.matches() ? Long.parseLong(parts.group(1)) * unit(parts.group(2)) : 0;
    if (size < SMALLEST || size > LARGEST) {
      throw new TypeConversionException("'" + text + "' is not a size from 1k to 1024m");
    }
    return (int) size;
  }

  private static int unit(String letter) {
    return switch (letter) {
      case "k" -> 1 << 10;
      case "m" -> 1 << 20;
      default -> 1;
    };
  }

  private Duration time(String name, Duration usual) {
    String text = values.remove(name);
    if (text == null) {
      return usual;
    }
    Duration time = Arguments.duration(text);
    if (time.isZero()) {
      throw new TypeConversionException("a time must not be zero");
    }
    return time;
  }
}
