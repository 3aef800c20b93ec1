package io.holdfast.server.stream;

import io.holdfast.client.stream.StreamJson;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.TimeRange;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a request says, as leniently as the wire has it: a number that cannot be read is the
 * default, one out of range is the nearest in range, and an empty text is none.
 */
final class Asked {
  private static final byte[] EMPTY = {'{', '}'};

  private Asked() {}

  /** The body; it has to be there. */
  static <T> T body(Exchange exchange, Class<T> type) {
    if (exchange.body().length == 0) {
      throw Refusal.malformed("the body is missing");
    }
    return read(exchange.body(), type);
  }

  /** The body; none at all is an empty one. */
  static <T> T optionalBody(Exchange exchange, Class<T> type) {
    return read(exchange.body().length == 0 ? EMPTY : exchange.body(), type);
  }

  private static <T> T read(byte[] body, Class<T> type) {
    try {
      return StreamJson.read(body, type);
    } catch (StreamJson.Malformed e) {
      throw Refusal.malformed(String.valueOf(e.getMessage()));
    }
  }

  static @Nullable String text(Exchange exchange, String name) {
    return WireTexts.some(exchange.query(name).orElse(null));
  }

  static String group(@Nullable String group) {
    String some = WireTexts.some(group);
    return some == null ? PopRequest.QUEUE_MODE : some;
  }

  static boolean flag(Exchange exchange, String name, boolean otherwise) {
    return flag(exchange.query(name).orElse(null), otherwise);
  }

  static boolean flag(@Nullable String text, boolean otherwise) {
    return text == null || text.isEmpty() ? otherwise : text.equals("true") || text.equals("1");
  }

  static long number(Exchange exchange, String name, long otherwise, long least, long most) {
    return number(exchange.query(name).orElse(null), otherwise, least, most);
  }

  static long number(@Nullable String text, long otherwise, long least, long most) {
    Long number = number(text);
    return number == null ? otherwise : Math.max(least, Math.min(most, number));
  }

  /** A whole number, or the nearest that there is; null if it is none. */
  static @Nullable Long number(@Nullable String text) {
    String digits = text == null ? "" : text.strip();
    if (!digits.matches("[+-]?[0-9]{1,1000}")) {
      return null;
    }
    BigInteger number = new BigInteger(digits);
    return number.bitLength() < Long.SIZE
        ? number.longValue()
        : number.signum() > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /** An instant that a store can be asked about, or a date; without a zone in UTC. */
  static @Nullable Instant instant(String name, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    Instant at = read(name, text);
    StreamRules.checkInstant(name, at);
    return at;
  }

  private static Instant read(String name, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException notOne) {
      return local(name, text);
    }
  }

  private static Instant local(String name, String text) {
    try {
      return text.contains("T")
          ? LocalDateTime.parse(text).toInstant(ZoneOffset.UTC)
          : LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw Refusal.malformed(name + " is not an ISO instant");
    }
  }

  static TimeRange range(Exchange exchange) {
    return new TimeRange(
        instant("from", text(exchange, "from")), instant("to", text(exchange, "to")));
  }

  /** An id in the path or the query that has to be one. */
  static UUID id(String name, @Nullable String text) {
    UUID id = WireTexts.id(text);
    if (id == null) {
      throw Refusal.malformed(name + " is not an id");
    }
    return id;
  }
}
