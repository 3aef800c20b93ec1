package io.holdfast.server.job;

import io.holdfast.client.http.RawJson;
import io.holdfast.client.job.JobWire;
import io.holdfast.client.job.Millis;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobException;
import io.holdfast.job.Jobs;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads single fields, so that what is wrong with one is told by its name. */
final class Fields {
  private static final int MOST_ITEMS = 1_000;

  private Fields() {}

  static <T> T given(String name, @Nullable T value) {
    if (value == null) {
      throw Refusal.malformed("'" + name + "' is missing");
    }
    return value;
  }

  /** A list of 1 to 1,000 with nothing missing in it. */
  static <T> List<T> items(String name, @Nullable List<T> values) {
    List<T> all = whole(name, given(name, values));
    if (all.isEmpty() || all.size() > MOST_ITEMS) {
      throw JobException.invalid(name + " must be 1 to " + MOST_ITEMS + ", not " + all.size());
    }
    return all;
  }

  /** A list with nothing missing in it. */
  static <T> List<T> whole(String name, @Nullable List<T> values) {
    List<T> all = values == null ? List.of() : values;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) == null) {
        throw Refusal.malformed("'" + name + "[" + i + "]' must not be null");
      }
    }
    return all;
  }

  static @Nullable Duration time(String name, @Nullable BigDecimal millis) {
    try {
      return millis == null ? null : Millis.duration(millis);
    } catch (ArithmeticException e) {
      throw Refusal.malformed("'" + name + "' is out of range");
    }
  }

  static Duration time(String name, @Nullable BigDecimal millis, Duration otherwise) {
    Duration time = time(name, millis);
    return time == null ? otherwise : time;
  }

  static byte @Nullable [] bytes(String name, @Nullable String base64) {
    try {
      return base64 == null ? null : Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw Refusal.malformed("'" + name + "' must be base64");
    }
  }

  /** What was sent as JSON or as bytes. */
  static byte @Nullable [] content(String name, @Nullable RawJson json, @Nullable String base64) {
    if (json != null && base64 != null) {
      throw JobException.invalid(
          name + " and " + name + "Base64 are two forms of one thing: give one");
    }
    return json == null
        ? bytes(name + "Base64", base64)
        : json.text().getBytes(StandardCharsets.UTF_8);
  }

  static @Nullable String base64(byte @Nullable [] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }

  static boolean is(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value);
  }

  /** True or left out. */
  static @Nullable Boolean flag(boolean value) {
    return value ? true : null;
  }

  static <T extends Object> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
  }

  static Held held(@Nullable String id, @Nullable String token) {
    return new Held(or(id, ""), or(token, ""));
  }

  static List<Held> held(@Nullable List<JobWire.JobHeld> items) {
    return whole("items", items).stream().map(item -> held(item.id(), item.token())).toList();
  }

  /** Whoever may use only some queues may not touch the jobs of others by their ids. */
  static void checkJobs(Exchange exchange, Jobs jobs, Collection<String> ids) {
    if (!exchange.caller().isRestricted()) {
      return;
    }
    for (String id : ids) {
      Job job = found(jobs, id);
      if (job != null) {
        exchange.caller().require(job.queue());
      }
    }
  }

  /** The job; null: there is none. */
  static @Nullable Job found(Jobs jobs, String id) {
    try {
      return jobs.inspect(id, false);
    } catch (JobException e) {
      return switch (e.error()) {
        case JOB_NOT_FOUND, JOB_ID_REQUIRED, INVALID_ARGUMENT -> null;
        default -> throw e;
      };
    }
  }
}
