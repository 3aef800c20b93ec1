package io.holdfast.client.stream;

import io.holdfast.stream.Payload;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.Verdict;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Words, instants and ids of the wire. */
public final class WireTexts {
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final int ID_LENGTH = 36;

  private WireTexts() {}

  /** With six digits of a second. */
  public static String micros(Instant at) {
    return MICROS.format(at);
  }

  /** With three digits of a second. */
  public static String millis(Instant at) {
    return MILLIS.format(at);
  }

  /** The same; null stays null. */
  public static @Nullable String millisOrNull(@Nullable Instant at) {
    return at == null ? null : MILLIS.format(at);
  }

  /** An id; null if the text is none. */
  public static @Nullable UUID id(@Nullable String text) {
    if (text == null || text.length() != ID_LENGTH) {
      return null;
    }
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The text; null also if it is empty. */
  public static @Nullable String some(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  /** The verdict of this name; completed if there is none. */
  public static Optional<Verdict> verdict(@Nullable String status) {
    return Optional.ofNullable(
        switch (status == null || status.isEmpty() ? "completed" : status) {
          case "completed", "success" -> Verdict.COMPLETED;
          case "failed" -> Verdict.FAILED;
          case "retry" -> Verdict.RETRY;
          case "dlq" -> Verdict.DEAD_LETTER;
          case "park" -> Verdict.PARK;
          default -> null;
        });
  }

  /** The name of a verdict. */
  public static String status(Verdict verdict) {
    return verdict == Verdict.DEAD_LETTER ? "dlq" : verdict.name().toLowerCase(Locale.ROOT);
  }

  /** What other clients look for when a verdict is refused. */
  public static String refusal(StreamError error) {
    return switch (error) {
      case LEASE_LOST -> "Invalid or expired lease";
      case ALREADY_COMMITTED -> "The message is already committed";
      case UNRESOLVABLE -> "The message is unresolvable: it is not in the batch";
      case REWOUND -> "The message was rewound: it follows a failure and comes again";
      case INVALID_ARGUMENT -> "The verdict is unknown, or contradicts an earlier one";
      default -> error.name();
    };
  }

  /**
   * A payload on the wire.
   *
   * @param data as JSON
   * @param base64 its bytes, if they are not JSON
   * @param error why there are none
   */
  public record Data(RawJson data, @Nullable String base64, @Nullable String error) {}

  /** The payload as it goes to clients. */
  public static Data data(Payload payload) {
    byte[] bytes;
    try {
      bytes = payload.unwrap();
    } catch (StreamException e) {
      return new Data(RawJson.NULL, null, e.getMessage());
    }
    RawJson json = RawJson.of(bytes);
    if (json != null) {
      return new Data(json, null, null);
    }
    String base64 = Base64.getEncoder().encodeToString(bytes);
    String text = RawJson.text(bytes);
    String shown = text == null ? base64 : text;
    return new Data(new RawJson(quoted(shown)), base64, null);
  }

  private static String quoted(String text) {
    return new String(StreamJson.write(text), java.nio.charset.StandardCharsets.UTF_8);
  }
}
