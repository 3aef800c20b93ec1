package io.holdfast.cli;

import io.holdfast.server.http.Limits;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.TypeConversionException;

/** Limits of a server as {@code name=value}, under the names that {@link Limits} gives them. */
final class ServeLimits {
  private ServeLimits() {}

  /** The default ones, but for those that are given. */
  static Limits of(List<String> given) {
    Limits limits = Limits.DEFAULTS;
    for (String one : given) {
      int middle = one.indexOf('=');
      if (middle < 0) {
        throw new TypeConversionException("'" + one + "' is not NAME=VALUE");
      }
      limits = with(limits, one.substring(0, middle), one.substring(middle + 1));
    }
    return limits;
  }

  private static Limits with(Limits old, String name, String value) {
    return switch (name) {
      case "connections" -> counts(old, count(value), old.threads(), old.waiting());
      case "threads" -> counts(old, old.connections(), count(value), old.waiting());
      case "waiting" -> counts(old, old.connections(), old.threads(), count(value));
      case "idle" -> times(old, time(value), old.receive(), old.answer());
      case "receive" -> times(old, old.idle(), time(value), old.answer());
      case "answer" -> times(old, old.idle(), old.receive(), time(value));
      default ->
          throw new TypeConversionException(
              "'" + name + "' is not connections, threads, waiting, idle, receive or answer");
    };
  }

  private static Limits counts(Limits old, int connections, int threads, int waiting) {
    return new Limits(connections, threads, waiting, old.idle(), old.receive(), old.answer());
  }

  private static Limits times(Limits old, Duration idle, Duration receive, Duration answer) {
    return new Limits(old.connections(), old.threads(), old.waiting(), idle, receive, answer);
  }

  private static int count(String text) {
    if (!text.matches("[1-9]\\d{0,8}")) {
      throw new TypeConversionException("'" + text + "' is not a number from 1");
    }
    return Integer.parseInt(text);
  }

  private static Duration time(String text) {
    Duration time = Arguments.duration(text);
    if (time.isZero()) {
      throw new TypeConversionException("a time must not be zero");
    }
    return time;
  }
}
